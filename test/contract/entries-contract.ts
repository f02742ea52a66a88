import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import type { Entries, EntryRef, StoredEntry } from "../../lib/model/ports/entries";
import { openEntries } from "../../lib/table/entries";
import { eventually } from "./eventually";
import { sharedServer, type StoreUnderTest } from "./shared-server";

/** What the commands rely on from the table, on any server. */
export function entriesContract(name: string, setUp: () => Promise<StoreUnderTest>): void {
  describe(`entries on ${name}`, () => {
    const server = sharedServer(setUp);
    const { signal } = server;
    let entries: Entries;
    let cluster: string;

    beforeEach(() => {
      cluster = server.newCluster();
      entries = openEntries({ client: server.client, name: server.table });
    });

    const hpaRef = (key = "shop/worker"): EntryRef => {
      const [namespace = "", name = ""] = key.split("/");
      return { kind: "HorizontalPodAutoscaler", cluster, namespace, name };
    };
    const hpa = (maxReplicas = 5, key = "shop/worker") => ({
      ref: hpaRef(key),
      document: {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: hpaRef(key).name, namespace: hpaRef(key).namespace, labels: { tier: "web", empty: "" } },
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "worker" },
          maxReplicas,
          metrics: [{ type: "External", external: { metric: { name: "sqs" }, target: { type: "Value", value: "5" } } }],
        },
      },
    });
    const Key = (sk: string) => ({ pk: { S: `CLUSTER#${cluster}` }, sk: { S: sk } });
    const putItem = (sk: string, attributes: Record<string, AttributeValue>) =>
      server.client.send(new PutItemCommand({ TableName: server.table, Item: { ...Key(sk), ...attributes } }));
    const rawItem = (sk: string) => server.rawItem(`CLUSTER#${cluster}`, sk);
    const stored = async (ref = hpaRef()): Promise<StoredEntry> => {
      const found = await entries.get(ref, signal);
      if (found === undefined) throw new Error(`${ref.name}: expected an entry, got none`);
      return found;
    };
    const maxOf = ({ document }: StoredEntry) => (document["spec"] as { maxReplicas?: unknown }).maxReplicas;

    test("come back as they were written, under the documented keys", async () => {
      expect(await entries.get(hpaRef(), signal)).toBeUndefined();
      expect(await entries.put(hpa(), "nothing", signal)).toEqual({ done: true });
      expect(await stored()).toMatchObject(hpa());
      expect(Object.keys((await stored()).document).sort()).toEqual(["apiVersion", "kind", "metadata", "spec"]);
      expect(await rawItem("HPA#shop/worker")).toMatchObject({ spec: { M: { maxReplicas: { N: "5" } } } });

      const source = {
        ref: { kind: "MetricSource", cluster, name: "jobs" },
        document: { spec: { kind: "sqs" } },
      } as const;
      await entries.put(source, "nothing", signal);
      expect(await stored(source.ref)).toMatchObject({
        ref: source.ref,
        document: { apiVersion: "ebb.dev/v1", kind: "MetricSource", metadata: { name: "jobs" }, spec: { kind: "sqs" } },
      });
      expect(await rawItem("SOURCE#jobs")).toMatchObject({ spec: { M: { kind: { S: "sqs" } } } });
    });

    test("written by hand have what their keys say", async () => {
      await putItem("HPA#shop/by-hand", { spec: { M: { maxReplicas: { N: "3" } } } });
      await putItem("HPA#no-slash", {});
      await putItem("CLUSTER", { spec: { S: "half-written" } });
      const meta = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };
      expect(await entries.list("HorizontalPodAutoscaler", { cluster }, signal)).toMatchObject([
        { ref: { cluster, name: "HPA#no-slash" }, document: { ...meta, metadata: {} } },
        { ref: hpaRef("shop/by-hand"), document: { ...meta, metadata: { namespace: "shop", name: "by-hand" } } },
      ]);
      expect(await stored({ kind: "Cluster", cluster, name: cluster })).toMatchObject({
        document: { apiVersion: "ebb.dev/v1", kind: "Cluster", metadata: { name: cluster }, spec: "half-written" },
      });
      const noSlash: EntryRef = { kind: "HorizontalPodAutoscaler", cluster, name: "HPA#no-slash" };
      expect(await entries.remove(await stored(noSlash), signal)).toEqual({ done: true });
    });

    test("are listed by cluster and by namespace, in the order of their keys", async () => {
      for (const key of ["shop/b", "shop/a", "shop-2/c", "shop.x/d", "zoo/e"])
        await entries.put(hpa(1, key), "nothing", signal);
      const listed = async (namespace?: string) => {
        const scope = { cluster, ...(namespace === undefined ? {} : { namespace }) };
        const found = await entries.list("HorizontalPodAutoscaler", scope, signal);
        return found.map(({ ref }) => `${ref.namespace}/${ref.name}`);
      };
      expect(await listed()).toEqual(["shop-2/c", "shop.x/d", "shop/a", "shop/b", "zoo/e"]);
      expect(await listed("shop")).toEqual(["shop/a", "shop/b"]);
      expect(await listed("sho")).toEqual([]);
      expect(await entries.list("MetricSource", { cluster }, signal)).toEqual([]);
    });

    test("of all clusters that have an entry come without naming one", async () => {
      await putItem("CLUSTER", { spec: { M: {} } });
      await entries.put(hpa(), "nothing", signal);
      await eventually(async () => {
        const found = await entries.list("HorizontalPodAutoscaler", {}, signal);
        expect(found.filter(({ ref }) => ref.cluster === cluster)).toMatchObject([hpa()]);
        const all = await entries.list("Cluster", {}, signal);
        expect(all.filter(({ ref }) => ref.name === cluster)).toHaveLength(1);
      });
      expect(await entries.list("Cluster", { cluster }, signal)).toHaveLength(1);
      expect(await entries.list("Cluster", { cluster: `${cluster}-not` }, signal)).toEqual([]);
    });

    test("are created once", async () => {
      await entries.put(hpa(1), "nothing", signal);
      const second = await entries.put(hpa(2), "nothing", signal);
      expect(second).toMatchObject({ done: false, stored: hpa(1) });
      expect(maxOf(await stored())).toBe(1);
    });

    test("of ten changes to the same reading, one is made, and the table has that one", async () => {
      await entries.put(hpa(0), "nothing", signal);
      const read = await stored();
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, index) => entries.put(hpa(index + 1), read, signal)),
      );
      expect(outcomes.filter(({ done }) => done)).toHaveLength(1);
      expect(maxOf(await stored())).toBe(outcomes.findIndex(({ done }) => done) + 1);
    });

    type Edit = (item: Record<string, AttributeValue>) => unknown;

    test.each<[string, Edit]>([
      ["a field deep within", (item) => (item["spec"]!.M!["maxReplicas"] = { N: "6" })],
      ["an element of a list", (item) => item["spec"]!.M!["metrics"]!.L!.shift()],
      ["a label that was added", (item) => (item["metadata"]!.M!["labels"]!.M!["x"] = { S: "y" })],
      ["an attribute that was added", (item) => (item["status"] = { M: {} })],
      ["an attribute that was removed", (item) => delete item["metadata"]],
    ])("%s, changed by other means, is not written over or deleted", async (_, edit) => {
      await entries.put(hpa(), "nothing", signal);
      const read = await stored();
      const item = (await rawItem("HPA#shop/worker"))!;
      edit(item);
      await putItem("HPA#shop/worker", item);
      const changed = await stored();
      expect(await entries.put(hpa(9), read, signal)).toEqual({ done: false, stored: changed });
      expect(await entries.remove(read, signal)).toEqual({ done: false, stored: changed });
      expect(await stored()).toEqual(changed);
      expect(await entries.put(hpa(9), changed, signal)).toEqual({ done: true });
      expect(maxOf(await stored())).toBe(9);
    });

    test("of any attributes are changed as they were read, and keep their expiry", async () => {
      const odd: Record<string, AttributeValue> = {
        spec: { M: { list: { L: [{ M: {} }, { L: [] }, { NULL: true }, { BOOL: false }, { N: "-1.5" }] } } },
        expiresAt: { N: "99999999999" },
        "owner-team": { SS: ["a", "b"] },
        raw: { B: new Uint8Array([1, 2]) },
      };
      await putItem("HPA#shop/worker", odd);
      expect(await entries.put(hpa(), await stored(), signal)).toEqual({ done: true });
      expect(await rawItem("HPA#shop/worker")).toMatchObject({ expiresAt: { N: "99999999999" } });

      await putItem("HPA#shop/worker", odd);
      expect(await entries.remove(await stored(), signal)).toEqual({ done: true });
      expect(await entries.get(hpaRef(), signal)).toBeUndefined();
    });

    test("that are gone are neither changed nor deleted", async () => {
      await entries.put(hpa(), "nothing", signal);
      const read = await stored();
      await entries.remove(read, signal);
      expect(await entries.put(hpa(2), read, signal)).toEqual({ done: false, stored: undefined });
      expect(await entries.remove(read, signal)).toEqual({ done: false, stored: undefined });
    });
  });
}
