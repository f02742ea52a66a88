import {
  MAX_INT64,
  type QuantityFormat,
  type Suffix,
  digitsOf,
  divideAwayFromZero,
  fitsInt64,
  readSuffix,
} from "./decimal";

/** Upstream: ErrFormatWrong, ErrNumeric, ErrSuffix in apimachinery pkg/api/resource. */
export class QuantityError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "QuantityError";
  }
}

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMERIC_WRONG = "unable to parse numeric part of quantity";
const SUFFIX_WRONG = "unable to parse quantity's suffix";

/**
 * `unscaled × 10^exponent`, the pair being upstream's, since it decides the approximate float: "0.3" reads
 * 0.30000000000000004, "300m" reads 0.3. `text`: if upstream prints it as written ("500e-3", "2.500").
 */
export interface ParsedQuantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  readonly text?: string;
}

interface ScannedQuantity {
  readonly negative: boolean;
  readonly integer: string;
  readonly fraction: string;
  readonly suffix: string;
  /** "Ki" alone is zero, "e-10" alone is refused. */
  readonly hasDigits: boolean;
}

const suffixLetters = "eEinumkKMGTP";

/** A regular expression would backtrack over adjacent digits. */
function scanQuantity(text: string): ScannedQuantity {
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

const NANO = -9;

/** Larger values exceed any bound in any unit. */
const EXPANDED = 1000;

/** Upstream: ParseQuantity, apimachinery pkg/api/resource/quantity.go. @throws QuantityError */
export function parseQuantity(written: string | number): ParsedQuantity {
  const text = withoutSpaces(String(written));
  const scanned = scanQuantity(text);
  const scale = readSuffix(scanned.suffix);
  if (scale === undefined) throw new QuantityError(SUFFIX_WRONG);
  return readSmall(text, scanned, scale) ?? readLarge(scanned, scale);
}

/** Not tabs and line breaks. */
function withoutSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === " ") start += 1;
  while (end > start && text[end - 1] === " ") end -= 1;
  return text.slice(start, end);
}

/** Undefined: more than 18 digits. */
function readSmall(text: string, scanned: ScannedQuantity, scale: Suffix): ParsedQuantity | undefined {
  const { integer, fraction, negative } = scanned;
  if (significantRoom(scanned, scale) < 0) return undefined;
  const exponent = (scale.base === 10 ? scale.exponent : 0) - fraction.length;
  if (exponent < NANO) return undefined;
  const digits = integer + fraction;
  const written = BigInt(digits);
  const value = scale.base === 10 ? written : written << BigInt(scale.exponent);
  if (!fitsInt64(value)) return undefined;
  const quantity = { unscaled: negative ? -value : value, exponent, format: scale.format };
  return isPrintedAsWritten(digits, written, quantity) ? { ...quantity, text } : quantity;
}

/** Spare digits in upstream's int64 path; negative: none. */
function significantRoom({ integer, fraction }: ScannedQuantity, { base, exponent }: Suffix): number {
  if (base === 10) return 18 - integer.length - fraction.length;
  return fraction === "" ? 15 - integer.length - Math.trunc((exponent * 3) / 10) - 1 : -1;
}

/** Upstream's quick test also passes "2.500" and "+1". */
function isPrintedAsWritten(digits: string, written: bigint, quantity: { exponent: number; format: QuantityFormat }) {
  if (quantity.format === "BinarySI") return (written & 7n) !== 0n;
  return quantity.exponent % 3 === 0 && !digits.endsWith("000") && digits[0] !== "0";
}

/** Rounds away from zero to nano. BinarySI is capped at int64, and decimal below one. */
function readLarge(scanned: ScannedQuantity, scale: Suffix): ParsedQuantity {
  if (!scanned.hasDigits) throw new QuantityError(NUMERIC_WRONG);
  const digits = BigInt(scanned.integer + scanned.fraction);
  const amount = scale.base === 10 ? digits : digits << BigInt(scale.exponent);
  const exponent = (scale.base === 10 ? scale.exponent : 0) - scanned.fraction.length;
  const nano = inNano(amount, exponent);
  const sign = scanned.negative ? -1n : 1n;
  if (nano === undefined) return { unscaled: sign * amount, exponent, format: scale.format };
  if (scale.format !== "BinarySI") return { unscaled: sign * nano, exponent: NANO, format: scale.format };
  if (nano > MAX_INT64 * 10n ** 9n) return { unscaled: sign * MAX_INT64, exponent: 0, format: "BinarySI" };
  return { unscaled: sign * nano, exponent: NANO, format: nano > 0n && nano < 10n ** 9n ? "DecimalSI" : "BinarySI" };
}

function inNano(amount: bigint, exponent: number): bigint | undefined {
  const shift = exponent - NANO;
  if (shift > EXPANDED) return undefined;
  if (shift >= 0) return amount * 10n ** BigInt(shift);
  if (-shift >= digitsOf(amount)) return amount === 0n ? 0n : 1n;
  return divideAwayFromZero(amount, 10n ** BigInt(-shift));
}
