import fc from "fast-check";

/** KEDA's cron trigger at one instant. */
export interface CronCase {
  readonly metadata: Readonly<Record<"start" | "end" | "timezone" | "desiredReplicas", string>>;
  readonly now: string;
}

const days = fc.constantFrom("*", "*", "*", "1-5", "1-5", "MON-FRI", "0", "6,0", "sun", "7");
const one = (most: number) => fc.integer({ min: 0, max: most }).map(String);
const usual = fc
  .tuple(fc.constantFrom("0", "30"), one(23), fc.constantFrom("0", "15"), one(23), days)
  .map(([minute, hour, otherMinute, otherHour, day]) => ({
    start: `${minute} ${hour} * * ${day}`,
    end: `${otherMinute} ${otherHour} * * ${day}`,
  }));
const anyCron = fc
  .tuple(
    fc.constantFrom("0", "0", "30", "59", "*/20", "5,35", "10-12", "7/20", "*/1,3"),
    fc.constantFrom("8", "18", "0", "2", "3", "23", "*/6", "8-17", "*"),
    fc.constantFrom("*", "*", "*", "1", "31", "1,15", "?"),
    fc.constantFrom("*", "*", "*", "MAR", "10-12"),
    days,
  )
  .map((parts) => parts.join(" "));
const pairs = fc
  .oneof({ weight: 8, arbitrary: usual }, { weight: 2, arbitrary: fc.record({ start: anyCron, end: anyCron }) })
  .filter(({ start, end }) => start !== end);

/** Where clocks are set in 2026. */
const shifts = {
  "Europe/Berlin": ["2026-03-29T01:00Z", "2026-10-25T01:00Z"],
  "America/New_York": ["2026-03-08T07:00Z", "2026-11-01T06:00Z"],
  "America/Santiago": ["2026-04-05T03:00Z", "2026-09-06T04:00Z"],
  "Africa/Casablanca": ["2026-02-15T02:00Z", "2026-03-22T02:00Z"],
  "Australia/Lord_Howe": ["2026-04-04T15:00Z", "2026-10-03T15:30Z"],
} as const;
const ordinary = fc.constantFrom("UTC", "Asia/Kolkata", ...Object.keys(shifts));
const shifting = fc.constantFrom(
  ...Object.entries(shifts).flatMap(([timezone, instants]) => instants.map((at) => ({ timezone, at: Date.parse(at) }))),
);
const hourSeconds = 3_600;
const moments = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.tuple(ordinary, fc.integer({ min: 0, max: 365 * 24 * 60 })).map(([timezone, minutes]) => {
      return { timezone, at: Date.UTC(2026, 0, 1) + minutes * 60_000 };
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(shifting, fc.integer({ min: -36 * hourSeconds, max: 36 * hourSeconds }))
      .map(([{ timezone, at }, seconds]) => ({ timezone, at: at + seconds * 1000 })),
  },
);
const cases = fc.record({ pair: pairs, moment: moments }).map(({ pair, moment: { timezone, at } }): CronCase => {
  const metadata = { ...pair, timezone, desiredReplicas: "7" };
  return { metadata, now: new Date(at).toISOString() };
});

export function generateCrons(seed: number, count: number): readonly CronCase[] {
  return fc.sample(fc.noBias(cases), { seed, numRuns: count });
}
