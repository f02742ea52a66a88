import { binarySuffix, decimalSuffix, divideAwayFromZero, removeFactors, saturate, toInt64 } from "./decimal";
import { type ParsedQuantity, parseQuantity } from "./parse-quantity";

/** Quantity.String() after decoding. */
export function canonicalQuantity(quantity: ParsedQuantity): string {
  return quantity.text ?? formatQuantity(quantity);
}

/** resource.NewMilliQuantity(milli, format).String(): 1500 is "1500m". */
export function formatMilli(milli: bigint, format: "DecimalSI" | "BinarySI"): string {
  return formatQuantity({ unscaled: milli, exponent: -3, format });
}

function formatQuantity(quantity: ParsedQuantity): string {
  if (quantity.unscaled === 0n) return "0";
  const whole = quantity.format === "BinarySI" ? wholeForBinary(quantity) : undefined;
  return whole === undefined ? formatDecimal(quantity) : formatBinary(whole);
}

/** Undefined: below 1024 or with a fraction, which upstream prints in decimal. */
function wholeForBinary({ unscaled, exponent }: ParsedQuantity): bigint | undefined {
  const divisor = 10n ** BigInt(Math.max(0, -exponent));
  const whole = divideAwayFromZero(unscaled, divisor);
  if (whole * divisor !== unscaled) return undefined;
  const value = whole * 10n ** BigInt(Math.max(0, exponent));
  return value > -1024n && value < 1024n ? undefined : value;
}

function formatBinary(whole: bigint): string {
  const { rest, times } = removeFactors(whole, 1024n);
  return `${rest}${binarySuffix(times)}`;
}

/** Without a fraction: 110000 is "110k", 1.5 is "1500m". */
function formatDecimal({ unscaled, exponent, format }: ParsedQuantity): string {
  const { rest, times } = removeFactors(unscaled, 10n);
  const bare = exponent + times;
  const padding = ((bare % 3) + 3) % 3;
  return `${rest * 10n ** BigInt(padding)}${decimalSuffix(bare - padding, format)}`;
}

export function signOf({ unscaled }: ParsedQuantity): -1 | 0 | 1 {
  if (unscaled === 0n) return 0;
  return unscaled > 0n ? 1 : -1;
}

/** Rounds twice, as upstream's AsApproximateFloat64: 3 × 10^-1 is 0.30000000000000004, 300 × 10^-3 is 0.3. */
export function approximateFloat({ unscaled, exponent }: ParsedQuantity): number {
  const base = Number(unscaled);
  return exponent === 0 ? base : base * powerOfTen(exponent);
}

function powerOfTen(exponent: number): number {
  if (exponent < -323) return 0;
  if (exponent > 308) return Infinity;
  const coarse = Math.trunc(Math.abs(exponent) / 32) * 32;
  const fine = Number(`1e${Math.abs(exponent) % 32}`);
  return exponent < 0 ? Number(`1e-${coarse}`) / fine : Number(`1e${coarse}`) * fine;
}

/** Rounds away from zero, saturates. Upstream's MilliValue leaves overflow undefined (0 for 9e18). */
export function milliValue(quantity: ParsedQuantity): bigint {
  return toInt64(quantity.unscaled, quantity.exponent, -3);
}

const milliPerUnit: ReadonlyMap<string, bigint> = new Map([
  ["m", 1n],
  ["", 1000n],
  ["k", 1_000_000n],
  ["M", 1_000_000_000n],
  ["Ki", 1_024_000n],
  ["Mi", 1_048_576_000n],
  ["Gi", 1_073_741_824_000n],
]);

/** Metrics servers answer in nanocores. */
const unitsPerMilli: ReadonlyMap<string, number> = new Map([
  ["n", 1_000_000],
  ["u", 1000],
]);

const EXACT_DIGITS = 15;

/** With a fast path for common suffixes. @throws QuantityError */
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

/** Longer ones take long to calculate with. */
const maxCharacters = 256;

export function isQuantity(value: unknown): value is string | number {
  if (typeof value !== "number" && (typeof value !== "string" || value.length > maxCharacters)) return false;
  try {
    parseMilli(value);
    return true;
  } catch {
    return false;
  }
}
