import { Fault } from "../../../lib/model/fault";
import type { ShardContents, Store } from "../../../lib/model/ports/store";
import type { Shard } from "../../../lib/model/stored/shard";
import type { Intent, State } from "../../../lib/model/stored/state";
import { mostItemBytes } from "../../../lib/model/stored/fit-to-item";
import { syncMessage } from "../../../lib/sync/sync-message";
import { syncShard } from "../../../lib/sync/slot/sync-shard";
import { document, fixture, periodMs, queueSpec, slotAt } from "../sync-fixture";

/** A slot from its message to its counts: what is finished, what is reported, and what the shard remembers. */
const { signal } = new AbortController();
const range = { cluster: "prod", from: "", to: null };

function setUp(more: Partial<Shard> = {}) {
  const day = fixture();
  day.depth(5);
  const shard = { ...range, version: 7, slot: slotAt(0), heartbeat: slotAt(0), behind: {}, entries: 1, ...more };
  day.store.shardItems.set("prod#", shard);
  /** What the tick made of the shard while the slot was under way. */
  const changing = (current: Partial<Shard>): Store => ({
    ...day.store,
    async load(loaded, within) {
      const contents = await day.store.load(loaded, within);
      day.store.shardItems.set("prod#", { ...shard, version: 9, ...current });
      return contents;
    },
  });
  return { ...day, shard, changing };
}

const reasons = ({ failures }: { readonly failures: readonly { reason: string; at: number }[] }) =>
  failures.map(({ reason, at }) => `${reason} ${(at - slotAt(0)) / periodMs}`);

describe("the counts of a slot", () => {
  test("say when it began and how long it took", async () => {
    const { sync, store, counts, clock } = setUp();
    const slow: Store = {
      ...store,
      load(loaded, within) {
        clock.now += 1_000;
        return store.load(loaded, within);
      },
    };
    const all = await sync(1, { afterMs: 300, store: slow });
    expect(all).toEqual({
      ...{ cluster: "prod", slot: slotAt(1), outcome: "synced", hpas: 1, scaled: 0, failed: 0, behind: 0 },
      ...{ lagMs: 300, durationMs: 1_000 },
    });
    expect(counts).toEqual([all]);
  });

  test.each<[string, number, Partial<Shard> | undefined, string]>([
    ["at its end", periodMs, {}, "late"],
    ["just before its end", periodMs - 1, {}, "synced"],
    ["a minute before it", -60_000, {}, "synced"],
    ["longer before it", -60_001, {}, "early"],
    ["after another run of it", 200, { slot: slotAt(1) }, "done"],
    ["after a later slot", 200, { slot: slotAt(2) }, "done"],
  ])("a message that comes %s", async (_name, afterMs, shard, outcome) => {
    expect(await setUp(shard).sync(1, { afterMs })).toMatchObject({ outcome });
  });

  test("a shard that is gone", async () => {
    const { sync, store } = setUp();
    store.shardItems.clear();
    expect(await sync(1)).toMatchObject({ outcome: "gone", hpas: 0 });
  });
});

describe("a slot that is finished", () => {
  test("is the shard's last one, seen at this moment", async () => {
    const { sync, shardNow, shard } = setUp({ failure: "an old one" });
    await sync(1);
    const { failure: _failure, ...kept } = shard;
    const confirmed = expect.objectContaining({ version: 8 }) as unknown;
    const finished = { version: 8, slot: slotAt(1), heartbeat: slotAt(1) + 200, workedMs: 0, queries: 1 };
    const index = expect.objectContaining({ version: 8 }) as unknown;
    expect(shardNow()).toEqual({ ...kept, ...finished, confirmed, index });
  });

  test("forgets slowly how many queries an earlier slot had: HPAs with longer periods ask again later", async () => {
    const { sync, shardNow } = setUp({ queries: 160 });
    await sync(1);
    expect(shardNow()?.queries).toBe(150);
    await sync(2);
    expect(shardNow()?.queries).toBe(140);
  });

  test("is seen no earlier than it begins, even if this clock is behind", async () => {
    const { sync, shardNow } = setUp();
    await sync(1, { afterMs: -5_000 });
    expect(shardNow()?.heartbeat).toBe(slotAt(1));
  });

  test("counts only the HPAs of the range that is left", async () => {
    const { sync, store, cluster, changing, shardNow } = setUp({ to: "z/" });
    store.documents.set("prod web/x", document(queueSpec, "web/x"));
    cluster.add("web/x", 1);
    await sync(1, { store: changing({ to: "t/" }) });
    expect(shardNow()).toMatchObject({ to: "t/", version: 10, entries: 1 });
  });

  test("names the states that cannot be read, once, all of them", async () => {
    const { sync, store, shardNow, failures } = setUp();
    for (const name of ["a", "b"]) store.broken.set(`STATE prod shop/${name}`, { why: "half" });
    await sync(1);
    await sync(2);
    const failure = "STATE#shop/a: half; STATE#shop/b: half";
    expect(shardNow()?.failure).toBe(failure);
    expect(failures).toMatchObject([{ cluster: "prod", reason: "BrokenState", message: failure, at: slotAt(1) + 200 }]);
    store.broken.clear();
    await sync(3);
    expect(shardNow()).not.toHaveProperty("failure");
  });
});

