import { Fault } from "../../lib/model/fault";
import type { FailureLine, TickCounts } from "../../lib/model/report";
import type { Shard } from "../../lib/model/stored/shard";
import type { Store } from "../../lib/model/ports/store";
import { tick } from "../../lib/scheduler/tick";
import { memoryStore } from "../fakes/memory-store";

const { signal } = new AbortController();
const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);
const shard = (cluster: string, from = "", to: string | null = null, entries = 300): Shard => ({
  ...{ cluster, from, to, version: 3, slot: at("12:00:00"), heartbeat: at("12:00:00"), behind: {}, entries },
});

const time = (at: number) => new Date(at).toISOString().slice(11, 19);

/** A table with these clusters (and their sync periods) and shards. */
function setUp(clusters: Readonly<Record<string, number | "invalid" | undefined>>, ...shards: readonly Shard[]) {
  const store = memoryStore();
  for (const [key, period] of Object.entries(clusters)) {
    const options = typeof period === "number" ? { options: { syncPeriodSeconds: period } } : {};
    const spec = { endpoint: "https://x.example", auth: { type: "token", secret: "ebb/x" }, ...options } as const;
    store.clusterEntries.set(
      key,
      period === "invalid" ? { key, invalid: "broken" } : { key, value: { name: key, spec } },
    );
  }
  for (const one of shards) store.shardItems.set(`${one.cluster}#${one.from}`, one);
  const sent: string[] = [];
  const failures: FailureLine[] = [];
  const ticked: TickCounts[] = [];
  const run = (far: Store = store) =>
    tick(
      {
        store: far,
        queue: {
          send(messages) {
            for (const { message, delaySeconds } of messages) {
              if (!("slot" in message)) {
                const { namespace, names, at, until = 0 } = message;
                sent.push(`${namespace}/${names.join()} ${time(at)} until ${time(until)} +${delaySeconds}`);
                continue;
              }
              const { cluster, from, slot } = message;
              sent.push(`${cluster}#${from} ${time(slot)} +${delaySeconds}`);
            }
            return Promise.resolve();
          },
        },
        reporter: {
          failed: (line) => void failures.push(line),
          ticked: (counts) => void ticked.push(counts),
          scaled: () => undefined,
          recovered: () => undefined,
          synced: () => undefined,
        },
      },
      at("12:00:00"),
      { now: () => at("12:00:05"), signal },
    );
  return { store, sent, failures, ticked, run };
}

test("each shard of each cluster gets the next minute's slots, at its cluster's period", async () => {
  const shards = [shard("dev"), shard("prod", "", "m/"), shard("prod", "m/", null)];
  const { run, sent, ticked } = setUp({ dev: 60, prod: 30 }, ...shards);
  const counts = { clusters: 2, shards: 3, messages: 5, failing: 0 };
  expect(await run()).toEqual(counts);
  expect(ticked).toEqual([counts]);
  expect(sent).toEqual([
    "dev# 12:01:00 +55",
    "prod# 12:01:00 +55",
    "prod# 12:01:30 +85",
    "prod#m/ 12:01:00 +55",
    "prod#m/ 12:01:30 +85",
  ]);
});

test("the shards of a cluster that is not listed get nothing, and stay", async () => {
  const { run, sent, store } = setUp({ prod: 60 }, shard("prod"), shard("gone"));
  expect(await run()).toEqual({ clusters: 1, shards: 1, messages: 1, failing: 0 });
  expect(sent).toEqual(["prod# 12:01:00 +55"]);
  expect([...store.shardItems.keys()].sort()).toEqual(["gone#", "prod#"]);
});

test("the failing HPAs of all shards are counted, without those of clusters that are not listed", async () => {
  const failing = (one: Shard, count: number): Shard => ({ ...one, failing: count });
  const { run } = setUp(
    { dev: 60, prod: 60 },
    ...[shard("dev"), failing(shard("prod", "", "m/"), 2), failing(shard("prod", "m/", null), 3)],
    failing(shard("gone"), 7),
  );
  expect(await run()).toMatchObject({ failing: 5 });
});

test("a new cluster's shard also gets the rest of this minute: no earlier tick knew it", async () => {
  const { run, sent } = setUp({ prod: 30 });
  expect(await run()).toEqual({ clusters: 1, shards: 1, messages: 4, failing: 0 });
  expect(sent).toEqual(["prod# 12:00:00 +0", "prod# 12:00:30 +25", "prod# 12:01:00 +55", "prod# 12:01:30 +85"]);
});

test("of a shard that was split, only the new half gets the rest of this minute", async () => {
  const { run, sent, store } = setUp({ prod: 60 }, shard("prod", "", null, 1_200));
  for (let index = 0; index < 10; index++) store.documents.set(`prod ${index < 5 ? "a" : "b"}/h${index}`, {});
  await run();
  expect(sent).toEqual(["prod# 12:01:00 +55", "prod#b/ 12:00:00 +0", "prod#b/ 12:01:00 +55"]);
});

