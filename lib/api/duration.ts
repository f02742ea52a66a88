/** A text that is no Go duration, with Go's message. */
export class DurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DurationError";
  }
}

/** Milliseconds in one unit. Both spellings of micro: U+00B5 and U+03BC. */
const units: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["\u00b5s", 1e-3],
  ["\u03bcs", 1e-3],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Go counts nanoseconds in an int64, about 292 years, and reads the digits before the point as one, too. */
const MAX_INT64 = 2 ** 63;
const MAX_MS = MAX_INT64 / 1e6;

const term = /([0-9]*)(?:\.([0-9]*))?([^0-9.]+)/y;

/**
 * Milliseconds of a Go duration: "30s", "1m0s", "1.5h", "-2s", "0". Throws DurationError with the text of Go's time.ParseDuration.
 */
export function parseDuration(text: string): number {
  const sign = text.startsWith("-") ? -1 : 1;
  const start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  if (text.slice(start) === "0") return 0;
  if (text.length === start) throw invalid(text);
  let total = 0;
  term.lastIndex = start;
  while (term.lastIndex < text.length) {
    const at = term.lastIndex;
    const [, whole = "", fraction = "", unit = ""] = term.exec(text) ?? missing(text, at);
    if ((whole === "" && fraction === "") || Number(whole) > MAX_INT64) throw invalid(text);
    total += Number(`${whole}.${fraction}`) * millisPer(unit, text);
    if (total > MAX_MS) throw invalid(text);
  }
  return sign * total;
}

/** Where no number with a unit stands: a number alone lacks its unit, anything else is no duration. */
function missing(text: string, at: number): never {
  const rest = text.slice(at);
  throw /^\.?[0-9]/.test(rest) && !(Number.parseInt(rest, 10) > MAX_INT64)
    ? new DurationError(`time: missing unit in duration ${quote(text)}`)
    : invalid(text);
}

function millisPer(unit: string, text: string): number {
  const millis = units.get(unit);
  if (millis !== undefined) return millis;
  throw new DurationError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
}

function invalid(text: string): DurationError {
  return new DurationError(`time: invalid duration ${quote(text)}`);
}

/** As Go's package time quotes, which is not %q: the bytes of what is not ASCII, and of control characters, in hex. */
function quote(text: string): string {
  return `"${Array.from(new TextEncoder().encode(text), quoteByte).join("")}"`;
}

function quoteByte(byte: number): string {
  if (byte >= 0x80 || byte < 0x20) return `\\x${byte.toString(16).padStart(2, "0")}`;
  const character = String.fromCharCode(byte);
  return character === '"' || character === "\\" ? `\\${character}` : character;
}
