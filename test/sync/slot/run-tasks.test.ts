import { Fault } from "../../../lib/model/fault";
import type { Cluster, Target } from "../../../lib/model/ports/cluster";
import type { MetricSources, SourceQuery } from "../../../lib/model/ports/sources";
import type { Store } from "../../../lib/model/ports/store";
import { syncShard } from "../../../lib/sync/slot/sync-shard";
import { document, fixture, metricValue, periodMs, queueSpec, slotAt } from "../sync-fixture";

/**
 * What the HPAs of one sync run share: its time, its connection and its reads; and how each is alone with its failures.
 */
const { signal } = new AbortController();
const cpu = {
  ...{ scaleTargetRef: queueSpec.scaleTargetRef, maxReplicas: 10 },
  metrics: [
    { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } },
  ] as const,
};

function setUp() {
  const day = fixture();
  day.depth(5);
  const add = (name: string, spec = queueSpec) => {
    const scaleTargetRef = { ...spec.scaleTargetRef, name };
    day.store.documents.set(`prod shop/${name}`, document({ ...spec, scaleTargetRef }, `shop/${name}`));
    day.cluster.add(`shop/${name}`, 1);
  };
  return { ...day, add };
}

describe("the time of a run", () => {
  /** Collects the timers that the code asks for, and lets none of them elapse. */
  async function timersDuring(work: (fire: (ms: number) => void) => Promise<unknown>): Promise<readonly number[]> {
    const timers: { readonly ms: number; readonly run: () => void }[] = [];
    const real = globalThis.setTimeout;
    const asked = ((run: () => void, ms = 0) => {
      timers.push({ ms, run });
      return real(() => undefined, 0);
    }) as typeof setTimeout;
    globalThis.setTimeout = asked;
    try {
      await work((ms) => timers.find((timer) => timer.ms === ms)?.run());
    } finally {
      globalThis.setTimeout = real;
    }
    return timers.map(({ ms }) => ms);
  }

  test.each<[string, number, number, number]>([
    ["a second before the slot does", 0, 60_000, 14_000],
    ["a quarter of what is left, if that is less", 12_000, 60_000, 2_250],
    ["when the invocation does, if that is earlier", 0, 8_000, 7_000],
    ["at once, if it is over", 0, -1, 0],
  ])("reads end %s", async (_name, afterMs, leftMs, expected) => {
    const { store, reporter, cluster } = setUp();
    const now = slotAt(1) + afterMs;
    const events = { record: () => Promise.resolve(), forget: () => undefined };
    const ports = { store, reporter, events, sources: {}, clusters: { connect: () => Promise.resolve(cluster) } };
    const message = { cluster: "prod", from: "", slot: slotAt(1), until: slotAt(2) };
    const timers = await timersDuring(() =>
      syncShard(ports, message, { now: () => now, workedMs: () => 0, deadline: now + leftMs, signal }),
    );
    expect(timers).toContain(expected);
  });

  test("what still reads then is aborted with the reason, and its HPA is not recorded", async () => {
    const { sync, cluster, state, counts } = setUp();
    let reason: unknown;
    const timers = await timersDuring(async (fire) => {
      const hanging: Cluster = {
        ...cluster,
        getScale: (_target, within) =>
          new Promise((_resolve, reject) => {
            within.addEventListener("abort", () => {
              reason = within.reason;
              reject(new Fault("timeout", "given up"));
            });
            setImmediate(() => fire(13_800));
          }),
      };
      await sync(1, { cluster: hanging });
    });
    expect(timers).toContain(13_800);
    expect(reason).toMatchObject({ name: "Fault", kind: "timeout", message: "the slot's time is up" });
    expect(counts).toMatchObject([{ behind: 1 }]);
    expect(state()).toBeUndefined();
  });

  test.each([
    ["just before", -1, true],
    ["at", 0, false],
  ])("a state is written until %s the end", async (_name, ms, isWritten) => {
    const { sync, cluster, clock, state } = setUp();
    const slow: Cluster = {
      ...cluster,
      externalMetric: (...args) => {
        clock.now = slotAt(2) + ms;
        return cluster.externalMetric(...args);
      },
    };
    await sync(1, { cluster: slow });
    expect(state() !== undefined).toBe(isWritten);
  });

  test.each([
    ["before the end of its slot: it is settled", -1, false],
    ["at the end: the next sync settles it", 0, true],
  ])("a scale write that is answered %s", async (_name, ms, isOpen) => {
    const { sync, cluster, clock, state, depth } = setUp();
    depth(50);
    const slow: Cluster = {
      ...cluster,
      async putScale(...args) {
        const scale = await cluster.putScale(...args);
        clock.now = slotAt(2) + ms;
        return scale;
      },
    };
    await sync(1, { cluster: slow });
    expect(cluster.writes).toHaveLength(1);
    expect(state()?.intent !== undefined).toBe(isOpen);
  });
});

