import { type HpaKey } from "../../lib/model/hpa-key";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { DeleteItemCommand, PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { isFault } from "../../lib/model/fault";
import type { Store } from "../../lib/model/ports/store";
import { openStore } from "../../lib/table/store";
import { countRequests, loseAnswers } from "./dynamodb-mishaps";
import { sharedServer, type StoreUnderTest } from "./shared-server";
import { eventually } from "./eventually";
import { now } from "./store/bench";
import { clusterSpec, hpaSpec, oneEvent, shardOf, state, typeMeta, worker } from "./store/samples";

/**
 * What the Store relies on from DynamoDB alone: items as others write them, requests, retries. On any server.
 */
export function tableContract(name: string, setUp: () => Promise<StoreUnderTest>): void {
  describe(`a table of ${name}`, () => {
    const server = sharedServer(setUp);
    const { signal, rawItem } = server;
    let store: Store;
    let cluster: string;

    beforeEach(() => {
      cluster = server.newCluster();
      store = openStore({ client: server.client, table: server.table, now: () => now });
    });

    const putItem = async (item: Record<string, AttributeValue>): Promise<void> => {
      await server.client.send(new PutItemCommand({ TableName: server.table, Item: item }));
    };
    const putHpa = (key: string, more: Record<string, AttributeValue> = { spec: hpaSpecItem }): Promise<void> =>
      putItem({ pk: { S: `CLUSTER#${cluster}` }, sk: { S: `HPA#${key}` }, ...more });
    const everything = () => ({ cluster, from: "", to: null });
    const load = () => store.load(everything(), signal);

    describe("items", () => {
      test("of clusters are found by kind; a name with # is named as one", async () => {
        const put = (pk: string, spec: AttributeValue) => putItem({ pk: { S: pk }, sk: { S: "CLUSTER" }, spec });
        await put(`CLUSTER#${cluster}-a`, { M: { auth: { M: { type: { S: "foo" } } } } });
        await put(`CLUSTER#${cluster}-b`, { S: "not a map" });
        await put(`CLUSTER#${cluster}-c`, clusterSpecItem);
        await put(`CLUSTER#${cluster}#d`, clusterSpecItem);
        await eventually(async () => {
          expect((await store.clusters(signal)).filter(({ key }) => key.startsWith(cluster))).toEqual([
            { key: `${cluster}#d`, invalid: expect.stringMatching(/^pk: .*a name without "#"/) as string },
            { key: `${cluster}-a`, invalid: expect.stringContaining("spec.auth.type: expected one of eks,") as string },
            { key: `${cluster}-b`, invalid: 'spec: expected a map, got "not a map"' },
            { key: `${cluster}-c`, value: { name: `${cluster}-c`, spec: clusterSpec } },
          ]);
        });
      });

      test("that people write as typed values are read as documents", async () => {
        await putHpa("shop/worker");
        await putItem({
          pk: { S: `CLUSTER#${cluster}` },
          sk: { S: "SOURCE#orders" },
          spec: {
            M: { kind: { S: "sqs" }, parameters: { M: { queue: { S: "orders" }, includeDelayed: { BOOL: true } } } },
          },
        });
        const { hpas, sources } = await load();
        expect(hpas).toEqual([{ key: "shop/worker", document: worker }]);
        expect(sources).toEqual([
          {
            key: "orders",
            value: { name: "orders", spec: { kind: "sqs", parameters: { queue: "orders", includeDelayed: true } } },
          },
        ]);
      });

      test("with an odd number or a set harm nothing", async () => {
        await putHpa("shop/b", { spec: { M: { maxReplicas: { N: "100000000000000000000000000000000000" } } } });
        await putHpa("shop/d", { spec: { M: { values: { SS: ["x"] }, maxReplicas: { N: "3" }, text: { S: "3" } } } });
        const { hpas } = await load();
        expect(Object.fromEntries(hpas.map(({ key, document }) => [key, document]))).toEqual({
          "shop/b": {
            ...typeMeta,
            metadata: { namespace: "shop", name: "b" },
            spec: { maxReplicas: "100000000000000000000000000000000000" },
          },
          "shop/d": {
            ...typeMeta,
            metadata: { namespace: "shop", name: "d" },
            spec: { values: ["x"], maxReplicas: 3, text: "3" },
          },
        });
      });

      test("of a state that cannot be read stay exactly as they are", async () => {
        const key = "shop/worker";
        await store.putState(cluster, key, state(1), signal);
        const broken = {
          ...(await rawItem(`CLUSTER#${cluster}`, `STATE#${key}`)),
          ...{ open: { S: "half-written" }, version: { N: "7" } },
        };
        await putItem(broken);
        expect((await load()).brokenStates).toEqual({ [key]: 'open: expected true or false, got "half-written"' });
        await expect(store.putState(cluster, key, state(1), signal)).rejects.toMatchObject({ kind: "badEntry" });
        expect(await store.deleteState(cluster, key, 1, signal)).toBe(false);
        expect(await rawItem(`CLUSTER#${cluster}`, `STATE#${key}`)).toEqual(broken);
      });

      test("of a shard that cannot be read are named", async () => {
        const Key = { pk: { S: "SHARD" }, sk: { S: `${cluster}#m/` } };
        await putItem({ ...Key, cluster: { S: cluster }, from: { S: "m/" } });
        try {
          const message = expect.stringContaining(`SHARD ${cluster}#m/: to: expected text, got nothing`) as string;
          await expect(store.shards(signal)).rejects.toMatchObject({ kind: "badEntry", message });
        } finally {
          await server.client.send(new DeleteItemCommand({ TableName: server.table, Key }));
        }
      });

      test("of events expire once nothing in them can matter any more", async () => {
        await store.replaceEvents({ cluster, key: "shop/worker" }, 0, { version: 1, log: oneEvent }, signal);
        const item = await rawItem(`CLUSTER#${cluster}`, "EVENTS#shop/worker");
        expect(item?.expiresAt).toEqual({ N: String(Date.parse("2026-03-01T12:20:00Z") / 1000 + 25 * 300) });
      });
    });

    test("a load past a page of 1 MB takes one request for each page", async () => {
      const padding = "x".repeat(20_000);
      const metadata: AttributeValue = { M: { annotations: { M: { padding: { S: padding } } } } };
      const keys = Array.from({ length: 60 }, (_, index): HpaKey => `shop/worker-${String(index).padStart(2, "0")}`);
      await Promise.all(
        keys.map(async (key) => {
          await putHpa(key, { spec: hpaSpecItem, metadata });
          await store.putState(cluster, key, { ...state(1), targetUid: padding }, signal);
        }),
      );
      const queries = countRequests(server.client, "Query");
      const { hpas } = await queries.during(load);
      expect(hpas).toHaveLength(60);
      // Sources in one page; HPAs and states in two each.
      expect(queries.asked()).toBe(5);
    }, 60_000);

    describe("a lost reply", () => {
      const key = "shop/worker";
      const put = (version: number, replicas?: number) =>
        store.putState(cluster, key, state(version, replicas), signal);

      test("to a state that was written: the SDK's retry finds its own write", async () => {
        await put(1);
        const losses = loseAnswers(server.client, "PutItem", 1);
        const written = await losses.during(() => put(2));
        expect({ written, asked: losses.asked() }).toEqual({ written: { ok: true }, asked: 2 });
        expect((await load()).states[key]).toEqual(state(2));
      });

      test("to every attempt at writing a state: the stored item decides", async () => {
        const losses = loseAnswers(server.client, "PutItem", 99);
        expect(await losses.during(() => put(1))).toEqual({ ok: true });
        expect((await load()).states[key]).toEqual(state(1));
      });

      test("to a state that was not written is a conflict with the stored state", async () => {
        await put(1);
        const losses = loseAnswers(server.client, "PutItem", 1);
        expect(await losses.during(() => put(1, 9))).toEqual({ ok: false, current: state(1) });
      });

      test("to a request that never arrived rejects as lost, and nothing is there", async () => {
        const losses = loseAnswers(server.client, "PutItem", 99, { arrives: false });
        const rejected = await losses.during(() => put(1).catch((e: unknown) => e));
        expect(isFault(rejected, "lost")).toBe(true);
        expect((await load()).states).toEqual({});
      });

      test("to a state's deletion", async () => {
        await put(1);
        const losses = loseAnswers(server.client, "DeleteItem", 1);
        expect(await losses.during(() => store.deleteState(cluster, key, 1, signal))).toBe(true);
        expect((await load()).states).toEqual({});
      });

      test("to a shard's creation, change and deletion", async () => {
        const [first, second] = [shardOf(cluster), shardOf(cluster, { version: 2 })];
        const putting = loseAnswers(server.client, "PutItem", 1);
        expect(await putting.during(() => store.createShard(first, signal))).toBe(true);
        const replacing = loseAnswers(server.client, "PutItem", 1);
        expect(await replacing.during(() => store.replaceShard(first, second, signal))).toBe(true);
        const deleting = loseAnswers(server.client, "DeleteItem", 1);
        expect(await deleting.during(() => store.replaceShard(second, null, signal))).toBe(true);
        expect(await store.shard(first, signal)).toBeUndefined();
      });
    });

    test("a missing table is named with its region and what to do", async () => {
      const lost = openStore({ client: server.client, table: "no-such-table", now: () => now });
      const expected = {
        kind: "notFound",
        message: expect.stringMatching(/^table "no-such-table" not found in region \S+: check/) as string,
      };
      await expect(lost.clusters(signal)).rejects.toMatchObject(expected);
      await expect(lost.load(everything(), signal)).rejects.toMatchObject(expected);
      await expect(lost.putState(cluster, "a/b", state(1), signal)).rejects.toMatchObject(expected);
    });
  });
}

const clusterSpecItem: AttributeValue = {
  M: {
    endpoint: { S: clusterSpec.endpoint },
    auth: { M: { type: { S: "token" }, secret: { S: "prod/token" } } },
    options: { M: { syncPeriodSeconds: { N: "15" }, tolerance: { N: "0.1" } } },
  },
};

const hpaSpecItem: AttributeValue = {
  M: {
    scaleTargetRef: { M: { kind: { S: "Deployment" }, name: { S: "worker" } } },
    minReplicas: { N: String(hpaSpec.minReplicas) },
    maxReplicas: { N: String(hpaSpec.maxReplicas) },
  },
};
