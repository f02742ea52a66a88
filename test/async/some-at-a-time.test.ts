import { setImmediate as turn } from "node:timers/promises";
import { someAtATime } from "../../lib/async/semaphore";

const { signal } = new AbortController();

test("10,000 calls, at most 8 at a time, answers in order", async () => {
  let running = 0;
  let most = 0;
  const items = Array.from({ length: 10_000 }, (_, index) => index);
  const answers = await someAtATime(items, { limit: 8, signal }, async (item) => {
    most = Math.max(most, ++running);
    await turn();
    running -= 1;
    return item * 2;
  });
  expect(answers).toEqual(items.map((item) => item * 2));
  expect(most).toBe(8);
});

test("after a failure, no further call starts, and the failure is the answer", async () => {
  const started: number[] = [];
  const failing = someAtATime([0, 1, 2, 3, 4, 5], { limit: 2, signal }, async (item) => {
    started.push(item);
    await turn();
    if (item === 1) throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await turn();
  await turn();
  expect(started.length).toBeLessThan(5);
});

test("an aborted signal ends the wait for a permit", async () => {
  const aborting = new AbortController();
  const never = new Promise<void>(() => {});
  const waiting = someAtATime([1, 2], { limit: 1, signal: aborting.signal }, () => never);
  aborting.abort(new Error("Ctrl-C"));
  await expect(waiting).rejects.toThrow("Ctrl-C");
});