test("a cluster whose entry cannot be read has the default period", async () => {
  const { run, sent } = setUp({ prod: "invalid", test: undefined }, shard("prod"), shard("test"));
  await run();
  const four = ["12:01:00 +55", "12:01:15 +70", "12:01:30 +85", "12:01:45 +100"];
  expect(sent).toEqual([...four.map((slot) => `prod# ${slot}`), ...four.map((slot) => `test# ${slot}`)]);
});

test("a cluster whose shards cannot be changed is reported, and its shards and all others get their slots", async () => {
  const { run, sent, failures, store } = setUp({ a: 60, b: 60 }, shard("a", "", "m/"), shard("b"));
  const refusing: Store = { ...store, replaceShard: () => Promise.reject(new Fault("throttled", "the table is busy")) };
  expect(await run(refusing)).toEqual({ clusters: 2, shards: 2, messages: 2, failing: 0 });
  expect(sent).toEqual(["a# 12:01:00 +55", "b# 12:01:00 +55"]);
  expect(failures).toEqual([
    { cluster: "a", reason: "FailedReshard", message: "the table is busy", at: at("12:00:05") },
  ]);
});

test("a cluster whose shards take long to change delays no slot that is known, its own included", async () => {
  const { run, sent, store } = setUp({ a: 60, b: 60 }, shard("a", "", null, 1_200), shard("b"));
  for (let index = 0; index < 10; index++) store.documents.set(`a ${index < 5 ? "a" : "b"}/h${index}`, {});
  const sentBefore: string[] = [];
  const hpaKeys: Store["hpaKeys"] = (...asked) => {
    sentBefore.push(...sent);
    return store.hpaKeys(...asked);
  };
  expect(await run({ ...store, hpaKeys })).toEqual({ clusters: 2, shards: 3, messages: 4, failing: 0 });
  expect(sentBefore).toEqual(["a# 12:01:00 +55", "b# 12:01:00 +55"]);
  expect(sent.slice(2)).toEqual(["a#b/ 12:00:00 +0", "a#b/ 12:01:00 +55"]);
});

test("a defect stays visible", async () => {
  const { run, store } = setUp({ a: 60 }, shard("a", "", "m/"));
  const defect = new TypeError("x is not a function");
  await expect(run({ ...store, replaceShard: () => Promise.reject(defect) })).rejects.toBe(defect);
});

describe("HPAs with shorter periods", () => {
  const shorter = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 15]));

  test("are woken between the slots, after the slots are sent", async () => {
    const { run, sent, ticked } = setUp({ prod: 30 }, { ...shard("prod"), shorterPeriods: shorter(["shop/orders"]) });
    await run();
    expect(sent).toEqual([
      "prod# 12:01:00 +55",
      "prod# 12:01:30 +85",
      "shop/orders 12:01:15 until 12:01:30 +70",
      "shop/orders 12:01:45 until 12:02:00 +100",
    ]);
    expect(ticked).toEqual([{ clusters: 1, shards: 1, messages: 4, failing: 0 }]);
  });

  test("more than a queue takes in a minute cost nobody a slot, and are reported", async () => {
    const names = Array.from({ length: 10_001 }, (_, index) => `n${index}/orders`);
    const { run, sent, failures } = setUp({ prod: 60 }, { ...shard("prod"), shorterPeriods: { ...shorter(names) } });
    await run();
    expect(sent[0]).toBe("prod# 12:01:00 +55");
    expect(sent).toHaveLength(10_001);
    expect(failures).toEqual([
      {
        ...{ cluster: "prod", reason: "TooManyWakes", at: at("12:00:05") },
        message: expect.stringContaining(
          "at most 10000 messages a minute for all clusters, got 30003 of this one, and its share is 10000;",
        ) as string,
      },
    ]);
  });
});

test("a cluster that fills the queue's minute costs the last one of the alphabet no wake", async () => {
  const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`n${index}/orders`, 15]));
  const { run, sent, failures } = setUp(
    { aaa: 60, zzz: 60 },
    { ...shard("aaa"), shorterPeriods: many },
    { ...shard("zzz"), shorterPeriods: { "shop/mail": 15, "shop/orders": 20 } },
  );
  expect(await run()).toMatchObject({ messages: 10_002 });
  expect(sent.filter((line) => line.startsWith("shop/")).length).toBe(5);
  expect(failures.map(({ cluster }) => cluster)).toEqual(["aaa"]);
});

test("a table that throttles the tick's reads for a moment costs no slots", async () => {
  const { run, store, sent } = setUp({ prod: 30 }, shard("prod"));
  let refusals = 2;
  const busy = <T>(read: () => Promise<T>) =>
    refusals-- > 0 ? Promise.reject(new Fault("throttled", "the table is busy")) : read();
  await run({
    ...store,
    clusters: () => busy(() => store.clusters(signal)),
    shards: () => busy(() => store.shards(signal)),
  });
  expect(sent).toEqual(["prod# 12:01:00 +55", "prod# 12:01:30 +85"]);
});
