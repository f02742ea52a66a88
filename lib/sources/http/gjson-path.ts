/** A JSONPath that finds the number that gjson finds, or why there is none. */
export type FromGjson = { readonly path: string; readonly onlyFirst?: true } | { readonly problem: string };

const noEqual = (what: string): FromGjson => ({ problem: `has no equal: ebb's JSONPath has no ${what}` });

/**
 * KEDA's valueLocation. Digits are an index of a list and a name in an object, and of a filter's matches, gjson takes
 * the first. Source: https://github.com/tidwall/gjson/blob/v1.19.0/SYNTAX.md
 */
export function jsonPathOf(location: string): FromGjson {
  const parts = partsOf(location);
  if (parts === undefined) return noEqual("modifiers, patterns, pipes and multipaths");
  const steps: string[] = [];
  let onlyFirst = false;
  for (const [at, part] of parts.entries()) {
    if (part === "#")
      return noEqual(at === parts.length - 1 ? "count of a list's elements" : "list of values as a number");
    const isFilter = part.startsWith("#(");
    const step = isFilter ? filterOf(part) : stepOf(part);
    if (step === undefined || (isFilter && onlyFirst)) return noEqual(`filter such as ${part}`);
    onlyFirst ||= isFilter;
    steps.push(step);
  }
  const path = `$${steps.join("")}`;
  return onlyFirst ? { path, onlyFirst } : { path };
}

/** Undefined: it uses what only gjson has. */
function partsOf(location: string): readonly string[] | undefined {
  if (location.startsWith("..")) return undefined;
  const part = /(?:#\((?:"(?:\\.|[^"\\])*"|[^()"])*\)|#(?=\.|$)|(?!#)(?:\\.|[^\\.|*?@![\](){}])*)/sy;
  const parts: string[] = [];
  for (;;) {
    const [found = ""] = part.exec(location) ?? [];
    parts.push(found);
    const end = part.lastIndex;
    if (end === location.length) return parts;
    if (location[end] !== ".") return undefined;
    part.lastIndex = end + 1;
  }
}

function stepOf(part: string): string {
  const name = JSON.stringify(unescaped(part));
  return /^\d{1,15}$/.test(part) ? `[${Number(part)},${name}]` : `[${name}]`;
}

function unescaped(name: string): string {
  return name.replace(/\\(.)/gs, "$1");
}

const comparison =
  /^#\(\s*((?:\\.|[\w\\ .-])*?)\s*(==|<=|>=|<|>)\s*("(?:\\.|[^"\\])*"|-?\d+(?:\.\d+)?|true|false)\s*\)$/s;

function filterOf(part: string): string | undefined {
  const [, name = "", operator = "", value = ""] = comparison.exec(part) ?? [];
  const names = operator === "" ? undefined : name === "" ? [] : partsOf(name);
  if (names === undefined || names.some((one) => one.startsWith("#"))) return undefined;
  return `[?@${names.map((one) => `[${JSON.stringify(unescaped(one))}]`).join("")}${operator}${value}]`;
}