describe("what HPAs share", () => {
  test("the HPAs of a namespace that read pods list them once", async () => {
    const { sync, add, cluster } = setUp();
    add("a", cpu);
    add("b", cpu);
    add("c");
    const lists: string[] = [];
    const far: Cluster = {
      ...cluster,
      listPods(namespace, selector, within) {
        lists.push(`${namespace} ${selector}`);
        return cluster.listPods(namespace, selector, within);
      },
    };
    await sync(1, { cluster: far });
    expect(lists).toEqual(["shop "]);
  });

  test("all targets are read together, but those of paused HPAs, and those with an open intent: these are asked alone", async () => {
    const { sync, add, store, cluster, depth, state } = setUp();
    add("a");
    add("b");
    add("resting");
    const resting = document(queueSpec, "shop/resting") as { metadata: object };
    const metadata = { ...resting.metadata, annotations: { "ebb.dev/paused": "true" } };
    store.documents.set("prod shop/resting", { ...resting, metadata });
    const reads = new Map<string, readonly string[] | "alone">();
    const far: Cluster = {
      ...cluster,
      getScale(target, within, run) {
        reads.set(target.name, run?.targets.map(({ name }) => name).sort() ?? "alone");
        return cluster.getScale(target, within);
      },
    };
    await sync(1, { cluster: far });
    expect([...reads.values()]).toEqual([1, 2, 3, 4].slice(0, reads.size).map(() => ["a", "b", "orders"]));
    expect([...reads.keys()]).toEqual(expect.arrayContaining(["a", "b", "orders"]));

    depth(50);
    const lost = (target: Target) => Promise.reject(new Fault("lost", `${target.name}: no answer`));
    const isOrders = (target: Target) => target.name === "orders";
    const putScale: Cluster["putScale"] = (target, ...rest) =>
      isOrders(target) ? lost(target) : cluster.putScale(target, ...rest);
    await sync(2, { cluster: { ...cluster, putScale } });
    expect(state()).toHaveProperty("intent");
    reads.clear();
    await sync(3, { cluster: { ...far, putScale } });
    expect(reads.get("a")).toEqual(["a", "b"]);
    expect(reads.get("orders")).toBe("alone");
  });

  test("an HPA's second query ranks after everybody's first", async () => {
    const { sync, store } = setUp();
    const asked: SourceQuery[] = [];
    const sources: MetricSources = {
      sqs: {
        ...{ isBuiltIn: true, keepMs: () => 0 },
        open: () => ({
          read(query) {
            asked.push(query);
            return Promise.resolve({ items: [metricValue("sqs", 5)] });
          },
        }),
      },
    };
    const metric = (queue: string) =>
      ({
        type: "External",
        external: {
          metric: { name: "sqs", selector: { matchLabels: { queue } } },
          target: { type: "AverageValue", averageValue: "5" },
        },
      }) as const;
    store.documents.set("prod shop/orders", document({ ...queueSpec, metrics: [metric("a"), metric("b")] }));
    await sync(1, { sources });
    const parameters = (queue: string) => ({ metricName: "sqs", parameters: { queue }, requester: "shop/orders" });
    expect(asked).toEqual([parameters("a"), { ...parameters("b"), priority: 1 }]);
  });
});

