/** @jest-environment node */
import { unlessAborted, withinTime } from "../../lib/async/within-time";

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe("unlessAborted", () => {
  test("work that ignores the abort rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const stuck = unlessAborted(new Promise(() => undefined), controller.signal, 100);
    const seen = expect(stuck).rejects.toThrow("out of time");
    controller.abort(new Error("out of time"));
    await jest.advanceTimersByTimeAsync(100);
    await seen;
    expect(jest.getTimerCount()).toBe(0);
  });

  test("work that listens to the signal fails with its own error", async () => {
    const controller = new AbortController();
    const work = new Promise<void>((_resolve, reject) => {
      controller.signal.addEventListener("abort", () => reject(new Error("get scale: out of time")));
    });
    const seen = expect(unlessAborted(work, controller.signal, 100)).rejects.toThrow("get scale: out of time");
    controller.abort(new Error("out of time"));
    await seen;
    expect(jest.getTimerCount()).toBe(0);
  });

  test("a signal that has already aborted still lets finished work through", async () => {
    expect(await unlessAborted(Promise.resolve(4), AbortSignal.abort(), 100)).toBe(4);
  });
});

test("withinTime leaves no timer behind work that never ends, once its caller has given up", () => {
  const controller = new AbortController();
  const limits: AbortSignal[] = [];
  const stuck = (limit: AbortSignal) => new Promise<never>(() => limits.push(limit));
  void withinTime(13_800, controller.signal, stuck);
  void withinTime(13_800, AbortSignal.abort(new Error("gone before")), stuck);
  expect(jest.getTimerCount()).toBe(1);
  controller.abort(new Error("the invocation is over"));
  expect(jest.getTimerCount()).toBe(0);
  expect(limits.map(({ reason }) => (reason as Error).message)).toEqual(["the invocation is over", "gone before"]);
});
