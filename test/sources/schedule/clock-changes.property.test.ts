import fc from "fast-check";
import { dayMs, hourMs, minuteMs } from "../../../lib/k8s/time";
import { stretchAt } from "../../../lib/sources/schedule/schedule";
import { parseScheduleQuery } from "../../../lib/sources/schedule/schedule-query";

interface Change {
  readonly at: number;
  /** Forward in spring: above 0. */
  readonly shiftMs: number;
  /** What the clock showed just before, as if it were in UTC. */
  readonly wall: number;
}

/** "GMT-03:30"; not how the schedule reads the clock. */
function offsetsOf(timezone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en", { timeZone: timezone, timeZoneName: "longOffset" });
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = "0", minutes = "0", seconds = "0"] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? [];
    const size = Number(hours) * hourMs + Number(minutes) * minuteMs + Number(seconds) * 1000;
    return sign === "-" ? -size : size;
  };
}

const firstYear = 1997;
const years = 30;

/** Of one year, to the minute. */
function changesOf(timezone: string, year: number): readonly Change[] {
  const offsetAt = offsetsOf(timezone);
  const changes: Change[] = [];
  const end = Date.UTC(year + 1, 0, 1);
  for (let from = Date.UTC(year, 0, 1); from < end; from += 5 * dayMs) {
    let [low, high] = [from, from + 5 * dayMs];
    const shiftMs = offsetAt(high) - offsetAt(low);
    if (shiftMs === 0) continue;
    const before = offsetAt(low);
    while (high - low > minuteMs) {
      const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs;
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high, shiftMs, wall: high + before });
  }
  return changes;
}

type Cadence = "daily" | "weekly" | "monthly";

function cronAt(wall: number, cadence: Cadence): string {
  const date = new Date(wall);
  const day = cadence === "monthly" ? String(date.getUTCDate()) : "*";
  const weekday = cadence === "weekly" ? String(date.getUTCDay()) : "*";
  return `${date.getUTCMinutes()} ${date.getUTCHours()} ${day} * ${weekday}`;
}

interface Placed {
  readonly timezone: string;
  readonly change: Change;
  readonly cadence: Cadence;
  /** From the change, in minutes. */
  readonly startsAfter: number;
  readonly lastsMinutes: number;
}

/** The longest time that the window is open around the change. */
function longestOpen({ timezone, change, cadence, startsAfter, lastsMinutes }: Placed): number {
  const start = change.wall + startsAfter * minuteMs;
  const end = start + lastsMinutes * minuteMs;
  // From the 28th to the 29th is a month in February.
  const isOneDay = new Date(start).getUTCDate() === new Date(end).getUTCDate();
  const every = cadence === "monthly" && !isOneDay ? "weekly" : cadence;
  const parameters = { timezone, start: cronAt(start, every), end: cronAt(end, every), value: 1 };
  const query = parseScheduleQuery({ metricName: "x", parameters });
  let [longest, openFor] = [0, 0];
  for (let now = change.at - 3 * dayMs; now < change.at + 3 * dayMs;) {
    const { value, until } = stretchAt(now, query);
    expect(until).toBeGreaterThan(now);
    openFor = value === 1 ? openFor + until - now : 0;
    longest = Math.max(longest, openFor);
    now = until;
  }
  return longest;
}

const zones = Intl.supportedValuesOf("timeZone");

test("no window is open longer than its wall-clock length plus one shift", () => {
  const placed = fc.record({
    timezone: fc.constantFrom(...zones),
    year: fc.integer({ min: firstYear, max: firstYear + years - 1 }),
    cadence: fc.constantFrom<Cadence>("daily", "weekly", "monthly"),
    startsAfter: fc.integer({ min: -180, max: 180 }),
    lastsMinutes: fc.integer({ min: 1, max: 300 }),
  });
  const numRuns = Number(process.env["EBB_CLOCK_CHANGES"] ?? 60);
  fc.assert(
    fc.property(placed, ({ timezone, year, ...rest }) => {
      for (const change of changesOf(timezone, year)) {
        const most = rest.lastsMinutes * minuteMs + Math.abs(change.shiftMs);
        expect(longestOpen({ timezone, change, ...rest })).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns },
  );
});

test.each<[string, Omit<Placed, "change">, number, number]>([
  ["daily", { timezone: "Europe/Berlin", cadence: "daily", startsAfter: 0, lastsMinutes: 60 }, 2026, 60],
  ["weekly", { timezone: "America/New_York", cadence: "weekly", startsAfter: 0, lastsMinutes: 60 }, 2026, 0],
  ["monthly", { timezone: "America/New_York", cadence: "monthly", startsAfter: 10, lastsMinutes: 20 }, 2026, 0],
  [
    "in midnight's hour",
    { timezone: "America/Santiago", cadence: "weekly", startsAfter: 0, lastsMinutes: 60 },
    2026,
    0,
  ],
  [
    "on a day that Samoa skipped",
    { timezone: "Pacific/Apia", cadence: "weekly", startsAfter: 0, lastsMinutes: 600 },
    2011,
    0,
  ],
])(
  "a window that spring skips is not open on that day, and on others for its own length (%s)",
  (_name, placed, year, minutes) => {
    const change = changesOf(placed.timezone, year).find(
      ({ shiftMs }) => shiftMs > 0 && (year !== 2011 || shiftMs > hourMs),
    );
    if (change === undefined) throw new Error("expected a change");
    expect(longestOpen({ ...placed, change }) / minuteMs).toBe(minutes);
  },
);
