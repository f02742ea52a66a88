export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The last multiple of the period at or before `at`, counted from 1970. */
export function periodStart(at: EpochMs, periodMs: number): EpochMs {
  return Math.floor(at / periodMs) * periodMs;
}

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

/** Upstream has nanoseconds, but compares nothing finer. */
export type EpochMs = number;

export class InstantError extends Error {
  constructor(text: string) {
    super(`expected an RFC 3339 time such as 2026-03-01T12:00:00Z, got ${JSON.stringify(text)}`);
    this.name = "InstantError";
  }
}

/**
 * As metav1.Time; microseconds stay as a fraction. Like Go's time.Parse, accepts an hour of one digit, a comma before
 * the fraction, and offsets up to 24:60. @throws InstantError
 */
export function parseInstant(text: string): EpochMs {
  if (text === lastText) return lastAt;
  const at = dateOf(text) * DAY + timeOf(text);
  if (!(at >= FIRST && at < END)) throw new InstantError(text);
  lastText = text;
  lastAt = at;
  return at;
}

/** A pod's conditions mostly share one time. */
let lastText = "1970-01-01T00:00:00Z";

let lastAt: EpochMs = 0;

const DAY = 86_400_000;

const MINUTE = 60_000;

/** Outside the years 0 to 9999, which offsets can reach, there is no RFC 3339 text. */
const FIRST = Date.parse("0000-01-01T00:00:00Z");

const END = Date.parse("+010000-01-01T00:00:00Z");

/** Days since the epoch, or NaN. */
function dateOf(text: string): number {
  if (text[4] !== "-" || text[7] !== "-" || text[10] !== "T") return NaN;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return NaN;
  // Years begin in March, so that a leap day comes last. From 1 March 0000 to the epoch, there are 719468 days.
  const sinceMarch = (month + 9) % 12;
  const full = sinceMarch > 9 ? year - 1 : year;
  const leapDays = Math.floor(full / 4) - Math.floor(full / 100) + Math.floor(full / 400);
  return full * 365 + leapDays + Math.floor((153 * sinceMarch + 2) / 5) + day - 1 - 719_468;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Since the day began, without the offset, or NaN. */
function timeOf(text: string): number {
  const from = isDigit(text, 12) ? 11 : 10;
  const hour = from === 11 ? digits(text, 11, 2) : digits(text, 11, 1);
  const minute = digits(text, from + 3, 2);
  const second = digits(text, from + 6, 2);
  if (text[from + 2] !== ":" || text[from + 5] !== ":") return NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return NaN;
  const end = from + 8;
  const zone = endOfFraction(text, end);
  const nanoseconds = Number(text.slice(end + 1, Math.min(zone, end + 10)).padEnd(9, "0"));
  return (hour * 60 + minute) * MINUTE + second * 1000 + nanoseconds / 1e6 - offsetOf(text, zone);
}

/** A point or comma without a digit is no fraction. */
function endOfFraction(text: string, at: number): number {
  if ((text[at] !== "." && text[at] !== ",") || !isDigit(text, at + 1)) return at;
  let end = at + 1;
  while (isDigit(text, end)) end += 1;
  return end;
}

/** "Z" or "+01:00", or NaN. */
function offsetOf(text: string, at: number): number {
  if (text[at] === "Z") return text.length === at + 1 ? 0 : NaN;
  const sign = text[at] === "+" ? 1 : text[at] === "-" ? -1 : NaN;
  const hours = digits(text, at + 1, 2);
  const minutes = digits(text, at + 4, 2);
  if (text[at + 3] !== ":" || text.length !== at + 6 || !(hours <= 24 && minutes <= 60)) return NaN;
  return sign * (hours * 60 + minutes) * MINUTE;
}

/** Or NaN. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index += 1) {
    if (!isDigit(text, index)) return NaN;
    value = value * 10 + text.charCodeAt(index) - 48;
  }
  return value;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** 12:00:00.9 is "…T12:00:00Z". */
export function formatSeconds(at: EpochMs): string {
  return `${textOfSecond(Math.floor(at / 1000))}Z`;
}

/** Reads back as the same instant. */
export function formatInstant(at: EpochMs): string {
  const whole = Math.floor(at);
  const second = Math.floor(whole / 1000);
  const millis = String(whole - second * 1000).padStart(3, "0");
  const nanos = whole === at ? "" : (at - whole).toFixed(6).slice(2);
  return `${textOfSecond(second)}.${millis}${nanos}Z`;
}

/** A decision prints few seconds, many times. */
const recentSeconds = new Map<number, string>();

const mostSeconds = 64;

function textOfSecond(second: number): string {
  const known = recentSeconds.get(second);
  if (known !== undefined) return known;
  const text = new Date(second * 1000).toISOString().slice(0, -5);
  if (recentSeconds.size >= mostSeconds) recentSeconds.clear();
  recentSeconds.set(second, text);
  return text;
}
