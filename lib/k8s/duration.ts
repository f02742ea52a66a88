export class DurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DurationError";
  }
}

/** In nanoseconds. Micro is U+00B5 or U+03BC. */
const units: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1000],
  ["\u00b5s", 1000],
  ["\u03bcs", 1000],
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3600e9],
]);

/** Go's int64, about 292 years. Only a negative duration reaches 2^63. */
const LIMIT = 1n << 63n;

const term = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y;

/**
 * "30s", "1m0s", "1.5h", "-2s", "0". @returns milliseconds @throws DurationError with the text of Go's
 * time.ParseDuration
 */
export function parseDuration(text: string): number {
  const sign = text.startsWith("-") ? -1 : 1;
  const start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  if (text.slice(start) === "0") return 0;
  if (text.length === start) throw invalid(text);
  let total = 0n;
  term.lastIndex = start;
  while (term.lastIndex < text.length) {
    const [, whole = "", fraction, unit = ""] = term.exec(text) ?? [];
    // A uint64 wraps around.
    total = BigInt.asUintN(64, total + nanoseconds({ whole, fraction, unit }, text));
    if (total > LIMIT) throw invalid(text);
  }
  if (sign > 0 && total === LIMIT) throw invalid(text);
  return (sign * Number(total)) / 1e6;
}

interface Term {
  readonly whole: string;
  /** Undefined: no point. */
  readonly fraction: string | undefined;
  readonly unit: string;
}

/** Their order decides which mistake is reported. */
function nanoseconds({ whole, fraction, unit }: Term, text: string): bigint {
  if (whole === "" && fraction === undefined) throw invalid(text);
  const count = BigInt(whole);
  if (count > LIMIT || (whole === "" && fraction === "")) throw invalid(text);
  if (unit === "") throw new DurationError(`time: missing unit in duration ${quote(text)}`);
  const size = units.get(unit);
  if (size === undefined) throw new DurationError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
  const nanos = count * BigInt(size) + (fraction === undefined ? 0n : fractionOf(fraction, size));
  if (nanos > LIMIT) throw invalid(text);
  return nanos;
}

/** Drops digits beyond an int64, and parts of nanoseconds. */
function fractionOf(written: string, size: number): bigint {
  let digits = 0n;
  let scale = 1;
  for (const digit of written) {
    if (digits > (LIMIT - 1n) / 10n) break;
    const next = digits * 10n + BigInt(digit);
    if (next > LIMIT) break;
    digits = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(digits) * (size / scale)));
}

function invalid(text: string): DurationError {
  return new DurationError(`time: invalid duration ${quote(text)}`);
}

/** Unlike %q, control characters and bytes beyond ASCII are hex. */
function quote(text: string): string {
  return `"${Array.from(new TextEncoder().encode(text), quoteByte).join("")}"`;
}

function quoteByte(byte: number): string {
  if (byte >= 0x80 || byte < 0x20) return `\\x${byte.toString(16).padStart(2, "0")}`;
  const character = String.fromCharCode(byte);
  return character === '"' || character === "\\" ? `\\${character}` : character;
}
