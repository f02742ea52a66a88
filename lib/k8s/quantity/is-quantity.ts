import { parseMilli } from "./format-quantity";

/** Longer ones have no meaning, and take long to calculate with. */
const maxCharacters = 256;

/** Whether a value from outside can be calculated with. */
export function isQuantity(value: unknown): value is string | number {
  if (typeof value !== "number" && (typeof value !== "string" || value.length > maxCharacters)) return false;
  try {
    parseMilli(value);
    return true;
  } catch {
    return false;
  }
}
