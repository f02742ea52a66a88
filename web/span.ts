import { escapeLine } from "../lib/read/page/words";

/** The time that charts show, in equal parts. */
export interface Span {
  readonly since: number;
  readonly until: number;
  readonly known: number;
  readonly parts: number;
  readonly width: number;
}

export function spanOf({ since, until, known, parts }: Omit<Span, "width">): Span {
  return { since, until, known, parts, width: (until - since) / parts };
}

export const presets = ["1h", "6h", "1d", "7d", "14d"] as const;
const hourMs = 3_600_000;
const shortestMs = 60_000;
const longestMs = 14 * 24 * hourMs;

export function isPreset(range: string): boolean {
  return presets.some((preset) => preset === range);
}

export function rangeText(from: number, to: number, now: number): string {
  const length = Math.min(longestMs, Math.max(shortestMs, to - from));
  const until = Math.min(now, (from + to + length) / 2);
  const second = (at: number) => new Date(Math.round(at / 1000) * 1000).toISOString().replace(".000Z", "Z");
  return `${second(until - length)}/${second(until)}`;
}

/** Around `at`: 0.5 shows half as long. */
export function zoomed({ since, until }: Span, { by, at }: { by: number; at: number }, now: number): string {
  return rangeText(at - (at - since) * by, at + (until - at) * by, now);
}

/** A longer range changes less often. */
export function versionOf(range: string, loadedAt: number | undefined): number {
  const [, count = "1", unit = "h"] = /^(\d+)([hd])$/.exec(range) ?? [];
  const width = (Number(count) * (unit === "d" ? 24 : 1) * hourMs) / 360;
  return loadedAt === undefined || range.includes("/") ? 0 : Math.floor(loadedAt / width);
}

const clock = new Intl.DateTimeFormat("en-GB", {
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
});
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export function timeText(at: number, now: number): string {
  return day.format(at) === day.format(now) ? clock.format(at) : `${day.format(at)} ${clock.format(at)}`;
}

export function spanText({ since, until }: Span, now: number): string {
  return escapeLine(`${timeText(since, now)} to ${timeText(until, now)}`);
}
