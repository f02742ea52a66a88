import type { Shard } from "../../lib/model/stored/shard";
import type { State } from "../../lib/model/stored/state";
import { reshard } from "../../lib/scheduler/reshard";
import { splitAbove } from "../../lib/model/stored/shard-size";
import { Fault } from "../../lib/model/fault";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { KnownSource } from "../../lib/model/ports/sources";
import type { Store } from "../../lib/model/ports/store";
import { document, fixture, metricValue, periodMs, queueSpec, slotAt, sourceOf } from "./sync-fixture";

type Day = ReturnType<typeof fixture>;

function addHpa(day: Day, key: string, metric = "depth"): void {
  const target = { type: "AverageValue", averageValue: "5" };
  const [, name = ""] = key.split("/");
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  const metrics = [{ type: "External", external: { metric: { name: metric }, target } }];
  day.store.documents.set(`prod ${key}`, document({ ...queueSpec, scaleTargetRef, metrics }, key));
  day.cluster.add(key, 1);
}

/** Answers nothing until the sync gives up on it. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(new Fault("timeout", "adapter: no answer before the sync's end"))),
  );

describe("what does not answer", () => {
  /** The sync's clock is just before the slot's end, so its reads end at once. */
  const late = { afterMs: periodMs - 40 };

  function withHungAdapter(): { day: Day; cluster: Cluster } {
    const day = fixture();
    day.depth(50);
    addHpa(day, "shop/hung", "hung");
    const cluster: Cluster = {
      ...day.cluster,
      externalMetric: (query, signal) =>
        query.metric.name === "hung" ? untilAborted(signal) : day.cluster.externalMetric(query, signal),
    };
    return { day, cluster };
  }

  test("a metric that is never answered delays no other HPA, and the slot is finished", async () => {
    const { day, cluster } = withHungAdapter();
    expect(await day.sync(1, { ...late, cluster })).toMatchObject({ outcome: "synced", scaled: 1, behind: 1 });
    expect(day.replicasNow()).toBe(5);
    expect(Object.keys(day.shardNow()?.behind ?? {})).toEqual(["shop/hung"]);
  });

  test("and one line says once what was not read", async () => {
    const { day, cluster } = withHungAdapter();
    for (let slot = 1; slot <= 3; slot++) await day.sync(slot, { ...late, cluster });
    const expected = "the slot ended before everything was read: ";
    expect(day.failures).toMatchObject([
      { key: "shop/hung", reason: "OutOfTime", message: expect.stringContaining(expected) as string },
    ]);
    expect(day.failures[0]?.message).toContain("adapter: no answer before the sync's end");
    expect(day.cluster.scales.get("shop/hung")?.replicas).toBe(1);
  });

  test("nothing of a sync keeps running when it is over: its reads are aborted", async () => {
    const day = fixture();
    day.depth(50);
    const signals: AbortSignal[] = [];
    const cluster: Cluster = {
      ...day.cluster,
      getScale: (target, signal) => (signals.push(signal), day.cluster.getScale(target, signal)),
    };
    await day.sync(1, { cluster });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("an unreachable metrics API does not affect the other metrics", async () => {
    const day = fixture();
    day.depth(50);
    for (let i = 0; i < 60; i++) addHpa(day, `shop/z${i}`);
    const podSpec = { ...queueSpec, minReplicas: 1, metrics: [podsMetric] };
    for (let i = 0; i < 8; i++) {
      addHpa(day, `shop/a${i}`);
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: `a${i}` };
      day.store.documents.set(`prod shop/a${i}`, document({ ...podSpec, scaleTargetRef }, `shop/a${i}`));
    }
    const podsMetricDown = () => Promise.reject(new Fault("timeout", "custom.metrics.k8s.io: no answer within 10 s"));
    const { scaled } = await day.sync(1, { cluster: { ...day.cluster, podsMetric: podsMetricDown } });
    expect(scaled).toBe(61);
  });
});

const podsMetric = {
  type: "Pods",
  pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "5" } },
};

