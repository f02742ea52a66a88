import { loopbackServers } from "../../../backends/loopback";
import { functionMegabytes, smallHeap } from "../../../small-heap/small-heap";
import { bombs, cut, longLies, markedPods, pods, stream, type Send } from "./lying-servers";
import type { Job, Outcomes } from "./reader";

/**
 * A process with a heap as small as a function's reads from servers that lie. It must neither end nor grow: whatever
 * they send costs only their own answers. bench/memory.ts has more and larger lists.
 */
const servers = loopbackServers();
const ask = smallHeap<Job, { readonly outcomes: Outcomes }>("test/faults/small-heap/cluster/reader.ts");

async function readAll(sends: readonly Send[], annotation?: string): ReturnType<typeof ask> {
  const started = await Promise.all(sends.map((send) => servers.start((_request, response) => void send(response))));
  return ask({ urls: started.map(({ url }) => url), ...(annotation !== undefined && { annotation }) });
}

const list =
  (count: number): Send =>
  (response) =>
    stream(response, pods(count));

test("10,000 pods of 8 KB beside seven lists of 500 are read", async () => {
  const counts = [10_000, ...Array.from({ length: 7 }, () => 500)];
  const { outcomes, megabytes } = await readAll(counts.map(list));
  expect(outcomes).toEqual(counts.map((count) => ({ pods: count })));
  expect(megabytes).toBeLessThan(functionMegabytes);
}, 120_000);

test("two lists of 600 pods are read whose marks as busy have 256 KB each", async () => {
  const mark = "worker.example/busy";
  const send: Send = (response) => stream(response, markedPods(600, mark));
  const { outcomes, megabytes } = await readAll([send, send], mark);
  expect(outcomes).toEqual([{ pods: 600 }, { pods: 600 }]);
  expect(megabytes).toBeLessThan(functionMegabytes);
}, 120_000);

test("a list in pieces of 100 bytes is read", async () => {
  const { outcomes } = await readAll([(response) => stream(response, cut(pods(500), 100))]);
  expect(outcomes).toEqual([{ pods: 500 }]);
}, 120_000);

test.each(Object.entries(bombs))(
  "%s, eight at once, are no answer",
  async (_name, send) => {
    const { outcomes, megabytes } = await readAll(Array.from({ length: 8 }, () => send));
    expect(outcomes.map(({ fault }) => fault)).toEqual(Array.from({ length: 8 }, () => "badAnswer"));
    expect(megabytes).toBeLessThan(functionMegabytes);
  },
  120_000,
);

test("beside lies of every kind, a list of 500 pods is read", async () => {
  const { outcomes, megabytes } = await readAll([...Object.values({ ...bombs, ...longLies }), list(500)]);
  expect(outcomes.at(-1)).toEqual({ pods: 500 });
  expect(outcomes.filter(({ fault }) => fault === undefined)).toHaveLength(1);
  expect(megabytes).toBeLessThan(functionMegabytes);
}, 120_000);