describe("a slot that another run finishes first", () => {
  test("is fenced: what is not in the table is not reported, and lasting failures emit nothing", async () => {
    const { sync, changing, failures, shardNow, eventsNow, store } = setUp();
    const broken: Store = {
      ...changing({ slot: slotAt(1) }),
      putState: () => Promise.reject(new Fault("timeout", "x")),
    };
    store.broken.set("STATE prod shop/other", { why: "half" });
    expect(await sync(1, { store: broken })).toMatchObject({ outcome: "fenced", hpas: 1, failed: 1, behind: 1 });
    expect([failures, await eventsNow()]).toEqual([[], []]);
    expect(shardNow()?.version).toBe(9);
  });

  test("reports and emits what its states show", async () => {
    const { sync, changing, failures, depth, eventsNow, cluster } = setUp();
    cluster.external.set("depth", new Fault("timeout", "no answer"));
    expect(await sync(1, { store: changing({ slot: slotAt(1) }) })).toMatchObject({ outcome: "fenced" });
    expect(failures.map(({ reason }) => reason)).toEqual(["FailedGetExternalMetric"]);
    expect(await eventsNow()).toHaveLength(2);
    depth(5);
  });
});

describe("a cluster without an entry", () => {
  test("is no failure if nothing is left in it: somebody deleted it with all its HPAs", async () => {
    const day = setUp();
    day.store.clusterEntries.delete("prod");
    day.store.documents.clear();
    expect(await day.sync(1)).toMatchObject({ outcome: "synced", hpas: 0, failed: 0 });
    expect(day.failures).toEqual([]);
  });

  test("fails the slot if it still has HPAs", async () => {
    const day = setUp();
    day.store.clusterEntries.delete("prod");
    expect(await day.sync(1)).toMatchObject({ hpas: 1, failed: 1 });
    expect(day.failures.map(({ reason }) => reason)).toEqual(["InvalidCluster"]);
  });
});

describe("a cluster whose entry cannot be read", () => {
  const invalid = (day: ReturnType<typeof setUp>, why: string) =>
    day.store.clusterEntries.set("prod", { key: "prod", invalid: why });

  test("fails the slot for all of its HPAs, which were not seen, and says so once", async () => {
    const day = setUp();
    day.store.documents.set("prod shop/second", document(queueSpec, "shop/second"));
    invalid(day, "spec: expected a map");
    expect(await day.sync(1)).toMatchObject({ outcome: "synced", hpas: 2, failed: 2, behind: 0, scaled: 0 });
    await day.sync(2);
    expect(day.failures).toEqual([
      { cluster: "prod", reason: "InvalidCluster", message: "spec: expected a map", at: slotAt(1) + 200 },
    ]);
    expect(day.shardNow()).toEqual({ ...day.shard, version: 9, slot: slotAt(2), failure: "spec: expected a map" });
    invalid(day, "spec: expected something else");
    await day.sync(3);
    expect(reasons(day)).toHaveLength(2);
  });

  test("with another run that finishes first: fenced, and not reported", async () => {
    const day = setUp();
    invalid(day, "spec: expected a map");
    expect(await day.sync(1, { store: day.changing({ slot: slotAt(1) }) })).toMatchObject({
      outcome: "fenced",
      failed: 1,
    });
    expect(day.failures).toEqual([]);
  });

  test("beside a tick that writes the shard: finished on top of that", async () => {
    const day = setUp();
    invalid(day, "spec: expected a map");
    expect(await day.sync(1, { store: day.changing({ entries: 5 }) })).toMatchObject({ outcome: "synced" });
    expect(day.shardNow()).toMatchObject({ version: 10, entries: 5, slot: slotAt(1) });
  });
});

