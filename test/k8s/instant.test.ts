import fc from "fast-check";
import { formatInstant, formatSeconds, InstantError, parseInstant } from "../../lib/k8s/time";

const noon = Date.parse("2026-03-01T12:00:00Z");

test.each([
  ["2026-03-01T12:00:00Z", noon],
  ["2026-03-01T12:00:00.500Z", noon + 500],
  ["2026-03-01T12:00:00.5Z", noon + 500],
  ["2026-03-01T12:00:00.500250Z", noon + 500.25],
  ["2026-03-01T12:00:00.000000500Z", noon + 0.0005],
  ["2026-03-01T14:00:00+02:00", noon],
  ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
  ["2026-12-31T23:59:59Z", Date.UTC(2026, 11, 31, 23, 59, 59)],
  ["2026-03-01T14:00:00.000500+02:00", noon + 0.5],
  ["1970-01-01T00:00:00.057Z", 57],
  ["0000-01-01T00:00:00Z", Date.parse("0000-01-01T00:00:00Z")],
  ["9999-12-31T23:59:59Z", Date.parse("9999-12-31T23:59:59Z")],
  // Go's time.Parse also takes these (go1.26).
  ["2026-03-01T2:00:00Z", Date.parse("2026-03-01T02:00:00Z")],
  ["2026-03-01T12:00:00,5Z", noon + 500],
  ["2026-03-01T12:00:00.027052999720Z", noon + 27.052999],
  ["2026-03-01T12:00:00+24:60", noon - 25 * 3_600_000],
])("%s", (text, at) => {
  expect(parseInstant(text)).toBeCloseTo(at, 3);
});

test.each([
  "",
  "now",
  "2026-03-01",
  "2026-03-01 12:00:00Z",
  "2026-03-01T12:00:00",
  "2026-13-01T12:00:00Z",
  "2026-02-29T12:00:00Z",
  "2026-04-31T12:00:00+02:00",
  "2026-03-01T24:00:00Z",
  "1772366400000",
  "x2026-03-01T12:00:00Z",
  "2026-03-01T12:00:00Zx",
  "2026-03-01T12:00:00.Z",
  "2026-03-01T12:0:00Z",
  "2026-03-01T12:00:60Z",
  "2026-03-01T:00:00Z",
  "2026-03-01T12:00:00z",
  "2026-03-01T12:00:00+25:00",
  "2026-03-01T12:00:00+1:00",
  "2026-00-01T12:00:00Z",
  "2026-01-00T12:00:00Z",
  "1900-02-29T12:00:00Z",
  "0000-01-01T00:00:00+01:00",
  "9999-12-31T23:59:59-00:01",
])("%j is no instant", (text) => {
  expect(() => parseInstant(text)).toThrow(InstantError);
  expect(() => parseInstant(text)).toThrow(
    `expected an RFC 3339 time such as 2026-03-01T12:00:00Z, got ${JSON.stringify(text)}`,
  );
});

test("every day of 400 years, to the second", () => {
  const days = Array.from({ length: 146_097 }, (_, day) => Date.UTC(1870, 0, 1 + day) + (day % 86_400) * 1000);
  expect(days.filter((at) => parseInstant(new Date(at).toISOString()) !== at)).toEqual([]);
});

test("a status keeps whole seconds", () => {
  expect(formatSeconds(noon + 999.9)).toBe("2026-03-01T12:00:00Z");
});

test.each([
  [noon, "2026-03-01T12:00:00.000Z"],
  [noon + 500.25, "2026-03-01T12:00:00.500250000Z"],
])("%d is written with all its digits", (at, text) => {
  expect(formatInstant(at)).toBe(text);
});

test("a written instant reads back unchanged, to the microsecond", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), fc.integer({ min: 0, max: 999 }), (ms, micro) => {
      const at = ms + micro / 1000;
      expect(parseInstant(formatInstant(at))).toBeCloseTo(at, 3);
      expect(parseInstant(formatInstant(ms))).toBe(ms);
    }),
  );
});
