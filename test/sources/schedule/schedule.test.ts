import fc from "fast-check";
import { openScheduleSource, stretchAt } from "../../../lib/sources/schedule/schedule";
import { checkSchedule, parseScheduleQuery } from "../../../lib/sources/schedule/schedule-query";
import { readAll } from "../read-all";

const { signal } = new AbortController();
const query = (parameters: Record<string, unknown>) => ({ metricName: "hours", parameters });
const source = openScheduleSource();

async function valueAt(instant: string, parameters: Record<string, unknown>) {
  const [reading] = await readAll(source, [query(parameters)], Date.parse(instant), signal);
  return reading !== undefined && "items" in reading ? reading.items[0]?.value : reading;
}

const office = { timezone: "Europe/Berlin", start: "0 9 * * 1-5", end: "0 18 * * 1-5", value: 10, outside: 2 };
const night = { timezone: "Europe/Berlin", start: "0 22 * * *", end: "0 6 * * *", value: 3 };

test.each<[string, string, Record<string, unknown>, string]>([
  ["before it opens", "2026-11-23T07:59:59.999Z", office, "2"],
  ["as it opens", "2026-11-23T08:00:00.000Z", office, "10"],
  ["just before it closes", "2026-11-23T16:59:59.999Z", office, "10"],
  ["as it closes", "2026-11-23T17:00:00.000Z", office, "2"],
  ["on a day without one", "2026-11-22T12:00:00.000Z", office, "2"],
  ["in the summer, an hour of UTC earlier", "2026-07-06T07:00:00.000Z", office, "10"],
  ["before midnight", "2026-11-23T22:30:00.000Z", night, "3"],
  ["after midnight", "2026-11-23T04:59:59.000Z", night, "3"],
  ["over midnight, by day", "2026-11-23T05:00:00.000Z", night, "0"],
])("a window %s", async (_name, instant, parameters, value) => {
  expect(await valueAt(instant, parameters)).toBe(value);
});

describe("summer time", () => {
  const newYork = (start: string, end: string) => ({ timezone: "America/New_York", start, end, value: 1 });

  test.each<[string, string, Record<string, unknown>, string]>([
    // On 2026-03-08, 02:00 EST (07:00Z) is 03:00 EDT. 02:30 does not exist.
    ["a start that a day skips is the end of the gap", "2026-03-08T06:59:59Z", newYork("30 2 * * *", "0 5 * * *"), "0"],
    ["a start that a day skips is the end of the gap", "2026-03-08T07:00:00Z", newYork("30 2 * * *", "0 5 * * *"), "1"],
    ["an end that a day skips is the end of the gap", "2026-03-08T06:59:59Z", newYork("0 1 * * *", "30 2 * * *"), "1"],
    ["an end that a day skips is the end of the gap", "2026-03-08T07:00:00Z", newYork("0 1 * * *", "30 2 * * *"), "0"],
    // On 2026-11-01, 02:00 EDT (06:00Z) is 01:00 EST. 01:30 is at 05:30Z and at 06:30Z.
    ["a start that a day has twice is the first", "2026-11-01T05:30:00Z", newYork("30 1 * * *", "0 3 * * *"), "1"],
    ["an end that a day has twice is the first", "2026-11-01T05:30:00Z", newYork("0 0 * * *", "30 1 * * *"), "0"],
    ["and the second does not open it again", "2026-11-01T06:30:00Z", newYork("0 0 * * *", "30 1 * * *"), "0"],
    ["a window around the hour is an hour longer", "2026-11-01T06:59:59Z", newYork("0 1 * * *", "0 2 * * *"), "1"],
    ["a window around the hour is an hour longer", "2026-11-01T07:00:00Z", newYork("0 1 * * *", "0 2 * * *"), "0"],
  ])("%s (%s)", async (_name, instant, parameters, value) => {
    expect(await valueAt(instant, parameters)).toBe(value);
  });
});

test("while windows overlap, the highest value counts", async () => {
  const windows = [
    { start: "0 8 * * *", end: "0 20 * * *", value: 5 },
    { start: "0 12 * * *", end: "0 13 * * *", value: 9 },
    { timezone: "Asia/Tokyo", start: "0 21 * * *", end: "0 23 * * *", value: 7 }, // 12:00 to 14:00 UTC
  ];
  const at = (hour: string) => valueAt(`2026-11-23T${hour}:30:00Z`, { windows, outside: 1 });
  expect(await Promise.all(["07", "08", "12", "13", "14", "20"].map(at))).toEqual(["1", "5", "9", "7", "5", "1"]);
});

