/** @jest-environment node */
import { inProcessQueue } from "../../local/in-process-queue";
import { isWake, type QueueMessage } from "../../lib/model/messages";

const message = (slot: number): QueueMessage => ({ cluster: "prod", from: "", slot, until: slot + 15_000 });
const slotOf = (message: QueueMessage) => (isWake(message) ? NaN : message.slot);
const { signal } = new AbortController();

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test("a message comes when its delay is over", async () => {
  const handled: number[] = [];
  const queue = inProcessQueue({
    handle: (each) => Promise.resolve(handled.push(slotOf(each))),
    onDead: () => undefined,
  });
  await queue.send(
    [
      { message: message(2), delaySeconds: 5 },
      { message: message(1), delaySeconds: 0 },
    ],
    signal,
  );
  await jest.advanceTimersByTimeAsync(4_999);
  expect(handled).toEqual([1]);
  await jest.advanceTimersByTimeAsync(1);
  expect(handled).toEqual([1, 2]);
});

test("a message that fails returns, five times in all, and is then reported as dead", async () => {
  let deliveries = 0;
  const dead: unknown[] = [];
  const queue = inProcessQueue({
    handle: () => Promise.reject(new Error(`delivery ${++deliveries}`)),
    onDead: (each, error) => dead.push([slotOf(each), (error as Error).message]),
  });
  await queue.send([{ message: message(7), delaySeconds: 0 }], signal);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(deliveries).toBe(5);
  expect(dead).toEqual([[7, "delivery 5"]]);
});

test("closing waits for what is being handled, and drops what waits", async () => {
  const handled: number[] = [];
  let finish = () => {};
  const queue = inProcessQueue({
    handle: (each) =>
      new Promise<void>((resolve) => {
        finish = () => {
          handled.push(slotOf(each));
          resolve();
        };
      }),
    onDead: () => undefined,
  });
  await queue.send(
    [
      { message: message(1), delaySeconds: 0 },
      { message: message(2), delaySeconds: 60 },
    ],
    signal,
  );
  await jest.advanceTimersByTimeAsync(0);
  let closed = false;
  const closing = queue.close().then(() => (closed = true));
  await jest.advanceTimersByTimeAsync(120_000);
  expect(closed).toBe(false);
  finish();
  await closing;
  expect(handled).toEqual([1]);
  expect(jest.getTimerCount()).toBe(0);
});
