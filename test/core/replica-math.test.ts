import { ceilToInt32, ceilToInt64, tolerancesOf, truncToInt32 } from "../../lib/core/replica-math";
import { options } from "./build";

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

test.each([
  [1.01, 2, 1],
  [-1.5, -1, -1],
  [-0.5, 0, 0],
  [NaN, 0, 0],
  [Infinity, 2 ** 31 - 1, 2 ** 31 - 1],
  [-Infinity, -(2 ** 31), -(2 ** 31)],
])("%d as an int32: %d rounded up, %d cut off", (value, up, cut) => {
  expect(ceilToInt32(value)).toBe(up);
  expect(truncToInt32(value)).toBe(cut);
});

test.each([
  [1.01, 2n],
  [-1.5, -1n],
  [NaN, 0n],
  [2 ** 63, MAX_INT64],
  [Infinity, MAX_INT64],
  [-(2 ** 63), MIN_INT64],
  [-Infinity, MIN_INT64],
])("%d rounded up to an int64: %d", (value, expected) => {
  expect(ceilToInt64(value)).toBe(expected);
});

test.each([
  [{}, { up: 0.1, down: 0.1 }],
  [{ scaleUp: { tolerance: "0.5" } }, { up: 0.5, down: 0.1 }],
  [{ scaleDown: { tolerance: "0.5" } }, { up: 0.1, down: 0.5 }],
])("the tolerances of %j", (behavior, expected) => {
  expect(tolerancesOf(behavior, options)).toEqual(expected);
});
