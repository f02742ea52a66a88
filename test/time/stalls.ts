import { relative } from "node:path";
import { drawStalls, stallsOf, type Stall } from "./draw-stalls";

/**
 * Blocks the event loop of some tests for up to 2 s, as a busy machine does, in the moment that hurts most: a time
 * limit is armed, and what it waits for is under way. When the loop goes on, a limit in real time fires before anything
 * is read from a socket. Runs before each test file of a run with EBB_TEST_STALLS.
 */
const stalls = stallsOf(process.env.EBB_TEST_STALLS ?? "");
const file = relative(process.cwd(), expect.getState().testPath ?? "");

/** Shorter ones are pauses, and longer ones are the runner's. */
const isLimit = (ms = 0) => ms >= 50 && ms < 60_000;

interface Pending {
  armed: number;
  stalls: readonly Stall[];
}
const pendingSymbol = Symbol.for("ebb.test.pendingStalls");
/** One for all test files of a realm. */
const realm = globalThis as typeof globalThis & { [pendingSymbol]?: Pending };
/** The class that all realms share. */
const shared = AbortSignal as typeof AbortSignal & { [pendingSymbol]?: () => void };
const isFirst = realm[pendingSymbol] === undefined;
const pending = (realm[pendingSymbol] ??= { armed: 0, stalls: [] });

function begin(step: string): void {
  pending.armed = 0;
  pending.stalls = drawStalls(stalls, file, step);
}

function armed(): void {
  const [next, ...later] = pending.stalls;
  pending.armed += 1;
  if (next === undefined || pending.armed !== next.limit) return;
  pending.stalls = later;
  after(next.turns, () => block(next.ms));
}

function after(turns: number, then: () => void): void {
  setImmediate(() => (turns === 0 ? then() : after(turns - 1, then)));
}

function block([ms, ...more]: readonly number[]): void {
  if (ms === undefined) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  setImmediate(() => block(more));
}

if (isFirst) {
  const { setTimeout } = globalThis;
  const counted = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    if (isLimit(ms)) armed();
    return setTimeout(run, ms, ...args);
  };
  globalThis.setTimeout = Object.defineProperties(counted, Object.getOwnPropertyDescriptors(setTimeout)) as never;
}
if (shared[pendingSymbol] === undefined) {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => {
    if (isLimit(ms)) shared[pendingSymbol]?.();
    return timeout(ms);
  };
}
shared[pendingSymbol] = armed;

beforeAll(() => begin("before all tests"));
beforeEach(() => begin(expect.getState().currentTestName ?? ""));
afterEach(() => {
  pending.stalls = [];
});
