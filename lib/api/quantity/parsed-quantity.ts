export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/**
 * A quantity as upstream's decoder leaves it: `unscaled × 10^exponent`, exact.
 * `text` is what was written, where upstream prints that again unchanged ("500e-3", "2.500"); without it a quantity is printed
 * in canonical form. The pair (unscaled, exponent) is upstream's own choice, because its float approximation depends on it:
 * "0.3" is 3 × 10^-1 and reads 0.30000000000000004, "300m" is 300 × 10^-3 and reads 0.3.
 */
export interface ParsedQuantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  readonly text?: string;
}
