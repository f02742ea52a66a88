import { parseQuantity } from "../lib/k8s/quantity";

type Parsed = ReturnType<typeof parseQuantity>;

/** Undefined: no quantity. */
export function tryParse(text: string): Parsed | undefined {
  try {
    return parseQuantity(text);
  } catch {
    return undefined;
  }
}

/** Not rounded to an int64. */
export function milliValue(text: string): bigint | undefined {
  const parsed = tryParse(text);
  if (parsed === undefined) return undefined;
  const { unscaled, exponent } = parsed;
  const shift = exponent + 3;
  if (shift > 100) return unscaled * 10n ** 100n; // far beyond all that is asked of it
  return shift >= 0 ? unscaled * 10n ** BigInt(shift) : unscaled / 10n ** BigInt(Math.min(-shift, 100));
}
