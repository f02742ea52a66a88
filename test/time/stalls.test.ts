import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { drawStalls, stallsOf } from "./draw-stalls";

const tests = Array.from({ length: 2_000 }, (_, index) => `test ${index}`);
const drawn = (seed: string, share: number) => tests.map((test) => drawStalls({ seed, share }, "test/a.test.ts", test));

test("the same seed stalls the same tests at the same places, and another seed does not", () => {
  expect(drawn("1", 0.2)).toEqual(drawn("1", 0.2));
  expect(drawn("2", 0.2)).not.toEqual(drawn("1", 0.2));
  expect(drawStalls({ seed: "1", share: 1 }, "test/b.test.ts", "test 1")).not.toEqual(
    drawStalls({ seed: "1", share: 1 }, "test/a.test.ts", "test 1"),
  );
});

test("stalls last 0 to 2 s, at most six in a row, and their share is the asked one", () => {
  const stalls = drawn("1", 0.2).flat();
  expect(stalls.length / (5 * tests.length)).toBeCloseTo(0.2, 1);
  const lengths = stalls.flatMap(({ ms }) => ms);
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(2_000);
  expect(Math.max(...lengths)).toBeGreaterThan(1_900);
  expect(Math.max(...stalls.map(({ ms }) => ms.length))).toBe(6);
  expect(drawn("1", 0).flat()).toEqual([]);
});

test.each(["", ":0.5", "1:2", "1:x", "1:0.5:3"])("EBB_TEST_STALLS=%j is refused", (text) => {
  expect(() => stallsOf(text)).toThrow("expected EBB_TEST_STALLS to be <seed> or <seed>:<share");
});

/** Stalls "b" and "c" in the turn after they have armed their limits, for 0.4 s each. */
const seed = 46383;

test("a test that judges by the real clock fails beside stalls, and passes with the loop's time", () => {
  const run = (config: string) => {
    const jest = join(__dirname, "../../node_modules/jest/bin/jest.js");
    const env = { ...process.env, EBB_TEST_STALLS: `${seed}:1`, NO_COLOR: "1" };
    const args = [jest, "--config", join(__dirname, "fixtures", config)];
    return spawnSync(process.execPath, args, { encoding: "utf8", env });
  };
  const [real, loop] = [run("real-time.config.mjs"), run("loop-time.config.mjs")];
  expect(real.stderr).toMatch(/● an answer comes in time: b\n[^]*● an answer comes in time: c\n/);
  expect(real.status).toBe(1);
  expect(loop.stderr).toMatch(/Tests: +3 passed, 3 total/);
  expect(loop.status).toBe(0);
});
