import { DurationError, InstantError, dayMs, parseDuration, parseInstant } from "../../../lib/k8s/time";
import { failure } from "../../shell/failure";

/** Ten years. */
const longestMs = 3650 * dayMs;

/**
 * For --until: RFC 3339, or this machine's clock: "18:00" (the next one), "tomorrow 08:00", "2026-03-01 18:00". In
 * epoch ms. @throws Failure, also for a past moment
 */
export function momentOf(text: string, now: number): number {
  const at = localMoment(text.trim(), now) ?? instant(text);
  if (at > now) return at;
  throw failure(`--until: expected a time in the future, got ${text}`);
}

/** For --for: "90s", "2h", "1h30m", "7d", "1d12h" from now. @throws Failure */
export function momentAfter(text: string, now: number): number {
  const expected = `--for: expected a duration such as 90s, 2h, 1h30m or 7d, got "${text}"`;
  const [, days = "0", rest = ""] = /^(?:(\d{1,4})d)?(.*)$/s.exec(text.trim()) ?? [];
  try {
    const duration = Number(days) * dayMs + (rest === "" && days !== "0" ? 0 : parseDuration(rest));
    if (duration > 0 && duration <= longestMs) return now + duration;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
  }
  throw failure(expected);
}

const clockToCome = /^(?:(tomorrow|\d{4}-\d\d-\d\d)[ T])?([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

function localMoment(text: string, now: number): number | undefined {
  const [matched, day, hour, minute, second = 0] = clockToCome.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const today = new Date(now);
  const at = (daysOn: number) =>
    new Date(
      today.getFullYear(),
      today.getMonth(),
      today.getDate() + daysOn,
      Number(hour),
      Number(minute),
      Number(second),
    ).getTime();
  if (day === undefined) return at(0) > now ? at(0) : at(1);
  if (day === "tomorrow") return at(1);
  // Refuses 30 February.
  parseDay(day, text);
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return new Date(year, month - 1, date, Number(hour), Number(minute), Number(second)).getTime();
}

function parseDay(day: string, text: string): void {
  try {
    parseInstant(`${day}T00:00:00Z`);
  } catch {
    throw notATime(text);
  }
}

function instant(text: string): number {
  try {
    return parseInstant(text);
  } catch (error) {
    if (error instanceof InstantError) throw notATime(text);
    throw error;
  }
}

function notATime(text: string) {
  return failure(`--until: expected a time such as 2026-03-01T18:00:00Z, 18:00 or "tomorrow 08:00", got "${text}"`);
}