describe("an answer without a value is unknown, and never shrinks", () => {
  test.each([
    ["an empty list", []],
    ["not a number", [metricValue("depth", "NaN")]],
    ["no value", [metricValue("depth", "")]],
    ["HTML", [metricValue("depth", "<html>")]],
    ["infinity", [metricValue("depth", "Infinity")]],
  ])("%s", async (_name, items) => {
    const day = fixture({ replicas: 6 });
    day.cluster.external.set("depth", items);
    for (let slot = 1; slot <= 10; slot++) await day.sync(slot);
    expect(day.cluster.writes).toEqual([]);
    expect(day.condition("ScalingActive")?.status).toBe("False");
  });

  test.each<[string, KnownSource]>([
    [
      "rejects, against its contract",
      { isBuiltIn: true, keepMs: () => 0, open: () => ({ read: () => Promise.reject(new Error("bug")) }) },
    ],
    [
      "throws before it reads",
      {
        isBuiltIn: true,
        keepMs: () => 0,
        open: () => {
          throw new Error("bug");
        },
      },
    ],
    ["answers nothing", sourceOf(() => ({ items: [] }))],
  ])("a source that %s", async (_name, sqs) => {
    const metric = { name: "sqs", selector: { matchLabels: { queue: "orders" } } };
    const target = { type: "AverageValue", averageValue: "5" };
    const day = fixture({
      replicas: 6,
      spec: { ...queueSpec, metrics: [{ type: "External", external: { metric, target } }] },
    });
    for (let slot = 1; slot <= 10; slot++) await day.sync(slot, { sources: { sqs } });
    expect(day.cluster.writes).toEqual([]);
  });
});

describe("clocks and slots", () => {
  test("a slot far in the future is dropped, reported once, and does not stop the current slots", async () => {
    const day = fixture();
    day.depth(50);
    const now = () => slotAt(1) + 200;
    const ahead = [2000, 2001].map((index) => day.sync(index, { now }));
    expect(await Promise.all(ahead)).toMatchObject([{ outcome: "early" }, { outcome: "early" }]);
    expect(day.failures).toMatchObject([{ cluster: "prod", reason: "ClockAhead" }]);
    expect(await day.sync(1)).toMatchObject({ outcome: "synced", scaled: 1 });
  });

  test("a clock that is a few seconds behind the message's slot decides by the slot's time", async () => {
    const day = fixture();
    day.depth(50);
    expect(await day.sync(1, { now: () => slotAt(1) - 5_000 })).toMatchObject({ outcome: "synced", scaled: 1 });
    expect(day.shardNow()).toMatchObject({ heartbeat: slotAt(1) });
  });

  test("an older slot that is finished late does not fence the newer one", async () => {
    const day = fixture();
    day.depth(5);
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const store: Store = {
      ...day.store,
      replaceShard: async (before, after, signal) => {
        await opened;
        return day.store.replaceShard(before, after, signal);
      },
    };
    const older = day.sync(1, { store });
    await new Promise((resolve) => setImmediate(resolve));
    const newer = day.sync(2, {
      store: {
        ...day.store,
        load: async (range, signal) => {
          const contents = await day.store.load(range, signal);
          open();
          await older;
          return contents;
        },
      },
    });
    expect(await older).toMatchObject({ outcome: "synced" });
    expect(await newer).toMatchObject({ outcome: "synced" });
    expect(day.shardNow()).toMatchObject({ slot: slotAt(2), heartbeat: slotAt(2) + 200 });
  });
});

describe("a slot that is finished when the next one has loaded the shard", () => {
  /** Ten are wanted in slots 1 and 2, none from slot 3 on. Slot 2 is finished late, in the middle of slot 3. */
  async function finishedLate(finishing: "before slot 3 is finished" | "and slot 3 never is") {
    const behavior = { ...queueSpec.behavior, scaleDown: { stabilizationWindowSeconds: 40 } };
    const day = fixture({ spec: { ...queueSpec, behavior }, replicas: 10 });
    day.depth(50);
    await day.sync(1);
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const late: Store["replaceShard"] = async (...write) => {
      await opened;
      return day.store.replaceShard(...write);
    };
    const older = day.sync(2, { store: { ...day.store, replaceShard: late } });
    await new Promise((resolve) => setImmediate(resolve));
    day.depth(0);
    const finishes: Store["replaceShard"] = async (...write) => {
      open();
      expect(await older).toMatchObject({ outcome: "synced" });
      if (finishing === "and slot 3 never is") throw new Fault("timeout", "the run dies");
      return day.store.replaceShard(...write);
    };
    await day.sync(3, { store: { ...day.store, replaceShard: finishes } }).catch(() => undefined);
    return day;
  }

  test.each(["before slot 3 is finished", "and slot 3 never is"] as const)(
    "has seen what slot 3 recommends no more: %s",
    async (finishing) => {
      const day = await finishedLate(finishing);
      await day.sync(4); // 40 s before it is between the slots 1 and 2
      expect(day.replicasNow()).toBe(10);
      for (const slot of [5, 6]) await day.sync(slot);
      expect(day.replicasNow()).toBe(0);
    },
  );
});

