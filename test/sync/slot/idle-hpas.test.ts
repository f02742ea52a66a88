import { document, fixture, metricValue, periodMs, queueSpec, slotAt, sourceOf } from "../sync-fixture";

/** What a slot says of its HPAs at zero: the IDLE item, and its mark in the SHARD item. */
const wake = "ebb.dev/wake";
const poller = { byDefault: false };
const spec = {
  ...queueSpec,
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
};

function setUp(annotations: Readonly<Record<string, string>> = { [wake]: "fast" }, more: Partial<typeof spec> = {}) {
  const day = fixture();
  let depth = 0;
  const sources = { depth: sourceOf(() => ({ items: [metricValue("depth", depth)] })) };
  const put = (given: Readonly<Record<string, string>>, key = "shop/orders") => {
    const entry = document({ ...spec, ...more }, key) as { readonly metadata: object };
    day.store.documents.set(`prod ${key}`, { ...entry, metadata: { ...entry.metadata, annotations: given } });
  };
  put(annotations);
  return {
    ...day,
    put,
    depth: (value: number) => (depth = value),
    slot: (index: number, over: Parameters<typeof day.sync>[1] = {}) => day.sync(index, { sources, poller, ...over }),
    idle: () => day.store.idleItems.get("prod "),
    mark: () => day.shardNow()?.idle,
  };
}

test("an HPA that the slot scaled to zero is watched from that slot on", async () => {
  const { slot, idle, mark, depth, replicasNow } = setUp();
  depth(5);
  await slot(1);
  expect([idle(), mark()]).toEqual([undefined, undefined]);
  depth(0);
  await slot(2);
  expect(replicasNow()).toBe(0);
  expect(mark()).toEqual({ hash: expect.stringMatching(/^[\w-]{16}$/) as string, at: slotAt(2) });
  expect(idle()).toEqual({
    "shop/orders": {
      hpa: expect.objectContaining({
        metadata: { namespace: "shop", name: "orders" },
        spec: expect.objectContaining({ minReplicas: 0, metrics: queueSpec.metrics }) as unknown,
      }) as unknown,
      sources: [{ kind: "source", source: "depth", parameters: {} }],
      rules: [{}],
      since: "2026-03-01T12:00:30Z",
    },
  });
});

test("while the set stays the same, it is written once in ten minutes", async () => {
  const { slot, store, mark } = setUp();
  for (let index = 1; index <= 2 + (10 * 60_000) / periodMs; index++) await slot(index);
  expect(store.calls["putIdle"]).toBe(2);
  expect(mark()?.at).toBe(slotAt(1 + (10 * 60_000) / periodMs));
});

test("an HPA that is up again is not watched, and its next zero is another one", async () => {
  const { slot, mark, depth, store } = setUp();
  await slot(1);
  const first = mark();
  depth(5);
  await slot(2);
  expect(mark()).toBeUndefined();
  depth(0);
  await slot(3);
  expect(mark()?.hash).not.toBe(first?.hash);
  expect(store.calls["putIdle"]).toBe(2);
});

test.each<[string, boolean, Readonly<Record<string, string>>, Parameters<typeof setUp>[1], { byDefault: boolean }]>([
  ["asks for it", true, { [wake]: "fast" }, {}, { byDefault: false }],
  ["says nothing", false, {}, {}, { byDefault: false }],
  ["says nothing, and the deployment does", true, {}, {}, { byDefault: true }],
  ["leaves it to its slots", false, { [wake]: "slot" }, {}, { byDefault: true }],
  ["is a dry run", false, { [wake]: "fast", "ebb.dev/dry-run": "true" }, {}, { byDefault: false }],
  ["may not be at zero any more", false, { [wake]: "fast" }, { minReplicas: 1 }, { byDefault: false }],
  ["is paused", false, { [wake]: "fast", "ebb.dev/paused": "true" }, {}, { byDefault: false }],
])("an HPA at zero that %s is watched: %s", async (...[, expected, annotations, more, settings]) => {
  const zero = setUp();
  await zero.slot(1);
  expect(zero.replicasNow()).toBe(0);
  const entry = document({ ...spec, ...more }) as { readonly metadata: object };
  zero.store.documents.set("prod shop/orders", { ...entry, metadata: { ...entry.metadata, annotations } });
  await zero.slot(2, { poller: settings });
  expect(zero.mark() !== undefined).toBe(expected);
});

test("a zero that somebody else made is not watched", async () => {
  const { slot, cluster, mark, depth } = setUp();
  depth(5);
  cluster.add("shop/orders", 0);
  await slot(1);
  expect(mark()).toBeUndefined();
});

test("metrics of the cluster's own APIs are left to the slots", async () => {
  const { slot, mark, cluster } = setUp();
  cluster.external.set("depth", [metricValue("depth", 0)]);
  await slot(1, { sources: {} });
  await slot(2, { sources: {} });
  expect(mark()).toBeUndefined();
});

test("the rules of a metric are those of its annotation", async () => {
  const { slot, idle } = setUp({ [wake]: "fast", "ebb.dev/metric-rules": '{"depth": {"activation": "3"}}' });
  await slot(1);
  expect(idle()?.["shop/orders"]?.rules).toEqual([{ activation: "3" }]);
});

test("a deployment that does not watch writes nothing, and forgets what another one wrote", async () => {
  const { slot, mark, store, sync } = setUp();
  await slot(1);
  expect(mark()).toBeDefined();
  await sync(2);
  expect(mark()).toBeUndefined();
  expect(store.calls["putIdle"]).toBe(1);
});

test("a table that does not take the item is reported, and the slot is finished all the same", async () => {
  const { slot, failures, shardNow, mark, store } = setUp();
  const failing = {
    ...store,
    putIdle: (...args: Parameters<typeof store.putIdle>) => store.putIdle(args[0], args[1], AbortSignal.abort()),
  };
  await slot(1, { store: failing });
  expect(failures.map(({ reason }) => reason)).toEqual(["IdleNotWritten"]);
  expect([shardNow()?.slot, mark()]).toEqual([slotAt(1), undefined]);
  await slot(2);
  expect(mark()).toBeDefined();
});
