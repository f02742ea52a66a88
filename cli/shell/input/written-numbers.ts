import { isMap, isScalar, isSeq } from "yaml";
import { scanJson, type ScannedJson } from "../../../lib/k8s/codec/scan-json";

/** By path ("spec.maxReplicas"), as they were written. */
type Numbers = ReadonlyMap<string, string>;

/** The API server reads JSON's numbers as they are written. Undefined: the text is no JSON. */
export function writtenInJson(text: string): ScannedJson | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return scanJson(text);
}

/**
 * YAML's numbers become floats, which Go and JavaScript spell alike: 2.860 is 2.86. Go keeps an integer of 64 bits, and
 * the text of what no float holds.
 */
export function largeNumbers(root: unknown): Numbers {
  const found = new Map<string, string>();
  collect(root, "", found);
  return found;
}

function collect(node: unknown, path: string, found: Map<string, string>): void {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : "";
      collect(value, path === "" ? name : `${path}.${name}`, found);
    }
  } else if (isSeq(node)) for (const [index, item] of node.items.entries()) collect(item, `${path}[${index}]`, found);
  else if (isScalar(node) && typeof node.value === "number") {
    const exact = exactText(node.value, node.source);
    if (exact !== undefined) found.set(path, exact);
  }
}

const smallest = -(1n << 63n);
const largest = (1n << 64n) - 1n;

function exactText(value: number, source = ""): string | undefined {
  if (!Number.isFinite(value)) return /\d/.test(source) ? source : undefined;
  if (Number.isSafeInteger(value) || !/^[-+]?\d{1,20}$/.test(source)) return undefined;
  const whole = BigInt(source.replace("+", ""));
  return whole >= smallest && whole <= largest ? String(whole) : undefined;
}

/** Those of a part. */
export function below(prefix: string, numbers: Numbers): Numbers {
  return new Map(
    [...numbers].flatMap(([path, text]) => (path.startsWith(prefix) ? [[path.slice(prefix.length), text]] : [])),
  );
}
