import type { Quantity } from "../hpa";
import { canonicalQuantity, parseQuantity, QuantityError } from "../quantity";
import { goQuote } from "../go-quote";
import { type Decoder, note } from "./decoder";

/** A quantity in the text in which the API server serves it again. */
export const quantity: Decoder<Quantity> = (value, place) => {
  if (typeof value !== "string" && typeof value !== "number") {
    note(place, value, 'a quantity, like "100m", "1Gi" or 5');
    return "0";
  }
  try {
    return canonicalQuantity(parseQuantity(value));
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    place.problems.push(`${place.path}: Invalid value: ${goQuote(String(value))}: ${error.message}`);
    return "0";
  }
};
