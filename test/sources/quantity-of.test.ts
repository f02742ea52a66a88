import fc from "fast-check";
import { quantityOf } from "../../lib/sources/parameters";

test.each<[number, string]>([
  [0, "0"],
  [-0, "0"],
  [12, "12"],
  [12.5, "12500m"],
  [0.1, "100m"],
  [0.1 + 0.2, "301m"],
  [0.001, "1m"],
  [0.0001, "1m"],
  [1e-300, "1m"],
  [-0.0001, "-1m"],
  [-12.5, "-12500m"],
  [-3, "-3"],
  [1.0005, "1001m"],
  [9.2e15, "9200000000000000"],
  [-9.2e15, "-9200000000000000"],
  [1e15, "1000000000000000"],
  [1.5e10, "15000000000"],
  [123456789.123, "123456789123m"],
])("%d is %s", (value, quantity) => {
  expect(quantityOf(value)).toBe(quantity);
});

test.each([9.3e15, 1e21, -1e300, Infinity, -Infinity, NaN])("%d is more than a metric can hold", (value) => {
  expect(() => quantityOf(value)).toThrow(`expected a number from -9.2e15 to 9.2e15, got ${value}`);
});

test("is never nearer to zero than the value, and within a milli of it", () => {
  fc.assert(
    fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (value) => {
      const quantity = quantityOf(value);
      expect(quantity).toMatch(/^-?\d+m?$/);
      const back = quantity.endsWith("m") ? Number(quantity.slice(0, -1)) / 1000 : Number(quantity);
      expect(Math.abs(back)).toBeGreaterThanOrEqual(Math.abs(value) * (1 - 1e-15));
      expect(Math.abs(back - value)).toBeLessThanOrEqual(0.001 + 1e-6);
    }),
  );
});
