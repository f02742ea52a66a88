import fc from "fast-check";
import { rangeText, spanOf, versionOf, zoomed } from "../../web/span";

const now = Date.parse("2026-03-01T12:00:00Z");
const hour = 3_600_000;
const span = spanOf({ since: now - hour, until: now, known: now, parts: 360 });

test("zooming in at the live edge keeps it, and zooming out shows more of the past", () => {
  expect(zoomed(span, { by: 0.5, at: now }, now)).toBe("2026-03-01T11:30:00Z/2026-03-01T12:00:00Z");
  expect(zoomed(span, { by: 2, at: now }, now)).toBe("2026-03-01T10:00:00Z/2026-03-01T12:00:00Z");
});

test("a drag is never shorter than a minute or longer than two weeks, and never ends after now", () => {
  const moment = fc.integer({ min: now - 1_000 * hour, max: now + hour });
  fc.assert(
    fc.property(moment, moment, (from, to) => {
      const [since = 0, until = 0] = rangeText(from, to, now).split("/").map(Date.parse);
      expect(until).toBeLessThanOrEqual(now);
      expect(until - since).toBeGreaterThanOrEqual(59_000);
      expect(until - since).toBeLessThanOrEqual(14 * 24 * hour + 1_000);
    }),
  );
});

test("a long range is asked for again as often as a part of it ends; a past one never", () => {
  const times = (range: string) =>
    new Set(Array.from({ length: 240 }, (_, slot) => versionOf(range, now + slot * 15_000)));
  expect(times("1h").size).toBe(240);
  expect(times("1d").size).toBe(15);
  expect(times("2026-03-01T10:00:00Z/2026-03-01T12:00:00Z").size).toBe(1);
});
