import { divideAwayFromZero, removeFactors } from "./decimal";
import type { ParsedQuantity } from "./parsed-quantity";
import { binarySuffix, decimalSuffix } from "./suffix";

/** The text in which the API server serves a quantity again: Quantity.String() after decoding. */
export function canonicalQuantity(quantity: ParsedQuantity): string {
  return quantity.text ?? formatQuantity(quantity);
}

/** `milli` thousandths, as resource.NewMilliQuantity(milli, format).String() prints them: 1500 is "1500m", 2000 is "2". */
export function formatMilli(milli: bigint, format: "DecimalSI" | "BinarySI"): string {
  return formatQuantity({ unscaled: milli, exponent: -3, format });
}

function formatQuantity(quantity: ParsedQuantity): string {
  if (quantity.unscaled === 0n) return "0";
  const whole = quantity.format === "BinarySI" ? wholeForBinary(quantity) : undefined;
  return whole === undefined ? formatDecimal(quantity) : formatBinary(whole);
}

/** undefined: below 1024 or with a fraction, where upstream prints a BinarySI quantity as a decimal one. */
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

/** The largest suffix that leaves no fraction: 110000 is "110k", 1.5 is "1500m". */
function formatDecimal({ unscaled, exponent, format }: ParsedQuantity): string {
  const { rest, times } = removeFactors(unscaled, 10n);
  const bare = exponent + times;
  const padding = ((bare % 3) + 3) % 3;
  return `${rest * 10n ** BigInt(padding)}${decimalSuffix(bare - padding, format)}`;
}
