import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { hpaKey } from "../../lib/model/hpa-key";
import {
  type IndexRequest,
  type QueueRequest,
  mostRequestedQueues,
  mostRequestedSources,
  type QueueReads,
} from "../../lib/model/ports/queue-reads";
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

    test("of an entry, they get what its queues need and nothing else", async () => {
      const metric = (matchLabels: object) => ({ external: { metric: { name: "sqs", selector: { matchLabels } } } });
      const written = { queue: "mail", queues: 7, region: "eu-west-1", team: "a" };
      const metrics = [{ ...metric(written), type: "External" }, { type: "Resource" }];
      await put("HPA#shop/a", { spec: { maxReplicas: 5, metrics }, metadata: { labels: { team: "a" } } });
      await put("HPA#shop/b", { spec: { maxReplicas: 5 } });
      await put("HPA#shop/c", { spec: "mail" });
      await put("HPA#shop/d", {});
      const all = [hpaKey("shop", "a"), hpaKey("shop", "b"), hpaKey("shop", "c"), hpaKey("shop", "e")];
      const found = await reads.hpas(cluster, all, signal);
      const none = { spec: { metrics: [] } };
      const bytes = expect.any(Number) as number;
      expect(found.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
        { key: "shop/a", document: { spec: { metrics: [metric({ queue: "mail", queues: null })] } }, bytes },
        { key: "shop/b", document: none, bytes },
        { key: "shop/c", document: none, bytes },
      ]);
      const [a, b] = ["shop/a", "shop/b"].map((key) => found.find((one) => one.key === key)?.bytes ?? 0);
      expect((a ?? 0) - (b ?? 0)).toBeGreaterThan(JSON.stringify(written).length / 2);
    });

    describe("of a range, they get the HPAs that may read a queue", () => {
      const labelled = (matchLabels: object, name = "sqs") => ({
        type: "External",
        external: { metric: { name, selector: { matchLabels } } },
      });
      const cpu = { type: "Resource", resource: { name: "cpu" } };
      const many = (count: number) => Array.from({ length: count }, () => cpu);
      const entries: readonly (readonly [string, unknown])[] = [
        ["a-by-name", [labelled({ queue: "mail" })]],
        ["b-by-arn", [cpu, labelled({ queue: "arn:aws:sqs:eu-west-1:1:mail" })]],
        ["c-in-a-list", [cpu, cpu, labelled({ queues: "post, mail" })]],
        ["d-by-a-prefix", [labelled({ queuePrefix: "ma" })]],
        ["e-by-a-source", [labelled({}, "jobs")]],
        ["f-by-the-source-of-another", [labelled({}, "others")]],
        ["g-of-another-queue", [labelled({ queue: "post" }), labelled({ queues: "a,b" })]],
        ["h-that-lists-it-late", [...many(15), labelled({ queue: "mail" })]],
        ["i-with-many-metrics", many(20)],
        ["j-with-a-number", [labelled({ queue: 7 })]],
        ["k-without-a-spec", undefined],
        ["l-with-a-text", "mail"],
        ["m-with-a-map", { queue: "mail" }],
      ];

      async function candidates(asked: QueueRequest, range: object = {}): Promise<readonly string[]> {
        for (const [name, listed] of entries)
          await put(`HPA#shop/${name}`, listed === undefined ? {} : { spec: { metrics: listed } });
        const found: string[] = [];
        for await (const page of reads.candidates({ ...whole(), ...range }, asked, signal)) found.push(...page);
        return found.map((key) => key.slice("shop/".length, "shop/".length + 1));
      }

      test("by its labels, or by too many metrics to look at", async () => {
        const found = await candidates({ queues: ["mail"], sources: [] });
        expect(found).toEqual(["a", "b", "c", "d", "h", "i"]);
      });

      test("by the sources that name it", async () => {
        expect(await candidates({ queues: ["mail"], sources: ["jobs", "mails"] })).toContain("e");
        const inRange = await candidates({ queues: ["mail"], sources: ["jobs"] }, { from: "shop/b", to: "shop/i" });
        expect(inRange).toEqual(["b", "c", "d", "e", "h"]);
      });

      test("by any source, if they are too many", async () => {
        const found = await candidates({ queues: ["mail"], sources: undefined });
        expect(found).toEqual(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]);
      });

      test("with as many queues and sources as they take, of the longest names", async () => {
        const long = (text: string, count: number) =>
          Array.from({ length: count }, (_, at) => `${at}-`.padEnd(80, text));
        const sources = long("s", mostRequestedSources);
        await put("HPA#shop/z", { spec: { metrics: [labelled({}, sources.at(-1))] } });
        expect(await candidates({ queues: long("q", mostRequestedQueues), sources })).toEqual(["d", "h", "i", "z"]);
      });
    });

    test("sources may name a queue by its name, a list or a prefix", async () => {
      const source = (name: string, parameters: unknown, kind = "sqs") =>
        put(`SOURCE#${name}`, { spec: { kind, parameters, secret: "ebb/x" } });
      await source("a", { queue: "https://sqs.eu-west-1.amazonaws.com/1/mail" });
      await source("b", { queues: "post,mail" });
      await source("c", { queuePrefix: "other" });
      await source("d", { queue: "post" });
      await source("e", { queue: "mail" }, "http");
      await source("f", "mail");
      const found: unknown[] = [];
      for await (const page of reads.sourcesNaming(cluster, ["mail", "orders"], signal)) found.push(...page);
      expect(found).toEqual([
        ["a", { kind: "sqs", parameters: { queue: "https://sqs.eu-west-1.amazonaws.com/1/mail" } }],
        ["b", { kind: "sqs", parameters: { queues: "post,mail" } }],
        ["c", { kind: "sqs", parameters: { queuePrefix: "other" } }],
      ]);
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
      const asked = (from: string, hash: string, ...hashes: readonly number[]) => ({ from, hash, hashes });
      const indexed = (...all: readonly IndexRequest[]) => reads.indexed(cluster, all, signal);
      const [named, more] = [[hpaKey("shop", "a")], [hpaKey("shop", "b")]];
      expect([...(await indexed(asked("", "left", 3, 7), asked("shop/k", "right", 3)))]).toEqual([
        ["", { named, more }],
      ]);
      expect([...(await indexed(asked("", "left")))]).toEqual([["", { named: [], more }]]);
      expect((await indexed(asked("", "another", 3), asked("none", "none", 3))).size).toBe(0);
    });
  });
}
