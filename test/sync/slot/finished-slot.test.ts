import { Fault } from "../../../lib/model/fault";
import { asHpaKey } from "../../../lib/model/hpa-key";
import type { ShardContents, Store } from "../../../lib/model/ports/store";
import type { Shard } from "../../../lib/model/stored/shard";
import type { State } from "../../../lib/model/stored/state";
import { openShardCache } from "../../../lib/sync/slot/shard-cache";
import { fixture, slotAt } from "../sync-fixture";

/** What the SHARD item says after a slot, and what the process keeps. */
function setUp(more: Partial<Shard> = {}) {
  const day = fixture();
  day.depth(5);
  const shard = { cluster: "prod", from: "", to: null, version: 7, slot: slotAt(0), heartbeat: slotAt(0) };
  day.store.shardItems.set("prod#", { ...shard, behind: {}, entries: 1, ...more });
  return day;
}

test.each([
  ["its share of a quarter", 1_000, 1_400, 400],
  ["no more than a slot: the process may have been paused", 0, 60_000, 4_050],
])("how long it worked since it began counts with %s", async (_name, before, after, expected) => {
  const { sync, shardNow, store } = setUp({ workedMs: 400 });
  let worked = before;
  const slow: Store = {
    ...store,
    load: (...asked) => {
      worked = after;
      return store.load(...asked);
    },
  };
  await sync(1, { workedMs: () => worked, store: slow });
  expect(shardNow()?.workedMs).toBe(expected);
});

test("values that merely move are shown beside the states, and the shard says since when", async () => {
  const { sync, shardNow, cluster, depth, store } = setUp();
  cluster.scales.get("shop/orders")!.replicas = 10;
  depth(49);
  await sync(1);
  await sync(2);
  expect(shardNow()).not.toHaveProperty("latest");
  depth(50);
  await sync(3);
  expect(shardNow()?.latest).toBe(slotAt(3));
  expect(store.latestItems.get("prod ")).toHaveProperty(["shop/orders"]);
});

test("a cluster whose entry cannot be read is a failure, although it has no HPAs yet", async () => {
  const { sync, store, failures } = setUp();
  store.clusterEntries.set("prod", { key: "prod", invalid: "spec: expected a map" });
  store.documents.clear();
  await sync(1);
  expect(failures.map(({ reason }) => reason)).toEqual(["InvalidCluster"]);
});

test("a failure that is over is forgotten, and nothing is reported", async () => {
  const { sync, failures, shardNow } = setUp({ failure: "STATE#shop/a: half" });
  await sync(1);
  expect(shardNow()).not.toHaveProperty("failure");
  expect(failures).toEqual([]);
});

test("a run that another one overtakes after it has written makes all states compared, and names none", async () => {
  const { sync, store, shardNow } = setUp({ confirmed: { version: 7, changed: 0, states: 0 } });
  const overtaken: Store = {
    ...store,
    async putState(...written) {
      const result = await store.putState(...written);
      const current = store.shardItems.get("prod#")!;
      const version = current.version + 1;
      store.shardItems.set("prod#", {
        ...current,
        version,
        slot: slotAt(1),
        confirmed: { version, changed: 0, states: 0 },
      });
      return result;
    },
  };
  expect(await sync(1, { store: overtaken })).toMatchObject({ outcome: "fenced" });
  expect(shardNow()?.confirmed).toEqual({ version: 9, changed: slotAt(2) + 1, states: 0 });
});

test("while a state cannot be read, nothing is kept: its HPA would look new", async () => {
  const { sync, store } = setUp();
  const shardCache = openShardCache(Infinity);
  const loads = async (...slots: readonly number[]) => {
    const before = store.calls["load"] ?? 0;
    for (const slot of slots) await sync(slot, { shardCache });
    return (store.calls["load"] ?? 0) - before;
  };
  await loads(1, 2, 3);
  expect(await loads(4, 5)).toBe(0);
  store.broken.set("STATE prod shop/other", { why: "half" });
  await loads(6, 7, 8, 9, 10, 11); // reads all again after two minutes, and finds it
  expect(await loads(12, 13)).toBe(2);
});

describe("so many deleted HPAs that could not be forgotten that the shard cannot name them", () => {
  const gone = Array.from({ length: 1_400 }, (_, index) => `shop/${String(index).padStart(250, "x")}`);
  const open: State = { version: 1, slot: 0, status: {}, history: null, open: false };

  async function slotWith(more: Partial<Store> = {}) {
    const day = setUp();
    const store: Store = {
      ...day.store,
      async load(...asked): Promise<ShardContents> {
        const contents = await day.store.load(...asked);
        return { ...contents, states: { ...contents.states, ...Object.fromEntries(gone.map((key) => [key, open])) } };
      },
      deleteRecords: () => Promise.reject(new Fault("throttled", "busy")),
      ...more,
    };
    return { ...day, counts: await day.sync(1, { store }) };
  }

  test("the slot is finished all the same, since nothing of them is observed", async () => {
    const { counts, shardNow } = await slotWith();
    expect(counts).toMatchObject({ outcome: "synced", behind: 1_400 });
    expect(shardNow()).toMatchObject({ slot: slotAt(1), behind: {} });
  });

  test("what lags among the living is named", async () => {
    const putState = () => Promise.reject(new Fault("timeout", "no answer"));
    const { shardNow } = await slotWith({ putState });
    expect(shardNow()?.behind).toEqual({ [asHpaKey("shop/orders")]: slotAt(0) });
  });
});

test("a few deleted HPAs that could not be forgotten are named", async () => {
  const { sync, store, shardNow } = setUp();
  await sync(1);
  store.documents.clear();
  await sync(2, { store: { ...store, deleteRecords: () => Promise.reject(new Fault("throttled", "busy")) } });
  expect(Object.keys(shardNow()?.behind ?? {})).toEqual(["shop/orders"]);
});

describe("a shard that is too large for one slot", () => {
  const names = Array.from({ length: 1_400 }, (_, index) => asHpaKey(`shop/${String(index).padStart(250, "x")}`));
  const failure = "the shard has 1400 HPAs, too many for one slot; the next tick splits it";

  test.each<[string, Partial<Shard>, number]>([
    ["said so", { failure, itemBytes: 1 }, 0],
    ["said it of another number", { failure: failure.replace("1400", "1300"), itemBytes: 1 }, 1],
    ["does not say how large it is, as an older version left it", { failure }, 1],
  ])("and %s: it stays unfinished, and says so once", async (_name, more, writes) => {
    const { sync, store, failures, shardNow } = setUp(more);
    const large: Store = {
      ...store,
      async load(...asked): Promise<ShardContents> {
        const hpas = names.map((key) => ({ key, document: {} }));
        return { ...(await store.load(...asked)), hpas };
      },
      putState: () => Promise.reject(new Fault("timeout", "no answer")),
    };
    expect(await sync(1, { store: large })).toMatchObject({ outcome: "fenced" });
    expect(shardNow()).toMatchObject({ version: 7 + writes, slot: slotAt(0), failure });
    expect(failures.filter(({ reason }) => reason === "ShardTooLarge")).toHaveLength(writes);
  });
});
