import fc from "fast-check";
import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { toItem } from "../../lib/table/items/attributes";
import { openLoadRoom } from "../../lib/table/load-shard";
import { openStore } from "../../lib/table/store";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";

const keepAll = (most: number, sizes: readonly (readonly [key: string, memory: number])[]) => {
  const room = openLoadRoom(most);
  return sizes
    .map(
      ([key, memory]) =>
        [key, room.keep({ key, size: { bytes: memory, memory }, value: "kept" }, (why) => why)] as const,
    )
    .map(([key, { value }]) => [key, value] as const);
};

const kept = (outcome: ReturnType<typeof keepAll>) =>
  outcome.flatMap(([key, value]) => (value === "kept" ? [key] : [])).sort();

test("what fits, stays", () => {
  expect(
    kept(
      keepAll(10, [
        ["a", 4],
        ["b", 6],
      ]),
    ),
  ).toEqual(["a", "b"]);
});

test("the largest gives way, and says why", () => {
  const mb = 2 ** 20;
  const outcome = keepAll(2 * mb, [
    ["a", mb],
    ["large", 2 * mb],
    ["b", mb],
  ]);
  expect(kept(outcome)).toEqual(["a", "b"]);
  expect(outcome[1]?.[1]).toBe(
    "expected the HPAs, states and sources of a shard to take at most 2 MB of memory together, they take more, and this one of 2097152 bytes is among the largest (a limit of ebb): make it shorter, or give the function more memory",
  );
});

test("of equal ones, the first in key order stay", () => {
  expect(
    kept(
      keepAll(10, [
        ["d", 5],
        ["a", 5],
        ["c", 5],
        ["b", 5],
      ]),
    ),
  ).toEqual(["a", "b"]);
});

test("the same ones stay in whatever order they arrive, and no small one gives way to a larger one", () => {
  const sizes = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.nat(50)), {
    selector: ([key]) => key,
    maxLength: 40,
  });
  fc.assert(
    fc.property(sizes, fc.nat(400), fc.infiniteStream(fc.nat()), (all, most, random) => {
      const shuffled = all.map((one) => [random.next().value as number, one] as const);
      const inOtherOrder = shuffled.sort(([a], [b]) => a - b).map(([, one]) => one);
      const stay = kept(keepAll(most, all));
      expect(kept(keepAll(most, inOtherOrder))).toEqual(stay);
      const memoryOf = new Map(all);
      const sum = stay.reduce((memory, key) => memory + (memoryOf.get(key) ?? 0), 0);
      expect(sum).toBeLessThanOrEqual(most);
      const largest = Math.max(0, ...stay.map((key) => memoryOf.get(key) ?? 0));
      for (const [key, memory] of all) if (!stay.includes(key)) expect(memory).toBeGreaterThanOrEqual(largest);
    }),
  );
});

test("what a process keeps of a shard takes its part of the room", async () => {
  const client = memoryDynamodb();
  const { signal } = new AbortController();
  const spec = { kind: "sqs", parameters: { queue: "q".repeat(6_000) } };
  const source = toItem({ pk: "CLUSTER#prod", sk: "SOURCE#jobs", spec });
  await client.send(new PutItemCommand({ TableName: memoryTableName, Item: source }));
  const store = openStore({ client, table: memoryTableName, now: () => 0, loadMemory: 20_000 });
  const loaded = async (memory: number) => {
    const whole = { cluster: "prod", from: "", to: null };
    const { sources } = await store.load(whole, signal, { hpas: [], states: {}, memory });
    return sources.map((one) => ("value" in one ? "kept" : "refused"));
  };
  expect([await loaded(0), await loaded(19_000)]).toEqual([["kept"], ["refused"]]);
});
