import type { ParsedQuantity } from "./parsed-quantity";

/** -1, 0 or 1. */
export function signOf({ unscaled }: ParsedQuantity): -1 | 0 | 1 {
  if (unscaled === 0n) return 0;
  return unscaled > 0n ? 1 : -1;
}

/**
 * The double nearest to the unscaled number, times the double 10^exponent: two roundings, like upstream's AsApproximateFloat64.
 * 3 × 10^-1 is 0.30000000000000004, 300 × 10^-3 is 0.3; a tolerance compares by this very number.
 */
export function approximateFloat({ unscaled, exponent }: ParsedQuantity): number {
  const base = Number(unscaled);
  return exponent === 0 ? base : base * powerOfTen(exponent);
}

/** Go's math.Pow10, which multiplies or divides two table entries. */
function powerOfTen(exponent: number): number {
  if (exponent < -323) return 0;
  if (exponent > 308) return Infinity;
  const coarse = Math.trunc(Math.abs(exponent) / 32) * 32;
  const fine = Number(`1e${Math.abs(exponent) % 32}`);
  return exponent < 0 ? Number(`1e-${coarse}`) / fine : Number(`1e${coarse}`) * fine;
}
