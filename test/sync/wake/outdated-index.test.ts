import { unchangedRecord } from "../../../lib/model/stored/queue-index";
import { Fault } from "../../../lib/model/fault";
import type { Store } from "../../../lib/model/ports/store";
import { indexedWorld, queueWorld, whole } from "./queue-world";

const { signal } = new AbortController();

/** What a wake finds while an index is outdated, spoilt or not there: the same, by looking through the entries. */
describe("before an index says anything", () => {
  test("a cluster without shards is looked through", async () => {
    const world = queueWorld();
    await world.register();
    await world.apply("orders", "mail");
    expect(await world.find("mail")).toEqual(["prod shop/orders"]);
    expect(await world.find([{ queue: "mail", cluster: "other" }])).toEqual([]);
  });

  test("of entries that read other queues, the table sends nothing", async () => {
    const world = queueWorld();
    await world.register();
    for (const name of ["orders", "posts", "mails"]) await world.apply(name, `${name}-jobs`);
    expect(await world.find("nobody")).toEqual([]);
    expect(world.asked).not.toContain("BatchGetItem");
  });

  test("an older version of ebb has finished the last slot: its shard is looked through, the others are not", async () => {
    const world = await indexedWorld("orders");
    const shard = await world.store.shard(whole, signal);
    await world.store.replaceShard(shard!, { ...shard!, version: shard!.version + 1 }, signal);
    await world.apply("orders", "changed");
    expect(await world.find("changed")).toEqual(["prod shop/orders"]);
    expect(world.searchedEntries()).toBe(true);
    await world.slot(2);
    world.searchedEntries();
    expect(await world.find("changed")).toEqual(["prod shop/orders"]);
    expect(world.searchedEntries()).toBe(false);
  });
});

describe("an entry that changed since the index was written", () => {
  test("is found by its new queue after its own wake, and by its old one no more", async () => {
    const world = await indexedWorld("orders", "mails");
    await world.apply("orders", "changed");
    await world.wake("orders", 1);
    world.searchedEntries();
    expect(await world.find("orders-jobs")).toEqual([]);
    expect(await world.find("mails-jobs")).toEqual(["prod shop/mails"]);
    expect(world.searchedEntries()).toBe(false);
    expect(await world.find("changed")).toEqual(["prod shop/orders"]);
    expect(world.searchedEntries()).toBe(true);
  });

  test("whose queue the index names for another HPA is looked for, too", async () => {
    const world = await indexedWorld("orders", "mails");
    await world.apply("orders", "mails-jobs");
    await world.wake("orders", 1);
    expect(await world.find("mails-jobs")).toEqual(["prod shop/mails", "prod shop/orders"]);
  });

  test("beside a slot that had loaded it before is found after that slot, too", async () => {
    const world = await indexedWorld("orders", "mails");
    await world.apply("mails", "something-else");
    const { store } = world;
    const over: Store = {
      ...store,
      async load(...asked) {
        const contents = await store.load(...asked);
        await world.apply("orders", "changed");
        await world.wake("orders", 2, 1_000);
        return contents;
      },
    };
    await world.slot(2, over);
    expect(await world.find("changed")).toEqual(["prod shop/orders"]);
    await world.slot(3);
    world.searchedEntries();
    expect(await world.find("changed")).toEqual(["prod shop/orders"]);
    expect(world.searchedEntries()).toBe(false);
  });

  test("and back, beside a slot that saw it in between", async () => {
    const world = await indexedWorld("orders", "mails");
    await world.apply("orders", "between");
    const { store } = world;
    const over: Store = {
      ...store,
      async load(...asked) {
        const contents = await store.load(...asked);
        await world.apply("orders", "orders-jobs");
        await world.wake("orders", 2, 1_000);
        return contents;
      },
    };
    await world.slot(2, over);
    expect(await world.find("orders-jobs")).toEqual(["prod shop/orders"]);
  });

  test("is deleted: nothing is found, and nothing is looked through", async () => {
    const world = await indexedWorld("orders", "mails");
    await world.remove("CLUSTER#prod", "HPA#shop/orders");
    expect(await world.find("orders-jobs")).toEqual([]);
    expect(world.searchedEntries()).toBe(false);
  });

  test("again and again, with a hundred queues: the whole shard is looked through until the next slot", async () => {
    const world = await indexedWorld("orders", "mails");
    await world.apply("orders", { queues: Array.from({ length: 100 }, (_, index) => `q${index}`).join() });
    await world.wake("orders", 1);
    expect(await world.find("q77")).toEqual(["prod shop/orders"]);
    expect(await world.find("mails-jobs")).toEqual(["prod shop/mails"]);
    expect(world.searchedEntries()).toBe(true);
    await world.slot(2);
    world.searchedEntries();
    expect(await world.find("q77")).toEqual(["prod shop/orders"]);
    expect(world.searchedEntries()).toBe(false);
  });
});

