import type { FailingLimits } from "../../../lib/sync/slot/count-failing";
import { dryRunAnnotation, pausedAnnotation } from "../../../lib/model/entry/annotation-names";
import { Fault } from "../../../lib/model/fault";
import { document, fixture, periodMs, queueSpec, slotAt } from "../sync-fixture";

/** A little less than four slots, and than twenty: syncs begin 200 ms into a slot. */
const failing: FailingLimits = { afterMs: 59_000, untilMs: 299_000 };

/** One HPA whose metric cannot be read. */
function failingHpa() {
  const story = fixture();
  const fail = () => story.cluster.external.set("depth", new Fault("unreachable", "no answer"));
  const count = () => story.shardNow()?.failing ?? 0;
  const syncEach = async (from: number, to: number) => {
    const counts: number[] = [];
    for (let index = from; index <= to; index++) {
      await story.sync(index, { failing });
      counts.push(count());
    }
    return counts;
  };
  const lasting = () => story.failures.filter(({ failingSince }) => failingSince !== undefined);
  fail();
  return { ...story, fail, syncEach, count, lasting };
}

const annotated = (annotations: Readonly<Record<string, string>>) => {
  const { metadata, ...rest } = document(queueSpec) as { metadata: object };
  return { ...rest, metadata: { ...metadata, annotations } };
};

test("an HPA counts after a minute of failing syncs, until it recovers", async () => {
  const { syncEach, depth } = failingHpa();
  expect(await syncEach(1, 7)).toEqual([0, 0, 0, 0, 1, 1, 1]);
  depth(5);
  expect(await syncEach(8, 9)).toEqual([0, 0]);
});

test("one line says so, when it begins to count, and one when it recovers", async () => {
  const { syncEach, depth, lasting, lines } = failingHpa();
  await syncEach(1, 4);
  expect(lasting()).toEqual([]);
  await syncEach(5, 9);
  const first = slotAt(1) + 200;
  expect(lasting()).toMatchObject([
    {
      cluster: "prod",
      key: "shop/orders",
      reason: "FailedGetExternalMetric",
      failingSince: first,
      at: slotAt(5) + 200,
    },
  ]);
  depth(5);
  await syncEach(10, 11);
  expect(lines.filter((line) => line.endsWith("recovered"))).toEqual(["shop/orders: recovered"]);
});

test("a shard that is new or was split says it once, too", async () => {
  const { syncEach, lasting, shardNow, store } = failingHpa();
  await syncEach(1, 4);
  const before = shardNow();
  // As after a split just before the slot in which the HPA begins to count.
  if (before !== undefined) store.shardItems.set("prod#", { ...before, heartbeat: slotAt(5) + 100 });
  await syncEach(5, 8);
  expect(lasting()).toHaveLength(1);
});

test("a sync that succeeds in between starts the minute again", async () => {
  const { syncEach, depth, fail } = failingHpa();
  await syncEach(1, 3);
  depth(5);
  await syncEach(4, 4);
  fail();
  expect(await syncEach(5, 9)).toEqual([0, 0, 0, 0, 1]);
});

test("another failure of the same HPA continues the minute", async () => {
  const { syncEach, cluster } = failingHpa();
  await syncEach(1, 3);
  cluster.scales.delete("shop/orders");
  expect(await syncEach(4, 5)).toEqual([0, 1]);
});

test("it stops to count when it has failed for so long that everybody knows, and then nothing is said", async () => {
  const { syncEach, lasting } = failingHpa();
  const counts = await syncEach(1, 24);
  expect(counts.slice(4, 20)).toEqual(Array(16).fill(1));
  expect(counts.slice(20)).toEqual([0, 0, 0, 0]);
  expect(lasting()).toHaveLength(1);
});

