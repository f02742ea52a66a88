import { hpaKey } from "../../../lib/model/hpa-key";
import { indexOf, type QueuesRead } from "../../../lib/sync/wake/write-queue-index";

const read = (namespace: string, name: string, queues: number): QueuesRead => ({
  key: hpaKey(namespace, name),
  queues: Array.from({ length: queues }, (_, index) => index),
});

test("a team's 900 HPAs with ten queues each leave a neighbour's three with 1,000 queues in the index", () => {
  const crowd = Array.from({ length: 900 }, (_, index) => read("crowd", `h${index}`, 10));
  const overlapping = ["a", "b", "c"].map((name) => read("zzz", name, 1_000));
  const { hpas } = indexOf([...crowd, ...overlapping]);
  for (const { key, queues } of overlapping) expect(hpas[key]).toEqual({ queues });
  expect(crowd.every(({ key }) => "more" in (hpas[key] ?? {}))).toBe(true);
});

test("the same queues make the same index, whatever order they come in", () => {
  const reads = Array.from({ length: 100 }, (_, index) => read("shop", `h${index}`, 100 + (index % 7)));
  expect(indexOf(reads.toReversed()).hpas).toEqual(indexOf(reads).hpas);
});
