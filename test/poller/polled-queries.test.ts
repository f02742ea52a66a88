import { Fault } from "../../lib/model/fault";
import { asHpaKey } from "../../lib/model/hpa-key";
import type { FoundSource } from "../../lib/model/metric/found-source";
import type { KnownSource, SourceQuery } from "../../lib/model/ports/sources";
import { openPolledQueries, type PolledPorts, cacheWindowOf } from "../../lib/poller/polled-queries";
import { memoryStore } from "../fakes/memory-store";
import { idleHpa } from "./world";

const { signal } = new AbortController();
const since = "2026-11-10T12:00:00Z";

/** A kind keeps its readings for as long as the query's parameter says, in ms. */
const kind: KnownSource = {
  isBuiltIn: true,
  keepMs: ({ parameters }: SourceQuery) => {
    if (parameters["bad"] === "entry") throw new Fault("badEntry", "no");
    if (parameters["bad"] === "bug") throw new TypeError("a bug");
    return Number(parameters["keepMs"] ?? 0);
  },
  open: () => ({ read: () => Promise.reject(new Error("not read here")) }),
};

function setUp() {
  let now = 0;
  const store = memoryStore();
  const failures: string[] = [];
  const ports: PolledPorts = {
    store,
    sources: { sqs: kind, formula: kind },
    priceOf: (name, { metricName }) => (name === "sqs" ? 1 : 10) + (metricName === "depth" ? 0 : 100),
    reporter: { failed: ({ cluster, reason, message }) => failures.push(`${cluster} ${reason}: ${message}`) },
  };
  const polled = openPolledQueries(ports, () => now);
  let version = 0;
  const putCluster = (name: string, syncPeriodSeconds = 15) => {
    const auth = { type: "token" as const, secret: `ebb/${name}` };
    const spec = { endpoint: `https://${name}.example`, auth, options: { syncPeriodSeconds } };
    store.clusterEntries.set(name, { key: name, value: { name, spec } });
  };
  const putShard = (
    cluster: string,
    hpas: Readonly<Record<string, FoundSource>>,
    { from = "", to = null as string | null, mark = true, hash = JSON.stringify(hpas) } = {},
  ) => {
    const idle = Object.entries(hpas).map(([name, source]) => {
      return [asHpaKey(`shop/${name}`), { ...idleHpa(name, since, {}), sources: [source] }] as const;
    });
    store.idleItems.set(`${cluster} ${from}`, Object.fromEntries(idle));
    const shard = { cluster, from, to, version: ++version, slot: 0, heartbeat: 0, behind: {}, entries: 1 };
    store.shardItems.set(`${cluster}#${from}`, { ...shard, ...(mark && { idle: { hash, at: 0 } }) });
  };
  const read = () =>
    polled.queries().map(({ cluster, readers, price }) => [cluster.name, readers.map(({ id }) => id.key), price]);
  putCluster("prod");
  const at = (moment: number) => void (now = moment);
  return { store, polled, putCluster, putShard, read, failures, at };
}

const queue = (name: string, more: object = {}): FoundSource => ({
  ...{ kind: "source", source: "sqs", parameters: { queue: name, ...more } },
});

test("each query has the HPAs that ask it; one cluster's queries are not another's", async () => {
  const { polled, putCluster, putShard, read } = setUp();
  putCluster("test");
  putShard("prod", { a: queue("x"), b: queue("y"), c: queue("x") });
  putShard("test", { a: queue("x") });
  await polled.reload(signal);
  expect(read()).toEqual([
    ["prod", ["shop/a", "shop/c"], 1],
    ["prod", ["shop/b"], 1],
    ["test", ["shop/a"], 1],
  ]);
  expect(polled.shards()).toBe(2);
});

test("shards without a mark have nobody at zero: their items are not read", async () => {
  const { store, polled, putShard, read } = setUp();
  putShard("prod", { a: queue("x") }, { to: "shop/b" });
  putShard("prod", { b: queue("y") }, { from: "shop/b", mark: false });
  await polled.reload(signal);
  expect(read()).toEqual([["prod", ["shop/a"], 1]]);
  expect(store.calls).toEqual({ shards: 1, clusters: 1, idle: 1 });
  expect(polled.shards()).toBe(2);
});

