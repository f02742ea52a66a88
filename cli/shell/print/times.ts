import { humanDuration } from "../../../lib/k8s/human-duration";
import type { EpochMs } from "../../../lib/k8s/time";

export interface Times {
  readonly now: EpochMs;
  /** "12:05:30 CET"; with its day if that is not today. */
  moment(at: EpochMs): string;
  /** "12:05:30 CET (in 2m10s)", "12:03:15 CET (12s ago)". */
  near(at: EpochMs): string;
}

/** With the zone, for readers in other zones. */
const clockWithZone = {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
} as const;

export function localTimes(now: EpochMs, timeZone?: string): Times {
  const zone = timeZone === undefined ? {} : { timeZone };
  const clock = new Intl.DateTimeFormat("en-GB", { ...zone, ...clockWithZone });
  const day = new Intl.DateTimeFormat("en-GB", { ...zone, day: "numeric", month: "short" });
  const year = new Intl.DateTimeFormat("en-GB", { ...zone, day: "numeric", month: "short", year: "numeric" });
  const moment = (at: EpochMs) => {
    if (day.format(at) === day.format(now) && year.format(at) === year.format(now)) return clock.format(at);
    return `${(sameYear(year, at, now) ? day : year).format(at)} ${clock.format(at)}`;
  };
  return { now, moment, near: (at) => `${moment(at)} (${relative(at, now)})` };
}

export function utcTimes(now: EpochMs): Times {
  const moment = (at: EpochMs) => new Date(at).toISOString();
  return { now, moment, near: moment };
}

function sameYear(format: Intl.DateTimeFormat, a: EpochMs, b: EpochMs): boolean {
  const yearOf = (at: EpochMs) => format.formatToParts(at).find(({ type }) => type === "year")?.value;
  return yearOf(a) === yearOf(b);
}

function relative(at: EpochMs, now: EpochMs): string {
  if (Math.abs(at - now) < 1000) return "now";
  return at > now ? `in ${humanDuration(at - now)}` : `${humanDuration(now - at)} ago`;
}
