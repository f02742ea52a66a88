import type { Shard } from "../../../lib/model/stored/shard";
import { now, type SharedBench } from "./bench";
import { shardOf, slot } from "./samples";

export function shardsContract(shared: SharedBench): void {
  const { signal } = shared;
  const shard = (fields: Partial<Shard> = {}) => shardOf(shared.cluster, fields);
  const shardAt = (from: string) => shared.store.shard({ cluster: shared.cluster, from }, signal);
  const create = (one: Shard) => shared.store.createShard(one, signal);
  const replace = (before: Shard, after: Shard | null) => shared.store.replaceShard(before, after, signal);

  describe("shards", () => {
    test("are created once, found by key and listed with all others", async () => {
      const first = shard({ to: "m/" });
      const second = shard({ from: "m/", behind: { "shop/worker": slot }, failure: "cluster unreachable" });
      expect(await create(second)).toBe(true);
      expect(await create(first)).toBe(true);
      expect(await create({ ...first, entries: 9 })).toBe(false);
      expect(await shardAt("")).toEqual(first);
      expect(await shardAt("x")).toBeUndefined();
      const all = await shared.store.shards(signal);
      expect(all.filter(({ cluster }) => cluster === shared.cluster)).toEqual([first, second]);
    });

    test("of one cluster come in key order, without those of a cluster whose name begins alike", async () => {
      const { cluster, store } = shared;
      const own = [shard({ to: "m/" }), shard({ from: "m/" })];
      const others = [`${cluster}#x`, `${cluster}2`, `${cluster}$`].map((name) => shardOf(name));
      for (const each of [...own, ...others].reverse()) await create(each);
      expect(await store.shardsOf(cluster, signal)).toEqual(own);
      expect(await store.shardsOf(`${cluster}#x`, signal)).toEqual([others[0]]);
      expect(await store.shardsOf(`${cluster}-none`, signal)).toEqual([]);
    });

    test("are replaced and deleted at their version only", async () => {
      const first = shard({ version: 1 });
      const second = shard({ version: 2, slot: slot + 15_000, heartbeat: slot + 16_000 });
      expect(await replace(first, second)).toBe(false);
      await create(first);
      expect(await replace(first, second)).toBe(true);
      expect(await replace(first, shard({ version: 2 }))).toBe(false);
      expect(await replace(first, null)).toBe(false);
      expect(await shardAt("")).toEqual(second);
      expect(await replace(second, null)).toBe(true);
      expect(await replace(second, null)).toBe(false);
      expect(await shardAt("")).toBeUndefined();
    });

    test("keep their key: one that begins elsewhere takes no shard's place", async () => {
      const first = shard({ version: 1 });
      await create(first);
      expect(await replace(first, shard({ version: 2, from: "m/" }))).toBe(false);
      expect(await shared.store.shardsOf(shared.cluster, signal)).toEqual([first]);
    });

    test("are copies", async () => {
      const first = shard({ behind: { "shop/worker": slot } });
      await create(first);
      Reflect.set(first.behind, "shop/worker", 0);
      Reflect.set((await shardAt(""))?.behind ?? {}, "shop/other", 0);
      expect((await shardAt(""))?.behind).toEqual({ "shop/worker": slot });
    });

    test("of ten who replace one at once, one learns that it did", async () => {
      const first = shard({ version: 1 });
      await create(first);
      const replaced = await Promise.all(
        Array.from({ length: 10 }, (_, index) => replace(first, shard({ version: 2, entries: index }))),
      );
      expect(replaced.filter(Boolean)).toHaveLength(1);
      expect((await shardAt(""))?.entries).toBe(replaced.indexOf(true));
    });

    test("that cannot be read are reported, and the others come", async () => {
      const { bench, cluster, store } = shared;
      await create(shard());
      await bench.breakShard(cluster, "m/");
      try {
        const heard: string[] = [];
        const listening = bench.open({ now: () => now, onBrokenShard: (message) => heard.push(message) });
        const found = (await listening.shards(signal)).filter((each) => each.cluster === cluster);
        expect(found).toEqual([shard()]);
        expect(heard).toEqual([expect.stringContaining(`SHARD ${cluster}#m/: to: expected text`)]);
        expect(await listening.shardsOf(cluster, signal)).toEqual([shard()]);
        expect(heard).toHaveLength(2);
        await expect(store.shards(signal)).rejects.toMatchObject({ kind: "badEntry" });
        await expect(shardAt("m/")).rejects.toMatchObject({ kind: "badEntry" });
        expect(await create(shard({ from: "m/" }))).toBe(false);
      } finally {
        await bench.deleteShard(cluster, "m/");
      }
    });
  });
}
