import { saturate, toInt64 } from "./decimal";
import { parseQuantity } from "./parse-quantity";
import type { ParsedQuantity } from "./parsed-quantity";

/**
 * Thousandths, rounded away from zero (1n is 1m), saturated at int64. Upstream's MilliValue leaves overflow undefined (1.36
 * answers 0 for 9e18); a bound is what keeps every comparison the right way round.
 */
export function milliValue(quantity: ParsedQuantity): bigint {
  return toInt64(quantity.unscaled, quantity.exponent, -3);
}

/** How many thousandths one unit of a suffix is, for the suffixes that are whole thousandths. */
const milliPerUnit: ReadonlyMap<string, bigint> = new Map([
  ["m", 1n],
  ["", 1000n],
  ["k", 1_000_000n],
  ["M", 1_000_000_000n],
  ["Ki", 1_024_000n],
  ["Mi", 1_048_576_000n],
  ["Gi", 1_073_741_824_000n],
]);

/** How many units of a suffix one thousandth is. Nanocores are what metrics servers answer with. */
const unitsPerMilli: ReadonlyMap<string, number> = new Map([
  ["n", 1_000_000],
  ["u", 1000],
]);

/** Up to 15 digits a JavaScript number is exact. */
const EXACT_DIGITS = 15;

/**
 * milliValue(parseQuantity(written)), quicker for what metrics APIs send: whole numbers with a common suffix.
 * Throws QuantityError.
 */
export function parseMilli(written: string | number): bigint {
  if (typeof written === "number") {
    return Number.isSafeInteger(written) ? toInt64(BigInt(written), 0, -3) : milliValue(parseQuantity(written));
  }
  let digits = 0;
  while (digits < EXACT_DIGITS && isDigit(written.charCodeAt(digits))) digits += 1;
  if (digits === 0) return milliValue(parseQuantity(written));
  const suffix = written.slice(digits);
  const value = Number(written.slice(0, digits));
  const unit = milliPerUnit.get(suffix);
  if (unit !== undefined) return saturate(BigInt(value) * unit);
  const parts = unitsPerMilli.get(suffix);
  if (parts === undefined) return milliValue(parseQuantity(written));
  const rest = value % parts;
  return BigInt((value - rest) / parts + (rest > 0 ? 1 : 0));
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