test("a window whose end comes as it starts again stays open", async () => {
  const windows = [{ start: "0 0 * * *", end: "0 0 * * 1", value: 4 }];
  expect(await valueAt("2026-11-23T00:00:00Z", { windows })).toBe("4");
});

test("what the process keeps is what it would calculate, in any order of instants", async () => {
  const year = { min: new Date("2026-01-01T00:00:00Z"), max: new Date("2027-01-01T00:00:00Z"), noInvalidDate: true };
  const zones = ["America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"];
  const times = ["30 2 * * *", "0 1 * * 0", "*/20 3 * * *", "0 0 1 * *", "15 23 * * 1-5"];
  const part = fc.constantFrom(...times);
  const window = fc
    .record({ start: part, end: part, value: fc.nat(9), timezone: fc.constantFrom(...zones) })
    .filter(({ start, end }) => start !== end);
  await fc.assert(
    fc.asyncProperty(
      fc.array(window, { minLength: 1, maxLength: 3 }),
      fc.array(fc.date(year)),
      async (windows, instants) => {
        const parameters = { windows };
        for (const instant of instants) {
          const { value } = stretchAt(instant.getTime(), parseScheduleQuery(query(parameters)));
          expect(await valueAt(instant.toISOString(), parameters)).toBe(String(value));
        }
      },
    ),
    { numRuns: 40 },
  );
});

test.each<[Record<string, unknown>, string]>([
  [{}, "parameter start: expected start, end and value, or windows, got nothing"],
  [{ start: "0 9 * * *" }, "parameter end: expected a cron expression such as 0 9 * * 1-5, got nothing"],
  [
    { start: "0 9 * * *", end: "0 17 * * *" },
    "parameter value: expected a whole number from 0 to 1000000, got nothing",
  ],
  [
    { ...office, start: "0 25 * * *" },
    'parameter start: expected a cron expression such as 0 9 * * 1-5, got "0 25 * * *"',
  ],
  [{ ...office, end: "0 0 30 2 *" }, 'parameter end: expected a cron expression such as 0 9 * * 1-5, got "0 0 30 2 *"'],
  [{ ...office, end: office.start }, 'parameter end: expected a time that differs from start, got "0 9 * * 1-5"'],
  [
    { ...office, start: "0 9 * * 0", end: "0 09 ? * SUN" },
    'parameter end: expected a time that differs from start, got "0 09 ? * SUN"',
  ],
  [
    { windows: [{ start: "0 0 1 * *", end: "0 0 1 1-12 *", value: 1 }] },
    'parameter windows[0].end: expected a time that differs from start, got "0 0 1 1-12 *"',
  ],
  [{ ...office, start: "@daily" }, 'parameter start: expected a cron expression such as 0 9 * * 1-5, got "@daily"'],
  [
    { ...office, timezone: "Mars/Base" },
    'parameter timezone: expected an IANA time zone such as Europe/Berlin, got "Mars/Base"',
  ],
  [
    { windows: [{ start: "0 9 * * *", end: "0 25 * * *", value: 1 }] },
    "parameter windows[0].end: expected a cron expression",
  ],
  [{ windows: [{ start: "0 9 * * *", end: "0 10 * * *" }] }, "parameter windows[0].value: expected a whole number"],
])("refuses %j", async (parameters, message) => {
  expect(() => parseScheduleQuery(query(parameters))).toThrow(message);
  expect(await valueAt("2026-11-23T00:00:00Z", parameters)).toEqual({
    error: expect.stringContaining(message) as string,
    from: "schedule",
  });
});

test.each<[string, string]>([
  ["0 9 * * *", "0 9 * * 1-5"],
  ["0 0 1 * *", "0 0 1 1-11 *"],
  ["*/5 * * * *", "*/5 * * * 1-6"],
])("times that differ now and then are two times (%s, %s)", (start, end) => {
  expect(() => checkSchedule({ start, end })).not.toThrow();
  expect(() => checkSchedule({ start, end: start })).toThrow("a time that differs from start");
});
