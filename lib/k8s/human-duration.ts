const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** As kubectl: "90s", "5m10s", "3h", "2d4h". */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return twoUnits(seconds, [MINUTE, "m"], [1, "s"]);
  if (seconds < 3 * HOUR) return oneUnit(seconds, MINUTE, "m");
  if (seconds < 8 * HOUR) return twoUnits(seconds, [HOUR, "h"], [MINUTE, "m"]);
  if (seconds < 2 * DAY) return oneUnit(seconds, HOUR, "h");
  if (seconds < 8 * DAY) return twoUnits(seconds, [DAY, "d"], [HOUR, "h"]);
  if (seconds < 2 * YEAR) return oneUnit(seconds, DAY, "d");
  if (seconds < 8 * YEAR) return twoUnits(seconds, [YEAR, "y"], [DAY, "d"]);
  return oneUnit(seconds, YEAR, "y");
}

/** `timestamp`: RFC 3339. */
export function ageOf(timestamp: string | undefined, now: number): string {
  const at = timestamp === undefined ? NaN : Date.parse(timestamp);
  return sinceText(Number.isNaN(at) ? undefined : at, now);
}

export function sinceText(at: number | undefined, now: number): string {
  return at === undefined ? "<unknown>" : humanDuration(now - at);
}

type Unit = readonly [seconds: number, name: string];

function oneUnit(seconds: number, unit: number, name: string): string {
  return `${Math.trunc(seconds / unit)}${name}`;
}

function twoUnits(seconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.trunc((seconds % large) / small);
  return oneUnit(seconds, large, largeName) + (rest === 0 ? "" : `${rest}${smallName}`);
}
