import { goJson } from "../../../lib/k8s/go-text";
import { escapeJson, type TerminalSize } from "../../../lib/k8s/escape-terminal";

const STEP = "    ";

/** Like `kubectl get -o json`. A JavaScript object always has keys like "10" first. */
export function toJson(value: unknown, screen: TerminalSize = {}): string {
  return `${escapeJson(write(value, ""), screen)}\n`;
}

function write(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return value === undefined ? "null" : goJson(value);
  const inner = indent + STEP;
  const items = Array.isArray(value)
    ? value.map((item) => write(item, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .sort(([a], [b]) => compareText(a, b))
        .map(([key, item]) => `${goJson(key)}: ${write(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
}

/** By code points, the order of UTF-8 bytes. */
function compareText(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}
