import type { QuantityFormat } from "./parsed-quantity";

/** A suffix stands for base^exponent. */
export interface Scale {
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

/** undefined: not a suffix. */
export function readSuffix(suffix: string): Scale | undefined {
  const power = decimal.get(suffix);
  if (power !== undefined) return { base: 10, exponent: power, format: "DecimalSI" };
  const kilos = binary.indexOf(suffix);
  if (kilos > 0) return { base: 2, exponent: kilos * 10, format: "BinarySI" };
  return readExponent(suffix);
}

/** "e3", "E-3": upstream reads an int64 and keeps its low 32 bits. */
function readExponent(suffix: string): Scale | undefined {
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) return undefined;
  const power = BigInt(suffix.slice(suffix[1] === "+" ? 2 : 1));
  if (BigInt.asIntN(64, power) !== power) return undefined;
  return { base: 10, exponent: Number(BigInt.asIntN(32, power)), format: "DecimalExponent" };
}

/**
 * `exponent` is a power of ten and a multiple of three. DecimalSI ends at E (10^18): above it the exponent is written out, as
 * upstream does since 1.37; 1.36 drops it there, so that 1000E reads back as 1.
 */
export function decimalSuffix(exponent: number, format: QuantityFormat): string {
  const suffix = format === "DecimalExponent" ? undefined : decimalByExponent.get(exponent);
  return suffix ?? (exponent === 0 ? "" : `e${exponent}`);
}

/** `kilos` is a power of 1024. */
export function binarySuffix(kilos: number): string {
  return binary[kilos] ?? "";
}