test.each([
  ["is paused", { [pausedAnnotation]: "true" }],
  ["is in a dry run", { [dryRunAnnotation]: "true" }],
])("an HPA that %s does not count", async (_, annotations) => {
  const { syncEach, store, lasting } = failingHpa();
  store.documents.set("prod shop/orders", annotated(annotations));
  expect(await syncEach(1, 7)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(lasting()).toEqual([]);
});

test("pausing a failing HPA silences it at once", async () => {
  const { syncEach, store } = failingHpa();
  expect(await syncEach(1, 5)).toEqual([0, 0, 0, 0, 1]);
  store.documents.set("prod shop/orders", annotated({ [pausedAnnotation]: "true" }));
  expect(await syncEach(6, 6)).toEqual([0]);
});

test("an invalid entry counts as any other failure: after a minute, and not for ever", async () => {
  const { syncEach, store, lasting } = failingHpa();
  store.documents.set("prod shop/orders", document({ ...queueSpec, maxReplicas: -1 }));
  const counts = await syncEach(1, 24);
  expect(counts.slice(0, 5)).toEqual([0, 0, 0, 0, 1]);
  expect(counts.slice(20)).toEqual([0, 0, 0, 0]);
  expect(lasting()).toMatchObject([{ reason: "InvalidEntry" }]);
});

test("an HPA with a longer period counts while it rests", async () => {
  const { syncEach, store } = failingHpa();
  store.documents.set("prod shop/orders", annotated({ "ebb.dev/sync-period": "5m" }));
  expect((await syncEach(1, 6)).slice(4)).toEqual([1, 1]);
});

test("HPAs whose syncs are never recorded count", async () => {
  const { store, syncEach, count, sync, depth } = failingHpa();
  depth(5);
  await syncEach(1, 1);
  // Every write of the state is refused, as when the table rejects it.
  const refusing = { ...store, putState: () => Promise.reject(new Fault("throttled", "the table is busy")) };
  depth(40);
  for (let index = 2; index <= 6; index++) await sync(index, { failing, store: refusing });
  expect(count()).toBe(1);
});

test("while the cluster's entry is invalid, all its HPAs count", async () => {
  const { syncEach, store, depth } = failingHpa();
  depth(5);
  await syncEach(1, 1);
  const entry = store.clusterEntries.get("prod");
  store.clusterEntries.set("prod", { key: "prod", invalid: "no endpoint" });
  expect(await syncEach(2, 6)).toEqual([0, 0, 0, 1, 1]);
  expect(await syncEach(20, 21)).toEqual([1, 0]);
  if (entry !== undefined) store.clusterEntries.set("prod", entry);
  expect(await syncEach(22, 22)).toEqual([0]);
});

test("a state that cannot be read counts at once", async () => {
  const { syncEach, store } = failingHpa();
  await syncEach(1, 1);
  store.broken.set("STATE prod shop/orders", { why: "no version" });
  expect(await syncEach(2, 2)).toEqual([1]);
});

test("one HPA that fails costs no write that it did not cost before", async () => {
  const { syncEach, state, shardNow } = failingHpa();
  await syncEach(1, 1);
  const { version } = state() ?? {};
  await syncEach(2, 12);
  expect(state()?.version).toBe(version);
  expect(shardNow()).toMatchObject({ slot: slotAt(12), failing: 1 });
});

test("a state of an older version of ebb gets its instant with the next sync", async () => {
  const { syncEach, store, state } = failingHpa();
  await syncEach(1, 1);
  const now = state();
  if (now === undefined) throw new Error("expected a state");
  const { failingSince: _, ...older } = now;
  store.stateItems.set("prod shop/orders", older);
  expect(await syncEach(2, 6)).toEqual([0, 0, 0, 0, 1]);
});

test("what an older version left of an earlier failure does not count", async () => {
  const { syncEach, store, state, depth, fail } = failingHpa();
  depth(5);
  await syncEach(1, 1);
  const kept = state();
  if (kept !== undefined)
    store.stateItems.set("prod shop/orders", { ...kept, failingSince: slotAt(1) - 20 * periodMs });
  fail();
  expect(await syncEach(2, 3)).toEqual([0, 0]);
});

test("without limits, nothing is counted", async () => {
  const { sync, count } = failingHpa();
  for (let index = 1; index <= 8; index++) await sync(index);
  expect(count()).toBe(0);
});
