/** A text that is no quantity, with upstream's words (apimachinery pkg/api/resource: ErrFormatWrong, ErrNumeric, ErrSuffix). */
export class QuantityError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "QuantityError";
  }
}

export const FORMAT_WRONG =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
export const NUMERIC_WRONG = "unable to parse numeric part of quantity";
export const SUFFIX_WRONG = "unable to parse quantity's suffix";
