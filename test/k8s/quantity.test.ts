import fc from "fast-check";
import {
  approximateFloat,
  canonicalQuantity,
  formatMilli,
  milliValue,
  parseMilli,
  parseQuantity,
  QuantityError,
  signOf,
} from "../../lib/k8s/quantity";

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

// Answers of apimachinery 0.36.3 (String, MilliValue, AsApproximateFloat64).
// Thousandths beyond int64 saturate here; there they overflow.
test.each<[string, string, bigint, number]>([
  ["0", "0", 0n, 0],
  ["+", "0", 0n, 0],
  ["Ki", "0", 0n, 0],
  ["-0.000", "0", 0n, 0],
  ["0.3", "300m", 300n, 0.30000000000000004],
  ["300m", "300m", 300n, 0.3],
  ["  300m ", "300m", 300n, 0.3],
  ["2.500", "2.500", 2500n, 2.5],
  ["+500m", "+500m", 500n, 0.5],
  ["500e-3", "500e-3", 500n, 0.5],
  ["5e-2", "50e-3", 50n, 0.05],
  ["1e3", "1e3", 1_000_000n, 1000],
  ["1000e0", "1e3", 1_000_000n, 1000],
  ["1e0", "1e0", 1000n, 1],
  ["2500000u", "2500m", 2500n, 2.5],
  ["1n", "1n", 1n, 1e-9],
  ["1000001n", "1000001n", 2n, 0.0010000010000000001],
  ["0.9n", "1n", 1n, 1e-9],
  ["-0.1", "-100m", -100n, -0.1],
  ["110000", "110k", 110_000_000n, 110000],
  ["134217728", "134217728", 134_217_728_000n, 134217728],
  ["131072Ki", "128Mi", 134_217_728_000n, 134217728],
  ["1.5Gi", "1536Mi", 1_610_612_736_000n, 1610612736],
  [".5Ki", "512", 512_000n, 512],
  ["1023Ki", "1023Ki", 1_047_552_000n, 1047552],
  ["9223372036854775808", "9223372036854775808", 9_223_372_036_854_775_807n, 2 ** 63],
  ["8Ei", "9223372036854775807", 9_223_372_036_854_775_807n, 2 ** 63],
  ["-8Ei", "-9223372036854775807", -9_223_372_036_854_775_808n, -(2 ** 63)],
  // Upstream prints "1" here and loses the exponent: docs/parity.md.
  ["1000E", "1e21", 9_223_372_036_854_775_807n, 1e21],
  ["9e18", "9e18", 9_223_372_036_854_775_807n, 9e18],
  ["1e999999999", "1e999999999", 9_223_372_036_854_775_807n, Infinity],
  ["1e-999999999", "1e-9", 1n, 1e-9],
])("%s is served as %s", (text, canonical, milli, float) => {
  const quantity = parseQuantity(text);
  expect([canonicalQuantity(quantity), milliValue(quantity), parseMilli(text), approximateFloat(quantity)]).toEqual([
    canonical,
    milli,
    milli,
    float,
  ]);
});

test.each<[string, string]>([
  ["", formatWrong],
  [" ", formatWrong],
  ["1\t", formatWrong],
  ["1 2", formatWrong],
  ["1.2.3", formatWrong],
  ["0x10", formatWrong],
  ["NaN", formatWrong],
  ["1ki", "unable to parse quantity's suffix"],
  ["1mi", "unable to parse quantity's suffix"],
  ["1m5", "unable to parse quantity's suffix"],
  ["1e", "unable to parse quantity's suffix"],
  ["1e99999999999999999999", "unable to parse quantity's suffix"],
  ["e-10", "unable to parse numeric part of quantity"],
  ["Ei", "unable to parse numeric part of quantity"],
])("%j is refused: %s", (text, message) => {
  expect(() => parseQuantity(text)).toThrow(new QuantityError(message));
  expect(() => parseMilli(text)).toThrow(new QuantityError(message));
});

