import fc from "fast-check";
import type { Store } from "../../../lib/model/ports/store";
import { queueWorld, whole } from "./queue-world";

const { signal } = new AbortController();

/**
 * The promise of an index: an HPA whose present entry some sync has read is found by each of its queues, whatever
 * happens beside. What no sync has read yet is synced anyway, by its own wake or by the next slot.
 */
const names = ["a", "b", "c"] as const;
const queues = ["x", "y", "z"] as const;

type Small =
  | { readonly kind: "apply"; readonly name: string; readonly queue: string; readonly isWoken: boolean }
  | { readonly kind: "remove"; readonly name: string }
  | { readonly kind: "wake"; readonly name: string }
  | { readonly kind: "oldWriter" }
  | { readonly kind: "spoil" };
type Moment = "loaded" | "written" | "finishing";
type Op = Small | { readonly kind: "slot"; readonly during: Readonly<Record<Moment, readonly Small[]>> };

const name = fc.constantFrom(...names);
const small: fc.Arbitrary<Small> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("apply" as const),
      name,
      queue: fc.constantFrom(...queues),
      isWoken: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant("remove" as const), name }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wake" as const), name }) },
  fc.constant({ kind: "oldWriter" as const }),
  fc.constant({ kind: "spoil" as const }),
);
const few = fc.array(small, { maxLength: 2 });
const op: fc.Arbitrary<Op> = fc.oneof(
  small,
  fc.record({
    kind: fc.constant("slot" as const),
    during: fc.record({ loaded: few, written: few, finishing: few }),
  }),
);

interface Entry {
  readonly queue: string;
  isRead: boolean;
}

async function play(ops: readonly Op[]): Promise<void> {
  const world = queueWorld();
  await world.register();
  await world.createShard();
  /** What each entry reads, and whether a sync has read the entry as it is. */
  const entries = new Map<string, Entry>();
  let slot = 0;

  async function wake(hpa: string): Promise<void> {
    await world.wake(hpa, slot);
    const entry = entries.get(hpa);
    if (entry !== undefined) entry.isRead = true;
  }

  async function run(one: Small): Promise<void> {
    if (one.kind === "apply") {
      await world.apply(one.name, one.queue);
      entries.set(one.name, { queue: one.queue, isRead: false });
      if (one.isWoken) await wake(one.name);
    } else if (one.kind === "remove") {
      await world.remove("CLUSTER#prod", `HPA#shop/${one.name}`);
      entries.delete(one.name);
    } else if (one.kind === "wake") await wake(one.name);
    else if (one.kind === "oldWriter") {
      // A version of ebb that keeps members which it does not know.
      const shard = await world.store.shard(whole, signal);
      if (shard !== undefined) await world.store.replaceShard(shard, { ...shard, version: shard.version + 1 }, signal);
    } else await world.store.putIndex(whole, { hash: "spoilt", hpas: {} }, signal);
  }

  for (const one of ops) {
    if (one.kind !== "slot") await run(one);
    else {
      slot += 1;
      const seen = new Map<string, Entry>();
      const all = async (some: readonly Small[]) => {
        for (const each of some) await run(each);
      };
      const { store } = world;
      let hasFinished = false;
      const over: Store = {
        ...store,
        async load(...asked) {
          const contents = await store.load(...asked);
          for (const [hpa, entry] of entries) seen.set(hpa, entry);
          await all(one.during.loaded);
          return contents;
        },
        async putIndex(...asked) {
          const isWritten = await store.putIndex(...asked);
          await all(one.during.written);
          return isWritten;
        },
        async replaceShard(...asked) {
          if (!hasFinished) {
            hasFinished = true;
            await all(one.during.finishing);
          }
          return store.replaceShard(...asked);
        },
      };
      await world.slot(slot, over);
      for (const [hpa, entry] of seen) if (entries.get(hpa) === entry) entry.isRead = true;
    }
    for (const queue of queues) {
      const found = await world.find(queue);
      const expected = [...entries]
        .filter(([, entry]) => entry.queue === queue && entry.isRead)
        .map(([hpa]) => `prod shop/${hpa}`);
      expect({ queue, found }).toEqual({ queue, found: expect.arrayContaining(expected) as unknown });
      const reading = [...entries].filter(([, entry]) => entry.queue === queue).map(([hpa]) => `prod shop/${hpa}`);
      expect(reading).toEqual(expect.arrayContaining(found));
    }
  }
}

test("whatever changes beside slots, an HPA that was synced is found by its queue, and no other is", async () => {
  await fc.assert(fc.asyncProperty(fc.array(op, { minLength: 2, maxLength: 8 }), play), {
    numRuns: 12,
  });
});
