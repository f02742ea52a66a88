/** resource.Quantity: a fixed-point number with a suffix ("100m", "1Gi", "5e-2"), read, compared and printed as upstream does. */
export { approximateFloat, signOf } from "./quantity/approximate";
export { canonicalQuantity, formatMilli } from "./quantity/format-quantity";
export { milliValue, parseMilli } from "./quantity/milli";
export { parseQuantity } from "./quantity/parse-quantity";
export type { ParsedQuantity, QuantityFormat } from "./quantity/parsed-quantity";
export { QuantityError } from "./quantity/quantity-error";
