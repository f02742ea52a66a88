import type { Case } from "./case";
import { milliValue, tryParse } from "./quantities";

/**
 * A row of docs/parity.md that generated cases meet. It explains a case if both answer the same without its cause:
 * `settle` rewrites upstream's answer, `without` the question.
 */
export interface Row {
  /** Its first words on the page. */
  readonly title: string;
  readonly settle?: (upstream: unknown) => unknown;
  readonly without?: (given: Case["given"]) => Case["given"];
}

const leastInt64 = -(2n ** 63n);
const averageOverNone = `${leastInt64}m`;
/** By itself, or as a sum of up to a thousand pods. */
const isBeyondInt64 = (text: string) => {
  const milli = milliValue(text);
  return milli !== undefined && (milli >= 2n ** 53n || milli <= -(2n ** 53n));
};

export const rows: readonly Row[] = [
  {
    title: "An average over zero running pods",
    settle: (upstream) =>
      mapKeyed(upstream, (key, text) => (key === "averageValue" && text === averageOverNone ? "0" : text)),
  },
  {
    title: "A quantity from 1000E on",
    without: (given) => mapKeyed(given, (_key, text) => ((milliValue(text) ?? 0n) >= 10n ** 24n ? "1" : text)),
  },
  {
    title: "A quantity beyond an int64 of thousandths",
    without: (given) => mapKeyed(given, (_key, text) => (isBeyondInt64(text) ? "1" : text)),
  },
  {
    title: "A float beyond an int32",
    // Documents are not synced, so nothing is divided.
    without: (given) =>
      mapKeyed(given, (_key, text) => (isLarge(text) || (isSynced(given) && milliValue(text) === 0n) ? "1" : text)),
  },
  {
    title: "A quantity below zero",
    without: (given) => mapKeyed(given, (_key, text) => (tryParse(text) !== undefined ? text.replace(/^-/, "") : text)),
  },
  {
    title: "A control character",
    // eslint-disable-next-line no-control-regex -- they are what this is about
    without: (given) => mapKeyed(given, (_key, text) => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "")),
  },
];

function isSynced(given: unknown): boolean {
  return typeof given === "object" && given !== null && ("scale" in given || "steps" in given);
}

/** Over a target of a thousandth, as many replicas as an int32 does not hold. So is anything over a target of zero. */
function isLarge(text: string): boolean {
  const milli = milliValue(text);
  return milli !== undefined && (milli >= 2n ** 31n || milli <= -(2n ** 31n));
}

function mapKeyed(value: unknown, change: (key: string, text: string) => string, key = ""): unknown {
  if (typeof value === "string") return change(key, value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapKeyed(item, change, key));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapKeyed(item, change, name)]));
}
