/** Exact, without the billion digits that an exponent of a billion needs. */

export const MAX_INT64 = (1n << 63n) - 1n;
export const MIN_INT64 = -(1n << 63n);

export function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

export function saturate(value: bigint): bigint {
  if (value > MAX_INT64) return MAX_INT64;
  return value < MIN_INT64 ? MIN_INT64 : value;
}

/** 1 / 1000 is 1, -1 / 1000 is -1. */
export function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (quotient * divisor === value) return quotient;
  return value > 0n ? quotient + 1n : quotient - 1n;
}

/** Decimal digits of |value|; 1 for zero. */
export function digitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

/** In units of 10^unit. Rounds away from zero, saturates. */
export function toInt64(unscaled: bigint, exponent: number, unit: number): bigint {
  if (unscaled === 0n) return 0n;
  const shift = exponent - unit;
  const sign = unscaled > 0n ? 1n : -1n;
  if (shift >= 0) {
    if (shift > 19) return saturate(sign * (MAX_INT64 + 2n));
    return saturate(unscaled * 10n ** BigInt(shift));
  }
  if (-shift >= digitsOf(unscaled)) return sign;
  return saturate(divideAwayFromZero(unscaled, 10n ** BigInt(-shift)));
}

export function removeFactors(value: bigint, factor: bigint): { readonly rest: bigint; readonly times: number } {
  let rest = value;
  let times = 0;
  while (rest !== 0n && rest % factor === 0n) {
    rest /= factor;
    times += 1;
  }
  return { rest, times };
}

export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

export interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimal: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);

const binary: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const decimalByExponent: ReadonlyMap<number, string> = new Map([...decimal].map(([suffix, power]) => [power, suffix]));

/** Undefined: not a suffix. */
export function readSuffix(suffix: string): Suffix | undefined {
  const power = decimal.get(suffix);
  if (power !== undefined) return { base: 10, exponent: power, format: "DecimalSI" };
  const kilos = binary.indexOf(suffix);
  if (kilos > 0) return { base: 2, exponent: kilos * 10, format: "BinarySI" };
  return readExponent(suffix);
}

/** "e3", "E-3": upstream reads an int64 and keeps its low 32 bits. */
function readExponent(suffix: string): Suffix | undefined {
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) return undefined;
  const power = BigInt(suffix.slice(suffix[1] === "+" ? 2 : 1));
  if (BigInt.asIntN(64, power) !== power) return undefined;
  return { base: 10, exponent: Number(BigInt.asIntN(32, power)), format: "DecimalExponent" };
}

/**
 * `exponent`: a multiple of three. Above E (10^18), it is written out. Upstream drops it: 1000E reads back as 1.
 */
export function decimalSuffix(exponent: number, format: QuantityFormat): string {
  const suffix = format === "DecimalExponent" ? undefined : decimalByExponent.get(exponent);
  return suffix ?? (exponent === 0 ? "" : `e${exponent}`);
}

/** `kilos`: a power of 1024. */
export function binarySuffix(kilos: number): string {
  return binary[kilos] ?? "";
}