describe("shards that are reshaped while a slot is under way", () => {
  const shard = { cluster: "prod", version: 1, slot: 0, heartbeat: 0, behind: {} };

  async function reshapedMidway(shards: readonly Shard[]) {
    const day = fixture();
    day.depth(5);
    addHpa(day, "web/front");
    day.store.shardItems.clear();
    for (const one of shards) day.store.shardItems.set(`prod#${one.from}`, one);
    const load: Store["load"] = async (range, signal) => {
      const contents = await day.store.load(range, signal);
      const found = await day.store.shardsOf("prod", signal);
      await reshard(day.store, "prod", found, { periodMs, now: () => day.clock.now, signal });
      return contents;
    };
    await day.sync(1, { store: { ...day.store, load } });
    return [...day.store.shardItems.values()].sort((a, b) => (a.from < b.from ? -1 : 1));
  }

  test("count the HPAs as seen no earlier than the slot saw them: a split", async () => {
    const shards = await reshapedMidway([{ ...shard, from: "", to: null, entries: splitAbove + 1 }]);
    expect(shards.map(({ from, slot, heartbeat }) => ({ from, slot, heartbeat }))).toEqual([
      { from: "", slot: slotAt(1), heartbeat: slotAt(1) + 200 },
      { from: "web/", slot: 0, heartbeat: slotAt(1) + 200 },
    ]);
  });

  test("count the HPAs as seen no earlier than the slot saw them: a merge", async () => {
    const shards = await reshapedMidway([
      { ...shard, from: "", to: "web/", entries: 1 },
      { ...shard, from: "web/", to: null, entries: 1 },
    ]);
    expect(shards.map(({ from, to, heartbeat }) => ({ from, to, heartbeat }))).toEqual([
      { from: "", to: null, heartbeat: slotAt(1) + 200 },
    ]);
  });
});

describe("writes whose answer is lost", () => {
  test("a state write that is applied slots later meets a conflict: slots in between have written", async () => {
    const day = fixture({ replicas: 6 });
    day.depth(30);
    for (let slot = 1; slot <= 4; slot++) await day.sync(slot);
    const calls: (() => Promise<unknown>)[] = [];
    const store: Store = {
      ...day.store,
      putState: (cluster, key, state, signal) => {
        calls.push(() => day.store.putState(cluster, key, state, signal));
        return Promise.reject(new Fault("lost", "not known whether the write was applied"));
      },
    };
    day.depth(0);
    await day.sync(5, { store });
    day.depth(30);
    for (let slot = 6; slot <= 8; slot++) await day.sync(slot);
    expect(await calls[0]?.()).toMatchObject({ ok: false });
    day.depth(0);
    for (let slot = 9; slot <= 11; slot++) await day.sync(slot);
    expect(day.replicasNow()).toBe(6); // 6 was last recommended at slot 8
    await day.sync(12);
    expect(day.replicasNow()).toBe(0);
  });

  test("a scale whose outcome never becomes known is reported once", async () => {
    const day = fixture();
    day.depth(50);
    const putScale: Cluster["putScale"] = () => Promise.reject(new Fault("timeout", "no answer within 10 s"));
    for (let slot = 1; slot <= 4; slot++) await day.sync(slot, { cluster: { ...day.cluster, putScale } });
    expect(day.lines).toEqual(["shop/orders: UnknownRescale"]);
    await day.sync(5);
    expect(day.lines).toEqual(["shop/orders: UnknownRescale", "1 → 5", "shop/orders: recovered"]);
  });

  test("a scale is reported once: by the run that wrote it, or by the one that settles it", async () => {
    const day = fixture();
    day.depth(50);
    const putState: Store["putState"] = (cluster, key, state, signal) =>
      state.intent === undefined
        ? Promise.reject(new Fault("throttled", "table: throttled"))
        : day.store.putState(cluster, key, state, signal);
    await day.sync(1, { store: { ...day.store, putState } });
    await day.sync(2);
    expect(day.lines).toEqual(["shop/orders: FailedSync", "1 → 5"]);
    await day.sync(3);
    expect(day.lines.slice(2)).toEqual(["5 → 9"]);
  });

  test("a scale whose record may be lost is reported: rather twice than never", async () => {
    const day = fixture();
    day.depth(50);
    const putState: Store["putState"] = async (cluster, key, state, signal) => {
      const written = await day.store.putState(cluster, key, state, signal);
      if (state.intent === undefined) throw new Fault("lost", "not known whether the write was applied");
      return written;
    };
    await day.sync(1, { store: { ...day.store, putState } });
    await day.sync(2);
    expect(day.lines).toEqual(["1 → 5", "shop/orders: FailedSync", "5 → 9"]);
  });

  test("a scale whose record was written over before the retry is reported: nobody else would", async () => {
    const day = fixture();
    day.depth(50);
    const putState = retriedAfter(day.store, ({ intent }) => intent === undefined);
    const counts = await day.sync(1, { store: { ...day.store, putState } });
    expect(counts).toMatchObject({ behind: 1 });
    expect(day.lines).toEqual(["1 → 5"]);
  });

  test.each([
    ["and leaves the size", 25, ["1 → 5"]],
    ["and scales again", 50, ["1 → 5"]],
  ])("a found scale whose record was written over is reported by the run that finds it %s", async (_, depth, lines) => {
    const day = fixture();
    day.depth(25);
    const putState: Store["putState"] = (cluster, key, state, signal) =>
      state.intent === undefined
        ? Promise.reject(new Fault("throttled", "table: throttled"))
        : day.store.putState(cluster, key, state, signal);
    await day.sync(1, { store: { ...day.store, putState } });
    day.lines.length = 0;
    day.depth(depth);
    await day.sync(2, { store: { ...day.store, putState: retriedAfter(day.store, () => true) } });
    expect(day.lines.filter((line) => line.includes("→"))).toEqual(lines);
  });
});

