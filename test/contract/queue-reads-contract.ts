import { PutItemCommand } from "../../lib/aws/json/dynamodb-commands";
import { hpaKey } from "../../lib/model/hpa-key";
import type { HpaMetrics, QueueReads } from "../../lib/model/ports/queue-reads";
import type { Store } from "../../lib/model/ports/store";
import { toItem } from "../../lib/table/items/attributes";
import { openQueueReads } from "../../lib/table/queue-reads";
import { openStore } from "../../lib/table/store";
import { shardOf } from "./store/samples";
import { sharedServer, type StoreUnderTest } from "./shared-server";

/** What a wake relies on from the table when it looks for the HPAs of a queue. */
export function queueReadsContract(name: string, setUp: () => Promise<StoreUnderTest>): void {
  describe(`reads of queues on ${name}`, () => {
    const server = sharedServer(setUp);
    const { signal } = server;
    let cluster: string;
    let reads: QueueReads;
    let store: Store;

    beforeEach(() => {
      cluster = server.newCluster();
      reads = openQueueReads({ client: server.client, name: server.table });
      store = openStore({ client: server.client, table: server.table, now: () => 0 });
    });

    const put = (sk: string, more: object) =>
      server.client.send(
        new PutItemCommand({ TableName: server.table, Item: toItem({ pk: `CLUSTER#${cluster}`, sk, ...more }) }),
      );
    const whole = () => ({ cluster, from: "", to: null });
    const metrics = [{ type: "External" }];
    const keys = (hpas: readonly HpaMetrics[]) => hpas.map(({ key }) => key).sort();

    test("of an entry, they get what its queues need and nothing else", async () => {
      await put("HPA#shop/a", { spec: { maxReplicas: 5, metrics }, metadata: { labels: { team: "a" } } });
      await put("HPA#shop/b", { spec: { maxReplicas: 5 } });
      await put("HPA#shop/c", { spec: "mail" });
      await put("HPA#shop/d", {});
      const all = [hpaKey("shop", "a"), hpaKey("shop", "b"), hpaKey("shop", "c"), hpaKey("shop", "e")];
      const found = await reads.hpas(cluster, all, signal);
      expect(found).toContainEqual({ key: "shop/a", document: { spec: { metrics } } });
      expect(JSON.stringify(found)).not.toMatch(/maxReplicas|team|mail/);
      const pages: HpaMetrics[] = [];
      for await (const page of reads.pages({ ...whole(), from: "shop/a", to: "shop/d" }, signal)) pages.push(...page);
      expect(pages).toContainEqual({ key: "shop/a", document: { spec: { metrics } } });
      expect(keys(pages)).toEqual(["shop/a", "shop/b", "shop/c"]);
    });

    test("sources come by their names, those that exist", async () => {
      await put("SOURCE#jobs", { spec: { kind: "sqs", parameters: { queue: "mail" } } });
      await put("SOURCE#spoilt", {});
      expect([...(await reads.sources(cluster, ["jobs", "spoilt", "none"], signal))].sort()).toEqual([
        ["jobs", { kind: "sqs", parameters: { queue: "mail" } }],
        ["spoilt", undefined],
      ]);
    });

    test("shards say what they have of an index, and an item that cannot be read is left out", async () => {
      const index = { version: 1, since: 1, mark: { hash: "h", range: 1, at: 1 } };
      await store.createShard({ ...shardOf(cluster), to: "m", index }, signal);
      await store.createShard({ ...shardOf(cluster), from: "m" }, signal);
      await server.client.send(
        new PutItemCommand({ TableName: server.table, Item: toItem({ pk: "SHARD", sk: `${cluster}#z` }) }),
      );
      const expected = [
        { cluster, from: "", to: "m", version: 1, index },
        { cluster, from: "m", to: null, version: 1 },
      ];
      expect(await reads.shards(cluster, signal)).toEqual(expected);
      expect(await reads.shards(undefined, signal)).toEqual(expect.arrayContaining(expected));
    });

    test("indexes name queues in clear, and hold the HPAs", async () => {
      const hpas = {
        [hpaKey("shop", "a")]: { queues: [7, 2 ** 32 - 1, 3] },
        [hpaKey("shop", "b")]: { more: true as const },
      };
      await store.putIndex({ cluster, from: "", to: "shop/k" }, { hash: "left", hpas }, signal);
      await store.putIndex({ cluster, from: "shop/k", to: null }, { hash: "right", hpas: {} }, signal);
      const found: unknown[] = [];
      for await (const { queues, ...index } of reads.indexes(cluster, signal))
        found.push({ ...index, queues: [...queues] });
      expect(found).toEqual([
        { from: "", hash: "left", more: 1, queues: [3, 7, 2 ** 32 - 1] },
        { from: "shop/k", hash: "right", more: 0, queues: [] },
      ]);
      expect(await reads.index({ cluster, from: "" }, signal)).toEqual({ hash: "left", hpas });
      expect(await reads.index({ cluster, from: "none" }, signal)).toBeUndefined();
    });
  });
}
