import { FORMAT_WRONG, QuantityError } from "./quantity-error";

/** The parts of a quantity's text. `integer` has no leading zeros, yet is "0" rather than empty. */
export interface ScannedQuantity {
  readonly negative: boolean;
  readonly integer: string;
  readonly fraction: string;
  readonly suffix: string;
  /** Whether any digit was written at all: "Ki" alone is zero upstream, "e-10" alone an error. */
  readonly hasDigits: boolean;
}

const suffixLetters = "eEinumkKMGTP";

/** Splits by index, not by regular expression: adjacent runs of digits would make one backtrack. */
export function scanQuantity(text: string): ScannedQuantity {
  if (text === "") throw new QuantityError(FORMAT_WRONG);
  const start = text[0] === "-" || text[0] === "+" ? 1 : 0;
  const integerEnd = skipDigits(text, start);
  const hasPoint = text[integerEnd] === ".";
  const fractionEnd = hasPoint ? skipDigits(text, integerEnd + 1) : integerEnd;
  const suffix = text.slice(fractionEnd);
  if (!isSuffixShaped(suffix)) throw new QuantityError(FORMAT_WRONG);
  const fraction = hasPoint ? text.slice(integerEnd + 1, fractionEnd) : "";
  return {
    negative: text[0] === "-",
    integer: stripLeadingZeros(text.slice(start, integerEnd)),
    fraction,
    suffix,
    hasDigits: integerEnd > start || fraction !== "",
  };
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function stripLeadingZeros(digits: string): string {
  let at = 0;
  while (at < digits.length - 1 && digits[at] === "0") at += 1;
  return digits.slice(at) || "0";
}

function isSuffixShaped(suffix: string): boolean {
  let at = 0;
  while (at < suffix.length && suffixLetters.includes(suffix.charAt(at))) at += 1;
  if (suffix[at] === "-" || suffix[at] === "+") at += 1;
  return skipDigits(suffix, at) === suffix.length;
}
