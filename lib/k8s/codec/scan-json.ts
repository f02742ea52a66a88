interface Level {
  readonly path: string;
  /** Undefined: a list. */
  readonly names: Set<string> | undefined;
  index: number;
}

/** By path ("spec.maxReplicas"), what JSON.parse forgets. */
export interface ScannedJson {
  /** Fields that are given more than once, in order. */
  readonly duplicates: readonly string[];
  /** Numbers that JavaScript spells differently: 1e30, 2.860. */
  readonly numbers: ReadonlyMap<string, string>;
  /** The last text of `kind` and `apiVersion`: as in Go, a later null leaves it as it is. */
  readonly names: ReadonlyMap<string, string>;
}

const numberToken = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/** Deeper paths than a quantity's, also in a list of HPAs, take long. */
const DEEPEST = 12;

/** `json` must be valid. */
export function scanJson(json: string): ScannedJson {
  const found = new Set<string>();
  const numbers = new Map<string, string>();
  const names = new Map<string, string>();
  const levels: Level[] = [];
  let path = "";
  let isName = false;
  for (let at = 0; at < json.length; at += 1) {
    const level = levels.at(-1);
    switch (json.charAt(at)) {
      case "{":
        levels.push({ path, names: new Set(), index: 0 });
        isName = true;
        break;
      case "[":
        levels.push({ path, names: undefined, index: 0 });
        path += "[0]";
        break;
      case "}":
      case "]":
        levels.pop();
        isName = false;
        break;
      case ",":
        isName = level?.names !== undefined;
        if (level?.names === undefined) path = nextItem(level);
        break;
      case '"': {
        const end = endOfString(json, at);
        if (isName && level?.names !== undefined) {
          const name = JSON.parse(json.slice(at, end + 1)) as string;
          path = level.path === "" ? name : `${level.path}.${name}`;
          if (level.names.has(name)) found.add(path);
          level.names.add(name);
          isName = false;
        } else if (levels.length === 1 && (path === "kind" || path === "apiVersion")) {
          names.set(path, JSON.parse(json.slice(at, end + 1)) as string);
        }
        at = end;
        break;
      }
      default: {
        numberToken.lastIndex = at;
        const number = numberToken.exec(json)?.[0];
        if (number === undefined) break;
        if (levels.length <= DEEPEST && String(Number(number)) !== number) numbers.set(path, number);
        at += number.length - 1;
      }
    }
  }
  return { duplicates: [...found], numbers, names };
}

function nextItem(list: Level | undefined): string {
  if (list === undefined) return "";
  list.index += 1;
  return `${list.path}[${list.index}]`;
}

/** A quote after an odd number of backslashes is part of it. */
function endOfString(json: string, at: number): number {
  let end = at;
  do end = json.indexOf('"', end + 1);
  while (end !== -1 && isEscaped(json, end));
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let from = at;
  while (json[from - 1] === "\\") from -= 1;
  return (at - from) % 2 === 1;
}
