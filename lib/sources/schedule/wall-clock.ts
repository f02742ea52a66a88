import { type EpochMs, hourMs } from "../../k8s/time";

/** The time that a clock on the wall shows, as if it were in UTC. */
export type WallMs = number;

/** Wall-clock time in one time zone, without the hours that are shown twice. */
export interface WallClock {
  /** The latest time that the clock has shown until `now`: it does not go back in autumn. */
  shownAt(now: EpochMs): WallMs;
  /** When the clock first shows this time or a later one: a time that spring skips is the end of the gap. */
  firstAt(wall: WallMs): EpochMs;
}

/** A clock is set at most once within this time. No offset is below -14 h or above 14 h. */
const spanMs = 28 * hourMs;

export function wallClockOf(timezone: string): WallClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
    hourCycle: "h23",
  });

  function offsetAt(instant: EpochMs): number {
    const seconds = Math.floor(instant / 1000) * 1000;
    // "3/8/2026, 03:00:00"
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] =
      format.format(seconds).match(/\d+/g)?.map(Number) ?? [];
    return Date.UTC(year, month - 1, day, hour, minute, second) - seconds;
  }

  /** The first instant after `from` with the offset of `to`. */
  function changeBetween(from: EpochMs, to: EpochMs): EpochMs {
    const after = offsetAt(to);
    let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle * 1000) === after) high = middle;
      else low = middle;
    }
    return high * 1000;
  }

  return {
    shownAt(now) {
      const [before, after] = [offsetAt(now - spanMs), offsetAt(now)];
      if (before <= after) return now + after;
      const setBack = changeBetween(now - spanMs, now);
      return Math.max(now + after, setBack + before - 1);
    },
    firstAt(wall) {
      const [low, high] = [wall - spanMs / 2 - hourMs, wall + spanMs / 2 + hourMs];
      const [before, after] = [offsetAt(low), offsetAt(high)];
      if (before === after) return wall - after;
      const change = changeBetween(low, high);
      return wall - before < change ? wall - before : Math.max(change, wall - after);
    },
  };
}