test("a JSON number is read by its decimal text", () => {
  expect([0, 1, 0.05, 1e21, -3, 1.5].map((number) => canonicalQuantity(parseQuantity(number)))).toEqual([
    "0",
    "1",
    "50m",
    "1e+21",
    "-3",
    "1500m",
  ]);
  expect([0.0005, 12, Number.MAX_SAFE_INTEGER].map(parseMilli)).toEqual([1n, 12_000n, 9_007_199_254_740_991_000n]);
});

test.each<[bigint, string, string]>([
  [0n, "0", "0"],
  [1n, "1m", "1m"],
  [1000n, "1", "1"],
  [2_500_000n, "2500", "2500"],
  [110_000_000n, "110k", "110000"],
  [1_024_000n, "1024", "1Ki"],
  [134_217_728_000n, "134217728", "128Mi"],
  [134_217_728_001n, "134217728001m", "134217728001m"],
  [-1_048_576_000n, "-1048576", "-1Mi"],
  [9_223_372_036_854_775_807n, "9223372036854775807m", "9223372036854775807m"],
])("%s milli is %s in DecimalSI and %s in BinarySI", (milli, decimal, binary) => {
  expect([formatMilli(milli, "DecimalSI"), formatMilli(milli, "BinarySI")]).toEqual([decimal, binary]);
});

const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 24 });
const suffixes = [
  "",
  "n",
  "u",
  "m",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "Ei",
  "e3",
  "E-2",
  "e-11",
];
const quantityText = fc
  .tuple(fc.constantFrom("", "-", "+"), digits, fc.constantFrom("", "."), digits, fc.constantFrom(...suffixes))
  .map(([sign, whole, point, fraction, suffix]) => `${sign}1${whole}${point}${fraction}${suffix}`);

test("a canonical quantity reads back as the same value and the same text", () => {
  fc.assert(
    fc.property(quantityText, (text) => {
      const quantity = parseQuantity(text);
      const again = parseQuantity(canonicalQuantity(quantity));
      expect(milliValue(again)).toBe(milliValue(quantity));
      expect(signOf(again)).toBe(signOf(quantity));
      expect(canonicalQuantity(again)).toBe(canonicalQuantity(quantity));
    }),
  );
});

test("the fast path and the exact path agree", () => {
  fc.assert(
    fc.property(quantityText, (text) => {
      expect(parseMilli(text)).toBe(milliValue(parseQuantity(text)));
    }),
  );
});

test("a larger quantity never reads as a smaller one", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 22n), fc.bigInt(0n, 10n ** 22n), fc.constantFrom(...suffixes), (a, b, suffix) => {
      const [less, more] = a < b ? [a, b] : [b, a];
      const [lessMilli, moreMilli] = [parseMilli(`${less}${suffix}`), parseMilli(`${more}${suffix}`)];
      expect(lessMilli <= moreMilli).toBe(true);
      expect(parseMilli(`-${less}${suffix}`) >= parseMilli(`-${more}${suffix}`)).toBe(true);
    }),
  );
});

test("printed thousandths read back unchanged", () => {
  const format = fc.constantFrom("DecimalSI" as const, "BinarySI" as const);
  fc.assert(
    fc.property(fc.bigInt(-(1n << 63n), (1n << 63n) - 1n), format, (milli, as) => {
      expect(parseMilli(formatMilli(milli, as))).toBe(milli);
    }),
  );
});

test("any text is a quantity or a QuantityError", () => {
  const nasty = fc.string({ unit: fc.constantFrom(..."0019.eE+-KiMmnu_ "), maxLength: 200 });
  fc.assert(
    fc.property(fc.oneof(fc.string(), nasty), (text) => {
      try {
        canonicalQuantity(parseQuantity(text));
      } catch (error) {
        expect(error).toBeInstanceOf(QuantityError);
      }
    }),
    { numRuns: 2000 },
  );
  expect(() => parseQuantity(`${"0".repeat(200_000)}x`)).toThrow(QuantityError);
});