describe("an item that is another than the shard says", () => {
  test("is not used, and the next wake of an HPA lets the slot write it again", async () => {
    const world = await indexedWorld("orders");
    await world.store.putIndex(whole, { hash: "late", hpas: {} }, signal);
    expect(await world.find("orders-jobs")).toEqual(["prod shop/orders"]);
    expect(world.searchedEntries()).toBe(true);
    await world.wake("orders", 1);
    await world.slot(2);
    world.searchedEntries();
    expect(await world.find("orders-jobs")).toEqual(["prod shop/orders"]);
    expect(world.searchedEntries()).toBe(false);
  });

  test("cannot be read: the shard is looked through", async () => {
    const world = await indexedWorld("orders");
    const { index } = (await world.store.shard(whole, signal)) ?? {};
    await world.put("INDEX#prod", "SHARD#", { hash: index?.mark?.hash, more: 1, queues: "no", packed: "no" });
    expect(await world.find("orders-jobs")).toEqual(["prod shop/orders"]);
    await world.put("INDEX#prod", "SHARD#", { hash: index?.mark?.hash, more: 0 });
    expect(await world.find("orders-jobs")).toEqual(["prod shop/orders"]);
    expect(world.searchedEntries()).toBe(true);
  });

  test("could not be written: it is reported, the shard is looked through, and the next slot writes it", async () => {
    const world = queueWorld();
    await world.register();
    await world.createShard();
    await world.apply("orders", "mail");
    const putIndex = () => Promise.reject(new Fault("throttled", "no room"));
    await world.slot(1, { ...world.store, putIndex });
    expect(world.day.lines).toContain("prod: IndexNotWritten");
    expect(await world.find("mail")).toEqual(["prod shop/orders"]);
    await world.slot(2);
    world.searchedEntries();
    expect(await world.find("mail")).toEqual(["prod shop/orders"]);
    expect(world.searchedEntries()).toBe(false);
  });
});

describe("shards", () => {
  const [left, right] = [
    { ...whole, to: "shop/n" },
    { ...whole, from: "shop/n" },
  ];

  test("that were split are looked through until each has had a slot", async () => {
    const world = await indexedWorld("orders", "mails");
    const shard = (await world.store.shard(whole, signal))!;
    await world.store.replaceShard(shard, { ...shard, to: left.to, version: shard.version + 1 }, signal);
    await world.store.createShard({ ...shard, from: right.from, version: 1 }, signal);
    expect([await world.find("mails-jobs"), await world.find("orders-jobs")]).toEqual([
      ["prod shop/mails"],
      ["prod shop/orders"],
    ]);
    await world.slotOf(2, left);
    await world.slotOf(2, right);
    world.searchedEntries();
    expect([await world.find("mails-jobs"), await world.find("orders-jobs")]).toEqual([
      ["prod shop/mails"],
      ["prod shop/orders"],
    ]);
    expect(world.searchedEntries()).toBe(false);
  });

  test("that were merged are looked through until the next slot, which deletes the item that is over", async () => {
    const world = queueWorld();
    await world.register();
    await world.createShard(left);
    await world.createShard(right);
    await world.apply("orders", "orders-jobs");
    await world.apply("mails", "mails-jobs");
    await world.slotOf(1, left);
    await world.slotOf(1, right);
    const [first, second] = await Promise.all([world.store.shard(left, signal), world.store.shard(right, signal)]);
    await world.store.replaceShard(second!, null, signal);
    await world.store.replaceShard(first!, { ...first!, to: null, version: first!.version + 1 }, signal);
    expect(await world.find("orders-jobs")).toEqual(["prod shop/orders"]);
    await world.slotOf(2, whole);
    world.searchedEntries();
    expect([await world.find("mails-jobs"), await world.find("orders-jobs")]).toEqual([
      ["prod shop/mails"],
      ["prod shop/orders"],
    ]);
    expect(world.searchedEntries()).toBe(false);
    expect(await world.store.index(right, signal)).toBeUndefined();
  });

  test("were widened by a writer that kept the record: what is new in them is looked through", async () => {
    const world = queueWorld();
    const narrow = { cluster: "prod", from: "", to: "shop/m" };
    await world.register();
    await world.createShard(narrow);
    await world.apply("a", "a-jobs");
    await world.slotOf(1, narrow);
    await world.apply("z", "z-jobs");
    const shard = await world.store.shard(narrow, signal);
    if (shard === undefined) throw new Error("expected the shard");
    const version = shard.version + 1;
    await world.store.replaceShard(shard, { ...shard, to: null, version, ...unchangedRecord(shard, version) }, signal);
    expect(await world.find("z-jobs")).toEqual(["prod shop/z"]);
  });

  test("leave a gap after a crash: the gap is looked through", async () => {
    const world = await indexedWorld("mails");
    const shard = (await world.store.shard(whole, signal))!;
    await world.store.replaceShard(shard, { ...shard, to: left.to, version: shard.version + 1 }, signal);
    await world.slotOf(2, left);
    await world.apply("orders", "orders-jobs");
    world.searchedEntries();
    expect([await world.find("mails-jobs"), await world.find("orders-jobs")]).toEqual([
      ["prod shop/mails"],
      ["prod shop/orders"],
    ]);
  });
});
