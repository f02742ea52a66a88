/** Exact arithmetic on `unscaled × 10^exponent`, with guards: an exponent of a billion must not build a number of a billion digits. */

export const MAX_INT64 = (1n << 63n) - 1n;
export const MIN_INT64 = -(1n << 63n);

export function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

export function saturate(value: bigint): bigint {
  if (value > MAX_INT64) return MAX_INT64;
  return value < MIN_INT64 ? MIN_INT64 : value;
}

/** Rounds away from zero: 1 / 1000 is 1, -1 / 1000 is -1. */
export function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (quotient * divisor === value) return quotient;
  return value > 0n ? quotient + 1n : quotient - 1n;
}

/** The number of decimal digits of |value|; 1 for zero. */
export function digitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

/** `unscaled × 10^exponent` in units of 10^unit, rounded away from zero, saturated at int64. */
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

/** Moves factors of `factor` out of a value other than zero. */
export function removeFactors(value: bigint, factor: bigint): { readonly rest: bigint; readonly times: number } {
  let rest = value;
  let times = 0;
  while (rest !== 0n && rest % factor === 0n) {
    rest /= factor;
    times += 1;
  }
  return { rest, times };
}
