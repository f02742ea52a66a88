import { Fault } from "../../model/fault";
import type { FoundValue } from "../network/as-reading";
import { badParameter } from "../parameters";
import { quantityOf } from "../quantity-of";

/** The sample may have more labels. */
export interface PathSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
const line =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[^"}]|"(?:\\.|[^"\\])*")*)\})?[ \t]+(\S+)(?:[ \t]+\S+)?(?:[ \t]+#.*)?$/;
const label = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:\\.|[^"\\])*)"\s*(,|$)/y;

/**
 * `queue_depth{queue="orders"}`
 * @throws Fault "badEntry".
 */
export function parseSample(text: string): PathSample {
  const [, name = "", inner = ""] = /^([^{]+)(?:\{(.*)\})?$/s.exec(text) ?? [];
  const labels = parseLabels(inner);
  if (labels === undefined) throw badParameter("metric", 'labels such as {queue="orders",state="ready"}', text);
  return { name, labels };
}

/** Undefined: these are no labels. */
function parseLabels(text: string): Readonly<Record<string, string>> | undefined {
  const labels: Record<string, string> = {};
  for (label.lastIndex = 0; label.lastIndex < text.length;) {
    if (text.slice(label.lastIndex).trim() === "") return labels;
    const [, name, value] = label.exec(text) ?? [];
    if (name === undefined || value === undefined) return undefined;
    labels[name] = value.replace(/\\(.)/g, (_whole, char: string) => (char === "n" ? "\n" : char));
  }
  return labels;
}

/** @throws Fault "badAnswer" for a value that is no finite number. */
export function samplesIn(body: Buffer, { name, labels }: PathSample): readonly FoundValue[] {
  const wanted = Object.entries(labels);
  return body
    .toString("utf8")
    .split("\n")
    .flatMap((text) => {
      if (!text.startsWith(name)) return [];
      const [, found, inner = "", value = "NaN"] = line.exec(text.trimEnd()) ?? [];
      if (found === undefined && !/^[\w:]/.test(text.slice(name.length))) throw notUnderstood(name, "without a value");
      if (found !== name) return [];
      const has = parseLabels(inner);
      if (has === undefined) throw notUnderstood(name, "with other labels");
      if (!wanted.every(([key, expected]) => Object.hasOwn(has, key) && has[key] === expected)) return [];
      const number = Number(value);
      if (!Number.isFinite(number))
        throw new Fault("badAnswer", `expected a finite number for ${name}, got ${value.slice(0, 40)}`);
      return [{ value: quantityOf(number), labels: has }];
    });
}

function notUnderstood(name: string, what: string): Fault {
  return new Fault("badAnswer", `expected samples in Prometheus text format, got a line of ${name} ${what}`);
}