/** The answer is lost, another run writes on top of the state, and the retry finds that run's state. */
function retriedAfter(store: Store, isLost: (state: State) => boolean): Store["putState"] {
  return async (cluster, key, state, signal) => {
    const written = await store.putState(cluster, key, state, signal);
    if (!isLost(state) || !written.ok) return written;
    const current = { ...state, version: state.version + 1 };
    await store.putState(cluster, key, current, signal);
    return { ok: false, current, mayBeApplied: true };
  };
}

describe("a deleted HPA whose state cannot be deleted yet", () => {
  test("does not stop the others, is reported once, and is forgotten as soon as possible", async () => {
    const day = fixture();
    day.depth(50);
    addHpa(day, "shop/gone");
    await day.sync(1);
    day.store.documents.delete("prod shop/gone");
    const deleteState = () => Promise.reject(new Fault("throttled", "table: throttled"));
    for (let slot = 2; slot <= 4; slot++) await day.sync(slot, { store: { ...day.store, deleteState } });
    expect(day.replicasNow()).toBe(10);
    expect(day.failures).toMatchObject([{ key: "shop/gone", reason: "FailedSync", message: "table: throttled" }]);
    await day.sync(5);
    expect(day.store.stateItems.has("prod shop/gone")).toBe(false);
    expect(day.shardNow()?.behind).toEqual({});
  });
});

test("a key may equal a property that every object inherits", async () => {
  const day = fixture();
  day.depth(50);
  for (const key of ["constructor", "toString", "hasOwnProperty/valueOf"]) day.store.documents.set(`prod ${key}`, {});
  await day.sync(1);
  await day.sync(2);
  expect(day.replicasNow()).toBe(9);
  expect(day.store.stateItems.get("prod constructor")?.status.conditions).toMatchObject([{ reason: "InvalidEntry" }]);
});

test("the shard keeps how long its syncs work: a mean, so that one long or paused slot says little", async () => {
  const { sync, shardNow } = fixture();
  const seen: (number | undefined)[] = [];
  for (const [index, ms] of [400, 400, 3_600_000, 400, 400].entries()) {
    let began = false;
    const workedMs = () => (began ? ms : ((began = true), 0));
    await sync(index + 1, { workedMs });
    seen.push(shardNow()?.workedMs);
  }
  expect(seen).toEqual([100, 175, 3_881, 3_011, 2_358]);
});