test("a reload reads the items whose shards say that they changed, and clusters only when one is new", async () => {
  const { store, polled, putCluster, putShard, read } = setUp();
  putShard("prod", { a: queue("x") }, { to: "shop/b" });
  putShard("prod", { b: queue("y") }, { from: "shop/b" });
  await polled.reload(signal);
  const queries = polled.queries();
  await polled.reload(signal);
  expect(polled.queries()).toBe(queries);
  expect(store.calls).toEqual({ shards: 2, clusters: 1, idle: 2 });
  putShard("prod", { b: queue("z") }, { from: "shop/b" });
  putCluster("test");
  putShard("test", { c: queue("x") });
  await polled.reload(signal);
  expect(store.calls).toEqual({ shards: 3, clusters: 2, idle: 4 });
  expect(read().map(([cluster, keys]) => [cluster, keys])).toEqual([
    ["prod", ["shop/a"]],
    ["prod", ["shop/b"]],
    ["test", ["shop/c"]],
  ]);
});

test("a shard that is gone, or whose last HPA is up, takes its queries along", async () => {
  const { store, polled, putShard, read } = setUp();
  putShard("prod", { a: queue("x") }, { to: "shop/b" });
  putShard("prod", { b: queue("y") }, { from: "shop/b" });
  await polled.reload(signal);
  store.shardItems.delete("prod#shop/b");
  await polled.reload(signal);
  expect(read()).toEqual([["prod", ["shop/a"], 1]]);
  putShard("prod", {}, { mark: false });
  await polled.reload(signal);
  expect(read()).toEqual([]);
});

test("HPAs of a cluster whose entry is missing or cannot be read are left to their slots", async () => {
  const { store, polled, putShard, read } = setUp();
  store.clusterEntries.set("broken", { key: "broken", invalid: "spec.endpoint: expected a URL" });
  putShard("broken", { a: queue("x") });
  putShard("gone", { a: queue("x") });
  putShard("prod", { a: queue("x") });
  await polled.reload(signal);
  expect(read()).toEqual([["prod", ["shop/a"], 1]]);
});

test("a reload that fails halfway costs nothing of what it has read", async () => {
  const { store, polled, putShard, read } = setUp();
  putShard("prod", { a: queue("x") }, { to: "shop/b" });
  putShard("prod", { b: queue("y") }, { from: "shop/b" });
  const idle = store.idle.bind(store);
  store.idle = (range, ...rest) =>
    range.from === "" ? idle(range, ...rest) : Promise.reject(new Fault("timeout", "no"));
  await expect(polled.reload(signal)).rejects.toThrow("no");
  store.shardItems.delete("prod#shop/b");
  await polled.reload(signal);
  expect(read()).toEqual([["prod", ["shop/a"], 1]]);
});

test("what does not fit into the poller's memory is reported, and left to its slots", async () => {
  const { polled, putShard, failures } = setUp();
  const parts = Array.from({ length: 7 }, (_, index) => [
    `a${index}`,
    queue("x", { text: "x".repeat(10 * 2 ** 20), index }),
  ]);
  putShard("prod", Object.fromEntries(parts) as Record<string, FoundSource>, { to: "shop/b" });
  putShard("prod", { b: queue("y") }, { from: "shop/b" });
  await polled.reload(signal);
  await polled.reload(signal);
  const keys = polled.queries().flatMap(({ readers }) => readers.map(({ id }) => id.key));
  expect(keys).toContain("shop/b");
  expect(keys).toHaveLength(6);
  expect(failures).toEqual([
    'prod WatchMemory: the poller has 64 MB for the HPAs at zero of all clusters, and 2 of the shard from "" need more than their shares of it: their slots wake them; make the texts of their metrics shorter',
  ]);
});

describe("a zero that has ended", () => {
  const id = { cluster: "prod", key: asHpaKey("shop/a"), since };

  test("is read no more, and the others go on", async () => {
    const { polled, putShard, read } = setUp();
    putShard("prod", { a: queue("x"), b: queue("x") });
    await polled.reload(signal);
    polled.end([]);
    expect(read()).toEqual([["prod", ["shop/a", "shop/b"], 1]]);
    polled.end([id]);
    expect(read()).toEqual([["prod", ["shop/b"], 1]]);
    putShard("prod", { a: queue("x"), b: queue("y") });
    await polled.reload(signal);
    expect(read()).toEqual([["prod", ["shop/b"], 1]]);
  });

  test("is forgotten once its shard no longer names it", async () => {
    const { polled, putShard, read } = setUp();
    putShard("prod", { a: queue("x") });
    await polled.reload(signal);
    polled.end([id]);
    putShard("prod", { b: queue("y") });
    await polled.reload(signal);
    putShard("prod", { a: queue("x") }, { hash: "again" });
    await polled.reload(signal);
    expect(read()).toEqual([["prod", ["shop/a"], 1]]);
  });
});

test("while no zero has ended, the queries stay as they are", async () => {
  const { polled, putShard } = setUp();
  putShard("prod", { a: queue("x") });
  await polled.reload(signal);
  const queries = polled.queries();
  polled.end([]);
  expect(polled.queries()).toBe(queries);
});