describe("a failure", () => {
  test("of the connection shows on each HPA, and on nothing else", async () => {
    const { sync, store, reporter, failures, condition } = setUp();
    const events = { record: () => Promise.resolve(), forget: () => undefined };
    const connect = () => Promise.reject(new Fault("unauthorized", "no token"));
    const ports = { store, reporter, events, sources: {}, clusters: { connect } };
    const message = { cluster: "prod", from: "", slot: slotAt(1), until: slotAt(2) };
    const now = slotAt(1) + 200;
    const counts = await syncShard(ports, message, { now: () => now, workedMs: () => 0, deadline: slotAt(9), signal });
    expect(counts).toMatchObject({ outcome: "synced", hpas: 1, failed: 1, behind: 0 });
    expect(condition("AbleToScale")).toMatchObject({
      reason: "FailedGetScale",
      message: expect.stringMatching("no token") as string,
    });
    expect(failures).toMatchObject([{ key: "shop/orders", reason: "FailedGetScale" }]);
    await sync(2);
    expect(condition("AbleToScale")).toMatchObject({ status: "True" });
  });

  test("of ebb itself stays visible when it connects", async () => {
    const { store, reporter } = setUp();
    const defect = new TypeError("x is not a function");
    const events = { record: () => Promise.resolve(), forget: () => undefined };
    const ports = { store, reporter, events, sources: {}, clusters: { connect: () => Promise.reject(defect) } };
    const message = { cluster: "prod", from: "", slot: slotAt(1), until: slotAt(2) };
    const context = { now: () => slotAt(1), workedMs: () => 0, deadline: slotAt(9), signal };
    await expect(syncShard(ports, message, context)).rejects.toBe(defect);
  });

  test.each([
    ["InternalError", new TypeError("x is not a function"), "x is not a function"],
    ["FailedSync", new Fault("throttled", "the table is busy"), "the table is busy"],
  ])("of one HPA is reported on it (%s), and the others go on", async (reason, error, message) => {
    const { sync, add, store, failures, eventsNow } = setUp();
    add("second");
    const failing: Store = {
      ...store,
      putState: (cluster, key, ...rest) =>
        key === "shop/orders" ? Promise.reject(error) : store.putState(cluster, key, ...rest),
    };
    expect(await sync(1, { store: failing })).toMatchObject({ hpas: 2, scaled: 0, failed: 1, behind: 1 });
    expect(failures).toEqual([{ cluster: "prod", key: "shop/orders", reason, message, at: slotAt(1) + 200 }]);
    expect(await eventsNow()).toEqual([`${reason} x1: ${message}`]);
    const all = await store.events({ cluster: "prod", from: "", to: null }, signal);
    expect(all.flatMap(({ events }) => events.map(({ type }) => type))).toEqual(["Warning"]);
    expect(store.stateItems.has("prod shop/second")).toBe(true);
  });
});

describe("an HPA whose entry is gone", () => {
  test("is forgotten, and counts as nothing", async () => {
    const { sync, store } = setUp();
    await sync(1);
    store.documents.clear();
    expect(await sync(2)).toMatchObject({ hpas: 0, behind: 0 });
    expect(store.stateItems.size).toBe(0);
  });

  test("is left to the next slot when there is no time", async () => {
    const { sync, store, clock } = setUp();
    await sync(1);
    store.documents.clear();
    const slow: Store = {
      ...store,
      async load(loaded, within) {
        const contents = await store.load(loaded, within);
        clock.now = slotAt(2) + periodMs;
        return contents;
      },
    };
    await sync(2, { store: slow });
    expect(store.stateItems.size).toBe(1);
  });

  test("that cannot be forgotten is a failure of its own", async () => {
    const { sync, store, failures } = setUp();
    await sync(1);
    store.documents.clear();
    const failing: Store = { ...store, deleteRecords: () => Promise.reject(new Fault("throttled", "busy")) };
    expect(await sync(2, { store: failing })).toMatchObject({ hpas: 1, failed: 1, behind: 1 });
    expect(failures).toMatchObject([{ key: "shop/orders", reason: "FailedSync", message: "busy" }]);
  });
});
