/**
 * Milliseconds since the epoch. Upstream's clock has nanoseconds, but it compares nothing finer than what a caller
 * gives here.
 */
export type EpochMs = number;

/** A text that is not a Go duration, with Go's message. */
export class DurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DurationError";
  }
}

/** Milliseconds in one unit, with both spellings of micro: U+00B5 and U+03BC. */
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

/** Go counts nanoseconds in an int64, about 292 years, and also reads the digits before the point as an int64. */
const MAX_INT64 = 2 ** 63;
const MAX_MS = MAX_INT64 / 1e6;

const term = /([0-9]*)(?:\.([0-9]*))?([^0-9.]+)/y;

/**
 * Milliseconds of a Go duration: "30s", "1m0s", "1.5h", "-2s", "0". Throws DurationError with the text of Go's
 * time.ParseDuration.
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

/** A number with a unit belongs here. A bare number lacks its unit; anything else is not a duration. */
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

/** Go's package time quotes unlike %q: bytes of control characters and of anything beyond ASCII are in hex. */
function quote(text: string): string {
  return `"${Array.from(new TextEncoder().encode(text), quoteByte).join("")}"`;
}

function quoteByte(byte: number): string {
  if (byte >= 0x80 || byte < 0x20) return `\\x${byte.toString(16).padStart(2, "0")}`;
  const character = String.fromCharCode(byte);
  return character === '"' || character === "\\" ? `\\${character}` : character;
}

/** A text that is not an RFC 3339 time. */
export class InstantError extends Error {
  constructor(text: string) {
    super(`expected an RFC 3339 time such as 2026-03-01T12:00:00Z, got ${JSON.stringify(text)}`);
    this.name = "InstantError";
  }
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Milliseconds since the epoch of an RFC 3339 time, as metav1.Time reads it. Digits beyond the millisecond stay as a
 * fraction, because metrics carry microseconds. Throws InstantError.
 */
export function parseInstant(text: string): number {
  const match = rfc3339.exec(text);
  const at = Date.parse(text);
  if (match === null || Number.isNaN(at) || !isDay(match)) throw new InstantError(text);
  const fraction = match[4] ?? "";
  return fraction.length > 3 ? at + Number(`0.${fraction.slice(3)}`) : at;
}

/** Date.parse reads 30 February as 2 March, and 24:00 as the next day's start. Go refuses both. */
function isDay([, year, month, day]: RegExpExecArray): boolean {
  // The calendar repeats every 400 years. Date.UTC reads the years 0 to 99 as 1900 to 1999, so this asks for a later
  // year.
  return (
    Number(day) <= 28 || Number(day) <= new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate()
  );
}

/** Whole seconds in UTC, the precision of metav1.Time: 12:00:00.9 is "…T12:00:00Z". */
export function formatSeconds(at: number): string {
  return `${new Date(Math.floor(at / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** UTC with all digits that parseInstant keeps: it reads back as the same instant. */
export function formatInstant(at: number): string {
  const whole = Math.floor(at);
  const text = new Date(whole).toISOString();
  if (whole === at) return text;
  return `${text.slice(0, -1)}${(at - whole).toFixed(6).slice(2)}Z`;
}