test("one process watches 20,000 HPAs: a cluster that has more leaves a neighbour its three, and takes turns", async () => {
  const { polled, putShard, putCluster, at } = setUp();
  putCluster("zzz");
  putShard("prod", Object.fromEntries(Array.from({ length: 20_005 }, (_, index) => [`hpa-${index}`, queue("x")])));
  putShard("zzz", { a: queue("a"), b: queue("b"), c: queue("c") });
  await polled.reload(signal);
  const readers = () =>
    polled.queries().map(({ cluster, readers }) => [cluster.name, new Set(readers.map(({ id }) => id.key))] as const);
  const [crowd, ...few] = readers();
  expect(crowd?.[1].size).toBe(19_997);
  expect(few.map(([cluster, { size }]) => [cluster, size])).toEqual([
    ["zzz", 1],
    ["zzz", 1],
    ["zzz", 1],
  ]);
  const [ended = asHpaKey("")] = crowd?.[1] ?? [];
  at(600_000);
  polled.end([{ cluster: "prod", key: ended, since }]);
  const [later] = readers();
  expect(later?.[1].size).toBe(19_997);
  expect(later?.[1]).not.toContain(ended);
  const others = [...(crowd?.[1] ?? [])].filter((key) => key !== ended && later?.[1].has(key) !== true);
  expect(others.length).toBeGreaterThan(3);
});

describe("what may be read only now and then", () => {
  const formula = (...operands: NonNullable<FoundSource["operands"]>): FoundSource => ({
    ...{ kind: "source", source: "formula", parameters: {}, operands },
  });
  const operand = (name: string, found: FoundSource) => ({ name, metricName: "depth", found });
  const invalid = { name: "c", metricName: "c", found: { kind: "invalid" as const, error: "e", from: "f" } };

  test.each<[string, FoundSource, { keepMs: number; price: number } | undefined]>([
    ["each time", queue("x"), { keepMs: 0, price: 1 }],
    ["more often than its slots come", queue("x", { keepMs: 14_999 }), { keepMs: 14_999, price: 1 }],
    ["as often as its slots come", queue("x", { keepMs: 15_000 }), undefined],
    ["a kind that is not there", { ...queue("x"), source: "none" }, undefined],
    ["a name of every object", { ...queue("x"), source: "constructor" }, undefined],
    ["an entry that is wrong", queue("x", { bad: "entry" }), undefined],
    [
      "a formula, as its slowest operand",
      formula(operand("a", queue("x", { keepMs: 2_000 })), operand("b", queue("y", { keepMs: 9_000 })), invalid),
      { keepMs: 9_000, price: 2 },
    ],
    ["a formula with an operand that is wrong", formula(operand("a", queue("x", { bad: "entry" }))), undefined],
    ["a formula of an unknown kind", formula(operand("a", { ...queue("x"), source: "none" })), undefined],
  ])("%s", async (_name, source, expected) => {
    const { polled, putShard } = setUp();
    putShard("prod", { a: source });
    await polled.reload(signal);
    const [found] = polled.queries();
    expect(found && { keepMs: found.keepMs, price: found.price }).toEqual(expected);
  });

  test("a bug is not hidden", async () => {
    const { polled, putShard } = setUp();
    putShard("prod", { a: queue("x", { bad: "bug" }) });
    await expect(polled.reload(signal)).rejects.toThrow(TypeError);
  });
});

test("a source without a metric of the HPA is left out", async () => {
  const { store, polled, putShard, read } = setUp();
  putShard("prod", { a: queue("x") });
  const [idle] = Object.values(store.idleItems.get("prod ") ?? {});
  if (idle === undefined) throw new Error("expected one");
  const spec = (metrics: unknown) => ({ ...idle, hpa: { ...idle.hpa, spec: { ...idle.hpa.spec, metrics } } }) as never;
  store.idleItems.set("prod ", {
    [asHpaKey("shop/none")]: spec(undefined),
    [asHpaKey("shop/short")]: { ...idle, sources: [queue("x"), queue("y")] },
    [asHpaKey("shop/other")]: spec([{ type: "Resource" }]),
  });
  await polled.reload(signal);
  expect(read()).toEqual([["prod", ["shop/short"], 1]]);
});

test.each([
  [0, 0, 600_000],
  [59_999, 60_000, undefined],
  [60_000, 60_000, 660_000],
  [179_999, 60_000, 720_000],
])("%s ms into a slot, a query whose readings are kept for %s ms is in window %s", (into, keepMs, expected) => {
  const cluster = { periodMs: 600_000 } as never;
  expect(cacheWindowOf({ keepMs, cluster }, 600_000 + into)).toBe(expected);
});
