import { batches } from "../../lib/table/write-items";
import { Fault } from "../../lib/model/fault";

const { signal } = new AbortController();
const moment = () => new Promise((done) => setImmediate(done));

function controlled(most = 10) {
  const runs: { asks: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const work = (asks: readonly string[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      runs.push({ asks, answer: () => resolve(asks.map((ask) => ask.toUpperCase())), fail: reject });
    });
  return { runs, asked: () => runs.map(({ asks }) => asks), ask: batches(work, most) };
}

test("what is asked in one moment is one batch, and each ask gets its own answer", async () => {
  const { runs, ask } = controlled();
  const answers = [ask("prod", "a", signal), ask("prod", "b", signal)];
  await moment();
  expect(runs.map(({ asks }) => asks)).toEqual([["a", "b"]]);
  runs[0]?.answer();
  expect(await Promise.all(answers)).toEqual(["A", "B"]);
});

test("what is asked while a batch runs is in the next one", async () => {
  const { runs, asked, ask } = controlled();
  const first = ask("prod", "a", signal);
  await moment();
  const later = [ask("prod", "b", signal), ask("prod", "c", signal)];
  await moment();
  expect(asked()).toEqual([["a"]]);
  runs[0]?.answer();
  expect(await first).toBe("A");
  await moment();
  expect(asked()).toEqual([["a"], ["b", "c"]]);
  runs[1]?.answer();
  expect(await Promise.all(later)).toEqual(["B", "C"]);
  const last = ask("prod", "d", signal);
  await moment();
  runs[2]?.answer();
  expect(await last).toBe("D");
});

test("a batch has at most so many", async () => {
  const { runs, asked, ask } = controlled(2);
  const answers = ["a", "b", "c"].map((one) => ask("prod", one, signal));
  await moment();
  runs[0]?.answer();
  await moment();
  runs[1]?.answer();
  expect(await Promise.all(answers)).toEqual(["A", "B", "C"]);
  expect(asked()).toEqual([["a", "b"], ["c"]]);
});

test("no line waits for another, and no signal is another's", async () => {
  const { asked, ask } = controlled();
  void ask("prod", "a", signal);
  void ask("test", "b", signal);
  void ask("prod", "c", new AbortController().signal);
  await moment();
  expect(asked()).toEqual([["a"], ["b"], ["c"]]);
});

test("a batch that fails fails its own asks alone", async () => {
  const { runs, ask } = controlled();
  const first = ask("prod", "a", signal);
  await moment();
  const second = ask("prod", "b", signal);
  runs[0]?.fail(new Fault("throttled", "slow down"));
  await expect(first).rejects.toThrow("slow down");
  await moment();
  runs[1]?.answer();
  expect(await second).toBe("B");
});

test("if one ask spoils a batch, each is tried alone", async () => {
  const work = (asks: readonly string[]) =>
    asks.includes("bad") ? Promise.reject(new Fault("badEntry", "no")) : Promise.resolve(asks);
  const ask = batches(work, 10);
  const answers = ["a", "bad", "c"].map((one) => ask("prod", one, signal));
  expect(await Promise.allSettled(answers)).toMatchObject([
    { value: "a" },
    { reason: { message: "no" } },
    { value: "c" },
  ]);
});

test("every ask is in a batch that begins after it", async () => {
  let started = 0;
  const ask = batches(async (asks: readonly number[]) => {
    const run = ++started;
    await moment();
    return asks.map(() => run);
  }, 100);
  const askers = Array.from({ length: 200 }, async (_, at) => {
    for (let turn = 0; turn < at % 7; turn++) await moment();
    const before = started;
    expect(await ask("prod", at, signal)).toBeGreaterThan(before); // never a batch that had begun
  });
  await Promise.all(askers);
  expect(started).toBeLessThan(20);
});
