import { eachInOrder, runsOf } from "../../cli/shell/in-order";
import { openOutput } from "../../cli/shell/output";
import { PassThrough } from "node:stream";
import type { EntryRef } from "../../lib/model/ports/entries";

const out = openOutput({ env: {}, stdout: new PassThrough(), stderr: new PassThrough() });
const doing = () => "waiting";

/** Answers that a test gives, in any order. */
function answers() {
  const waiting = new Map<number, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  return {
    waiting,
    call: (item: number) => new Promise<string>((resolve, reject) => waiting.set(item, { resolve, reject })),
    answer: (item: number) => waiting.get(item)?.resolve(`answer ${item}`),
    fail: (item: number) => waiting.get(item)?.reject(new Error(`failure ${item}`)),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("reports in the order of the items, not of the answers, with four under way", async () => {
  const { waiting, call, answer } = answers();
  const done: string[] = [];
  const all = eachInOrder({ out, signal: new AbortController().signal }, [0, 1, 2, 3, 4, 5], {
    doing,
    call,
    done: (text) => done.push(text),
  });
  expect([...waiting.keys()]).toEqual([0, 1, 2, 3]);
  answer(3);
  answer(1);
  await settled();
  expect(done).toEqual([]);
  answer(0);
  await settled();
  expect(done).toEqual(["answer 0", "answer 1"]);
  expect([...waiting.keys()]).toEqual([0, 1, 2, 3, 4, 5]);
  for (const item of [5, 4, 2]) answer(item);
  await all;
  expect(done).toEqual([0, 1, 2, 3, 4, 5].map((item) => `answer ${item}`));
});

test("a failure of one item alone leaves the others", async () => {
  const { call, answer, fail } = answers();
  const said: string[] = [];
  const all = eachInOrder({ out, signal: new AbortController().signal }, [0, 1, 2], {
    doing,
    call,
    done: (text) => said.push(text),
    failed(error) {
      said.push((error as Error).message);
      return true;
    },
  });
  fail(1);
  answer(2);
  answer(0);
  await all;
  expect(said).toEqual(["answer 0", "failure 1", "answer 2"]);
});

test("after any other failure no further call starts, and what was under way is reported before it is thrown", async () => {
  const { waiting, call, answer, fail } = answers();
  const done: string[] = [];
  const all = eachInOrder({ out, signal: new AbortController().signal }, [0, 1, 2, 3, 4, 5], {
    doing,
    call,
    done: (text) => done.push(text),
  });
  const thrown = expect(all).rejects.toThrow("failure 0");
  fail(0);
  fail(2);
  await settled();
  answer(1);
  answer(3);
  await thrown;
  expect(done).toEqual(["answer 1", "answer 3"]);
  expect([...waiting.keys()]).toEqual([0, 1, 2, 3]);
});

test("after Ctrl-C no further call starts", async () => {
  const { waiting, call, answer } = answers();
  const interrupted = new AbortController();
  const all = eachInOrder({ out, signal: interrupted.signal }, [0, 1, 2, 3, 4], { doing, call, done: () => {} });
  const thrown = expect(all).rejects.toThrow("aborted");
  interrupted.abort();
  for (const item of waiting.keys()) answer(item);
  await thrown;
  expect([...waiting.keys()]).toEqual([0, 1, 2, 3]);
});

const ref = (kind: EntryRef["kind"], name: string): { readonly ref: EntryRef } => ({
  ref: { kind, cluster: "prod", name, ...(kind === "HorizontalPodAutoscaler" && { namespace: "shop" }) },
});

test.each([
  ["nothing", [], []],
  ["kinds one after another", [ref("Cluster", "prod"), ref("MetricSource", "a"), ref("MetricSource", "b")], [1, 2]],
  ["an entry twice", [ref("MetricSource", "a"), ref("MetricSource", "b"), ref("MetricSource", "a")], [2, 1]],
])("runs of %s", (_, items, expected) => {
  expect(runsOf(items).map(({ length }) => length)).toEqual(expected);
  expect(runsOf(items).flat()).toEqual(items);
});
