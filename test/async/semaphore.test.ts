import { openSemaphore, limitConcurrency } from "../../lib/async/semaphore";

const settleEach = <T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>) => {
  const limited = limitConcurrency(limit);
  return Promise.allSettled(items.map((item) => limited(() => work(item))));
};

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

test("outcomes are in the order of the items, whichever ends first", async () => {
  const outcomes = await settleEach([3, 1, 2], 3, async (turns) => {
    for (let turn = 0; turn < turns; turn++) await tick();
    if (turns === 1) throw new Error("one");
    return turns * 10;
  });
  expect(outcomes).toEqual([
    { status: "fulfilled", value: 30 },
    { status: "rejected", reason: new Error("one") },
    { status: "fulfilled", value: 20 },
  ]);
});

test.each([
  [1, 1],
  [2, 2],
  [4, 4],
  [100, 7],
])("with a limit of %i, %i of 7 are under way at a time", async (limit, expected) => {
  let running = 0;
  let most = 0;
  await settleEach([1, 2, 3, 4, 5, 6, 7], limit, async () => {
    most = Math.max(most, ++running);
    await tick();
    running -= 1;
  });
  expect(most).toBe(expected);
});

test("work that throws synchronously rejects; no items give no outcomes", async () => {
  const thrown = await settleEach(["x"], 2, () => {
    throw new Error("at once");
  });
  expect(thrown).toEqual([{ status: "rejected", reason: new Error("at once") }]);
  expect(await settleEach([], 2, () => Promise.resolve())).toEqual([]);
});

test("at most the limit at a time, in the order of the calls, and a failure frees its turn", async () => {
  const limited = limitConcurrency(3);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const work = (index: number) => async () => {
    order.push(index);
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (index % 4 === 0) throw new Error(`work ${index}`);
    return index;
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => limited(work(index))));
  expect(most).toBe(3);
  expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(5);
});

test("a permit goes to the lowest priority number first, within one number to the first call; a call that leaves the queue is skipped", async () => {
  const semaphore = openSemaphore(1);
  const order: string[] = [];
  const gone = new AbortController();
  let free = () => {};
  const held = new Promise<void>((resolve) => (free = resolve));
  const signal = new AbortController().signal;
  const call = (name: string, priority: number, within = signal) =>
    semaphore.run({ signal: within, priority }, () => Promise.resolve(void order.push(name)));
  const first = semaphore.run({ signal, priority: 7 }, () => held);
  const all = [call("c1", 2), call("a1", 0), call("b1", 1), call("a2", 0), call("gone", 0, gone.signal), call("c2", 2)];
  gone.abort(new Error("gave up"));
  free();
  const outcomes = await Promise.allSettled([first, ...all]);
  expect(order).toEqual(["a1", "a2", "b1", "c1", "c2"]);
  expect(outcomes.filter(({ status }) => status === "rejected")).toMatchObject([{ reason: new Error("gave up") }]);
  await call("last", 3);
  expect(order.at(-1)).toBe("last");
});
