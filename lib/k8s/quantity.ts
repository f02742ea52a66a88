export { MAX_INT64 } from "./quantity/decimal";
export type { QuantityFormat } from "./quantity/decimal";
export { approximateFloat, signOf } from "./quantity/format-quantity";
export { canonicalQuantity, formatMilli } from "./quantity/format-quantity";
export { isQuantity, milliValue, parseMilli } from "./quantity/format-quantity";
export { parseQuantity } from "./quantity/parse-quantity";
export type { ParsedQuantity } from "./quantity/parse-quantity";
export { QuantityError } from "./quantity/parse-quantity";
