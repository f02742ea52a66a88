import { type EpochMs, InstantError, parseInstant } from "../../../lib/k8s/time";

/** The text is not a moment. */
export class MomentError extends Error {
  constructor(text: string) {
    super(
      `expected a time such as 03:00, "2026-03-01 03:00", 2026-03-01T03:00:00Z or 2h (ago), got ${JSON.stringify(text)}`,
    );
    this.name = "MomentError";
  }
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const pastClock = /^(?:(\d{4})-(\d\d)-(\d\d)[ T])?([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/**
 * A moment of the past: a clock time (its latest occurrence), a day and a clock time, a duration ago ("90s", "2h30m",
 * "1d"), or RFC 3339. Clocks and days are this machine's. @throws MomentError
 */
export function pastMoment(text: string, now: EpochMs): EpochMs {
  const ago = millisecondsOf(text);
  if (ago !== undefined) return now - ago;
  const match = pastClock.exec(text);
  if (match !== null) return clockTime(match, text, now);
  try {
    return parseInstant(text);
  } catch (error) {
    if (error instanceof InstantError) throw new MomentError(text);
    throw error;
  }
}

/** "2h30m" in milliseconds; undefined for any other text. */
function millisecondsOf(text: string): number | undefined {
  if (!/^(\d+[smhd])+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0),
    0,
  );
}

function clockTime(
  [, year, month, day, hours, minutes, seconds = "0"]: RegExpExecArray,
  text: string,
  now: EpochMs,
): EpochMs {
  const at = new Date(now);
  if (year !== undefined) at.setFullYear(Number(year), Number(month) - 1, Number(day));
  if (year !== undefined && at.getDate() !== Number(day)) throw new MomentError(text);
  at.setHours(Number(hours), Number(minutes), Number(seconds), 0);
  if (year === undefined && at.getTime() > now) at.setDate(at.getDate() - 1);
  return at.getTime();
}
