import { MomentError, pastMoment } from "../../../cli/understand/explain/explain-hpa";

/** Noon here, wherever the tests run. */
const now = new Date(2026, 2, 1, 12, 0, 0).getTime();
const local = (month: number, day: number, clock: string) =>
  new Date(`2026-0${month}-${String(day).padStart(2, "0")}T${clock}`).getTime();

test.each([
  ["11:59", local(3, 1, "11:59:00")],
  ["3:05", local(3, 1, "03:05:00")],
  ["12:00", now],
  ["12:01", local(2, 28, "12:01:00")],
  ["03:00:15", local(3, 1, "03:00:15")],
  ["2026-02-27 03:00", local(2, 27, "03:00:00")],
  ["2026-02-27T03:00:15", local(2, 27, "03:00:15")],
  ["2026-03-01T03:00:00Z", Date.UTC(2026, 2, 1, 3)],
  ["2026-03-01T03:00:00+02:00", Date.UTC(2026, 2, 1, 1)],
  ["90s", now - 90_000],
  ["2h30m", now - 9_000_000],
  ["1d", now - 86_400_000],
])("%s", (text, moment) => {
  expect(pastMoment(text, now)).toBe(moment);
});

test.each(["", "25:00", "12:60", "2026-02-30 12:00", "yesterday", "2x", "-2h", "12"])("%j is invalid", (text) => {
  expect(() => pastMoment(text, now)).toThrow(MomentError);
});
