/** @jest-environment node */
import { onAbort, unlessAborted, withinTime, withLimit } from "../../lib/async/within-time";

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

test("withinTime ends in time, also if its work does not listen to the signal", async () => {
  const stuck = withinTime(5_000, new AbortController().signal, () => new Promise<never>(() => undefined));
  const seen = expect(stuck).rejects.toThrow("no answer within 5 s");
  await jest.advanceTimersByTimeAsync(5_100);
  await seen;
  expect(jest.getTimerCount()).toBe(0);
});

test("withinTime prefers the work's own error, which may come a moment later", async () => {
  const work = (limit: AbortSignal) =>
    new Promise<never>((_resolve, reject) =>
      onAbort(limit, () => setTimeout(() => reject(new Error("get scale")), 10)),
    );
  const seen = expect(withinTime(5_000, new AbortController().signal, work)).rejects.toThrow("get scale");
  await jest.advanceTimersByTimeAsync(5_100);
  await seen;
});

test("withLimit leaves no timer behind work that never ends, once its caller has given up", () => {
  const controller = new AbortController();
  const limits: AbortSignal[] = [];
  const stuck = (limit: AbortSignal) => new Promise<never>(() => limits.push(limit));
  void withLimit(13_800, controller.signal, stuck);
  void withLimit(13_800, AbortSignal.abort(new Error("gone before")), stuck);
  expect(jest.getTimerCount()).toBe(1);
  controller.abort(new Error("the invocation is over"));
  expect(jest.getTimerCount()).toBe(0);
  expect(limits.map(({ reason }) => (reason as Error).message)).toEqual(["the invocation is over", "gone before"]);
});

describe("onAbort", () => {
  test("tells everybody who still listens, once, by one listener of the signal", () => {
    const { signal, ...controller } = spied();
    const told: number[] = [];
    const unlisten = Array.from({ length: 1_000 }, (_, number) => onAbort(signal, () => told.push(number)));
    unlisten.filter((_, number) => number % 2 === 0).forEach((stop) => stop());
    controller.abort();
    controller.abort();
    expect(told).toEqual(Array.from({ length: 500 }, (_, number) => 2 * number + 1));
    expect(controller.listeners()).toBe(1);
  });

  test("tells the same function as often as it was given", () => {
    const controller = new AbortController();
    let told = 0;
    const tell = () => (told += 1);
    const unlisten = onAbort(controller.signal, tell);
    onAbort(controller.signal, tell);
    unlisten();
    unlisten();
    controller.abort();
    expect(told).toBe(1);
  });

  test("one that throws keeps nobody from being told, and its error is not lost", () => {
    const controller = new AbortController();
    const later: (() => void)[] = [];
    const nextTick = jest.spyOn(process, "nextTick").mockImplementation((run) => void later.push(run as () => void));
    let isTold = false;
    onAbort(controller.signal, () => {
      throw new Error("a bad listener");
    });
    onAbort(controller.signal, () => (isTold = true));
    controller.abort();
    nextTick.mockRestore();
    expect(isTold).toBe(true);
    expect(() => later.forEach((run) => run())).toThrow("a bad listener");
  });
});

function spied() {
  const controller = new AbortController();
  const listen = jest.spyOn(controller.signal, "addEventListener");
  return { signal: controller.signal, abort: () => controller.abort(), listeners: () => listen.mock.calls.length };
}