describe("a clock that is wrong", () => {
  test.each([
    {
      name: "the sender's is ahead",
      ...{ more: {}, afterMs: -90_000, reason: "ClockAhead" },
      message: /^dropped a message .* \(it is 2026-03-01T11:58:45\.000Z\)$/,
    },
    {
      name: "this one went back",
      ...{ more: { slot: slotAt(9) }, afterMs: 0, reason: "ClockWentBack" },
      message: /^the last finished slot is .* \(it is 2026-03-01T12:00:15\.000Z\)$/,
    },
  ])("$name: the shard remembers it, and it is reported once", async ({ more, afterMs, reason, message }) => {
    const { sync, failures, shardNow } = setUp(more);
    await sync(1, { afterMs });
    await sync(1, { afterMs });
    expect(failures).toMatchObject([{ cluster: "prod", reason, message: expect.stringMatching(message) as string }]);
    expect(shardNow()).toMatchObject({ version: 8, failure: expect.any(String) as string });
  });

  test("is not reported by a run that could not write it", async () => {
    const { sync, failures, store } = setUp();
    await sync(1, { afterMs: -90_000, store: { ...store, replaceShard: () => Promise.resolve(false) } });
    expect(failures).toEqual([]);
  });
});

describe("so many HPAs that the shard cannot name those that are lagging", () => {
  const intent = {
    ...{ from: 1, to: 2, at: 0, resourceVersion: "1", countsAsEvent: true },
    message: "",
    scaledToZero: false,
  };
  const open = { ...{ version: 1, slot: slotAt(1), status: {}, history: null, open: false }, intent: intent as Intent };

  /** HPAs of another run of this slot, which left an intent open in each. */
  function crowded(count: number, to: string | null = null) {
    const day = setUp({ to });
    const keys = Array.from({ length: count }, (_, index) => `shop/${String(index).padStart(250, "x")}`);
    const contents: Omit<ShardContents, "cluster"> = {
      sources: [],
      hpas: [...keys, "zoo/outside"].map((key) => ({ key: key as `${string}/${string}`, document: {} })),
      states: Object.fromEntries([...keys, "zoo/outside"].map((key) => [key, open as State])),
      brokenStates: {},
      memory: 0,
    };
    const writes: Shard[] = [];
    const store: Store = {
      ...day.store,
      load: async (loaded, within) => ({ ...(await day.store.load(loaded, within)), ...contents }),
      replaceShard(before, after, within) {
        if (after !== null) writes.push(after);
        return day.store.replaceShard(before, after, within);
      },
    };
    return { ...day, writes, run: () => day.sync(1, { store }) };
  }

  test("the slot stays unfinished, and the shard says how many there are, once", async () => {
    const { run, writes, shard, failures } = crowded(1_400, "zoo/");
    expect(await run()).toMatchObject({ outcome: "fenced", behind: 1_401 });
    const failure = "the shard has 1400 HPAs, too many for one slot; the next tick splits it";
    const itemBytes = expect.any(Number) as number;
    expect(writes).toEqual([{ ...shard, version: 8, entries: 1_400, itemBytes, failure }]);
    expect(writes[0]?.itemBytes).toBeGreaterThan(mostItemBytes);
    expect(failures).toEqual([{ cluster: "prod", reason: "ShardTooLarge", message: failure, at: slotAt(1) + 200 }]);
    await run();
    expect([writes, failures]).toMatchObject([{ length: 1 }, { length: 1 }]);
  });

  test("fewer are named", async () => {
    const { run, shardNow } = crowded(1_000);
    expect(await run()).toMatchObject({ outcome: "synced", behind: 1_001 });
    expect(Object.keys(shardNow()?.behind ?? {})).toHaveLength(1_001);
  });

  test("a tick that was first has changed it already: nothing is reported", async () => {
    const { store, failures, sync } = crowded(0);
    const keys = Array.from({ length: 1_400 }, (_, index) => `shop/${String(index).padStart(250, "x")}`);
    const far: Store = {
      ...store,
      load: async (loaded, within) => ({
        ...(await store.load(loaded, within)),
        hpas: keys.map((key) => ({ key: key as `${string}/${string}`, document: {} })),
        states: Object.fromEntries(keys.map((key) => [key, open as State])),
      }),
      replaceShard: () => Promise.resolve(false),
    };
    expect(await sync(1, { store: far })).toMatchObject({ outcome: "fenced" });
    expect(failures).toEqual([]);
  });
});

test("a message from the queue is a slot or a wake", async () => {
  const day = setUp();
  const { store, reporter, cluster } = day;
  const events = { record: () => Promise.resolve(), forget: () => undefined };
  const ports = { store, reporter, events, sources: {}, clusters: { connect: () => Promise.resolve(cluster) } };
  const context = { now: () => slotAt(1) + 200, workedMs: () => 0, deadline: slotAt(9), signal };
  const slot = { cluster: "prod", from: "", slot: slotAt(1), until: slotAt(2) };
  expect(await syncMessage(ports, slot, context)).toMatchObject([{ outcome: "synced", slot: slotAt(1) }]);
  expect(await syncShard(ports, slot, context)).toMatchObject({ outcome: "done" });
  const wake = { cluster: "prod", namespace: "shop", names: ["orders"], at: slotAt(1) + 150 };
  expect(await syncMessage(ports, wake, context)).toMatchObject([{ outcome: "synced", slot: wake.at }]);
});
