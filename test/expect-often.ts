import { isDeepStrictEqual } from "node:util";

/**
 * For loops: Jest's `expect` makes 200 functions and a stack trace, which takes 30 µs, and compares slowly. It only has
 * to say what differs.
 */
export function expectToBe(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected);
}

export function expectToEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

export function expectAtLeast(actual: number, least: number): void {
  if (!(actual >= least)) expect(actual).toBeGreaterThanOrEqual(least);
}

export function expectAtMost(actual: number, most: number): void {
  if (!(actual <= most)) expect(actual).toBeLessThanOrEqual(most);
}
