import fc from "fast-check";
import { DurationError, parseDuration } from "../../lib/k8s/time";

test.each<[string, number]>([
  ["0", 0],
  ["30s", 30_000],
  ["1m0s", 60_000],
  ["1.5s", 1500],
  ["1h2m3s", 3_723_000],
  [".5m", 30_000],
  ["1.s", 1000],
  ["250ms", 250],
  ["1500us", 1.5],
  ["-2s", -2000],
  ["+2s", 2000],
  // What is left of a nanosecond is dropped.
  ["2.7ns", 2e-6],
  ["22.0995µs", 0.022099],
  ["9223372036854775807ns", 2 ** 63 / 1e6],
  ["-9223372036854775808ns", -(2 ** 63) / 1e6],
  // A sum of 2^64 ns is zero in Go's uint64 (go1.26).
  ["9223372036854775808ns9223372036854775808ns", 0],
])("%s is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each<[string, string]>([
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  ["s", 'time: invalid duration "s"'],
  [".s", 'time: invalid duration ".s"'],
  ["30", 'time: missing unit in duration "30"'],
  ["1m30", 'time: missing unit in duration "1m30"'],
  ["1.5.5s", 'time: missing unit in duration "1.5.5s"'],
  ["..s", 'time: invalid duration "..s"'],
  ["1d", 'time: unknown unit "d" in duration "1d"'],
  ["1s ", 'time: unknown unit "s " in duration "1s "'],
  ["9999999h", 'time: invalid duration "9999999h"'],
  ["9999999h1d", 'time: invalid duration "9999999h1d"'],
  ["9999999999999999999", 'time: invalid duration "9999999999999999999"'],
  ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
  ["-9223372036854775809ns", 'time: invalid duration "-9223372036854775809ns"'],
  ["9223372036854775809", 'time: invalid duration "9223372036854775809"'],
  ["9223372036854775809d", 'time: invalid duration "9223372036854775809d"'],
  ['1"\\', 'time: unknown unit "\\"\\\\" in duration "1\\"\\\\"'],
  ["1µ\n", 'time: unknown unit "\\xc2\\xb5\\x0a" in duration "1\\xc2\\xb5\\x0a"'],
])("%j is refused: %s", (text, message) => {
  expect(() => parseDuration(text)).toThrow(new DurationError(message));
});

test("any text is a duration or a DurationError", () => {
  const nasty = fc.string({ unit: fc.constantFrom(..."0123.hmsnu-+"), maxLength: 40 });
  fc.assert(
    fc.property(fc.oneof(fc.string(), nasty), (text) => {
      try {
        expect(Number.isFinite(parseDuration(text))).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(DurationError);
      }
    }),
    { numRuns: 2000 },
  );
});
