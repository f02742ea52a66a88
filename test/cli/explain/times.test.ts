import { localTimes, utcTimes } from "../../../cli/shell/print/times";

const now = Date.parse("2026-03-01T12:00:10Z");
const moment = (zone: string, instant: string) => localTimes(now, zone).moment(Date.parse(instant));

test.each<[string, string, string, string]>([
  ["today", "UTC", "2026-03-01T11:58:30Z", "11:58:30 UTC"],
  ["today, in a zone with a name", "Europe/Berlin", "2026-03-01T11:58:30Z", "12:58:30 CET"],
  ["today, in a zone without one", "Asia/Kolkata", "2026-03-01T11:58:30Z", "17:28:30 GMT+5:30"],
  ["the first second of a day", "Europe/Berlin", "2026-02-28T23:00:00Z", "00:00:00 CET"],
  ["another day", "UTC", "2026-02-28T11:58:30Z", "28 Feb 11:58:30 UTC"],
  ["another year", "UTC", "2025-12-31T23:59:59Z", "31 Dec 2025 23:59:59 UTC"],
  ["in summer, seen from winter", "Europe/Berlin", "2025-07-01T12:00:00Z", "1 Jul 2025 14:00:00 CEST"],
])("a moment carries the zone that its clock has then: %s", (_name, zone, instant, expected) => {
  expect(moment(zone, instant)).toBe(expected);
});

test("the hour that comes twice when summer ends is told apart", () => {
  const [first, second] = ["2025-10-26T00:30:00Z", "2025-10-26T01:30:00Z"].map((instant) =>
    moment("Europe/Berlin", instant),
  );
  expect([first, second]).toEqual(["26 Oct 2025 02:30:00 CEST", "26 Oct 2025 02:30:00 CET"]);
});

test("a near moment says how far it is", () => {
  const near = (at: number) => localTimes(now, "UTC").near(at);
  expect(near(now + 20_000)).toBe("12:00:30 UTC (in 20s)");
  expect(near(now - 20_000)).toBe("11:59:50 UTC (20s ago)");
  expect(near(now)).toBe("12:00:10 UTC (now)");
  expect(utcTimes(now).near(now)).toBe("2026-03-01T12:00:10.000Z");
});
