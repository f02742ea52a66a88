/** @jest-environment node */
import { withinInvocation } from "../../functions/invocation";
import { isFault } from "../../lib/model/fault";

const at = Date.parse("2026-03-01T12:00:00Z");
const left = (ms: number) => ({ getRemainingTimeInMillis: () => ms });

beforeEach(() => jest.useFakeTimers({ now: at }));
afterEach(() => jest.useRealTimers());

describe("withinInvocation", () => {
  test.each([
    ["of 30 s, 5 s are for recording and the last 1.5 s for answering", 30_000, 25_000, 28_500],
    ["of 3 s, a third and a tenth", 3_000, 2_000, 2_700],
  ])("%s", async (_name, remaining, deadline, abort) => {
    await withinInvocation(left(remaining), async (bounds) => {
      expect(bounds.deadline).toBe(at + deadline);
      await jest.advanceTimersByTimeAsync(abort - 1);
      expect(bounds.signal.aborted).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(isFault(bounds.signal.reason, "timeout")).toBe(true);
    });
  });

  // The poller's lease ends at the deadline: an item with part of a millisecond is one that no reader takes.
  test.each([11_999, 2_998, 299.5])("the deadline of %d ms is a whole millisecond", async (remaining) => {
    const deadline = await withinInvocation(left(remaining), (bounds) => Promise.resolve(bounds.deadline));
    expect(deadline).toBe(Math.floor(deadline));
  });

  test.each([
    ["succeeded", () => Promise.resolve("done")],
    ["failed", () => Promise.reject(new Error("no"))],
  ])("whatever work that %s left running is aborted, and no timer stays", async (_name, end) => {
    let signal: AbortSignal | undefined;
    const work = withinInvocation(left(30_000), (bounds) => {
      signal = bounds.signal;
      return end();
    });
    await Promise.allSettled([work]);
    expect(signal?.aborted).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });
});
