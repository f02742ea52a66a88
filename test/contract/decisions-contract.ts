import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import type { EpochMs } from "../../lib/k8s/time";
import type { DecisionRecord } from "../../lib/model/stored/state";
import { type DecisionQuery, openStore, type TableStore } from "../../lib/table/store";
import { sharedServer, type StoreUnderTest } from "./shared-server";

const now: EpochMs = Date.parse("2026-03-01T12:00:00Z");
const at = (seconds: number): EpochMs => now + seconds * 1000;
const key = "shop/worker";

/** What ebb relies on from the table for decisions, on any server. */
export function decisionsContract(name: string, setUp: () => Promise<StoreUnderTest>): void {
  describe(`decisions in ${name}`, () => {
    const server = sharedServer(setUp);
    const { signal } = server;
    let store: TableStore;
    let cluster: string;

    beforeEach(() => {
      cluster = server.newCluster();
      store = openStore({ client: server.client, table: server.table, now: () => now });
    });

    const rawItem = (moment: string) => server.rawItem(`CLUSTER#${cluster}`, `DECISION#${key}#${moment}`);
    const moments = async (query: DecisionQuery) =>
      (await store.decisions(cluster, key, query, signal)).map((decision) => (decision.at - now) / 1000);

    async function putSome(): Promise<void> {
      for (const seconds of [-60, 0, 3600, 0.001]) await store.putDecision(cluster, key, decided(seconds), signal);
      for (const other of ["shop/worke", "shop/worker2", "shop/worker-a"] as const) {
        await store.putDecision(cluster, other, decided(1), signal);
      }
    }

    test("a decision is stored under its HPA and moment, and nothing takes it for an entry", async () => {
      const steps = [
        { stage: "metric", replicas: 4, because: "31 / 8", detail: { name: "depth", target: "8", ratio: 3.875 } },
      ] as const;
      const events = [{ type: "Normal", reason: "SuccessfulRescale", message: "New size: 4" }] as const;
      await store.putDecision(
        cluster,
        key,
        { at: at(0), from: 0, scaleTo: 4, desiredReplicas: 4, events, steps },
        signal,
      );
      expect(await rawItem("2026-03-01T12:00:00.000Z")).toMatchObject({
        from: { N: "0" },
        scaleTo: { N: "4" },
        steps: { L: [{ M: { because: { S: "31 / 8" }, detail: { M: { ratio: { N: "3.875" } } } } }] },
      });
      expect((await store.load({ cluster, from: "", to: null }, signal)).hpas).toEqual([]);
    });

    test.each([
      [{}, 14],
      [{ decisionTtlDays: 3 }, 3],
    ])("given %j, it expires after %i days", async (given, days) => {
      const keeping = openStore({ client: server.client, table: server.table, now: () => now, ...given });
      await keeping.putDecision(cluster, key, decided(0), signal);
      const item = await rawItem("2026-03-01T12:00:00.000Z");
      expect(item?.expiresAt).toEqual({ N: String(now / 1000 + days * 86_400) });
    });

    test("they come back as they were put, the newest first, and only those of the HPA", async () => {
      await putSome();
      expect(await moments({ limit: 10 })).toEqual([3600, 0.001, 0, -60]);
      expect((await store.decisions(cluster, key, { limit: 1 }, signal))[0]).toEqual(decided(3600));
      expect(await store.decisions(cluster, "shop/nobody", { limit: 10 }, signal)).toEqual([]);
    });

    test.each<[string, DecisionQuery, readonly number[]]>([
      ["no more than the limit", { limit: 2 }, [3600, 0.001]],
      ["up to a moment, which is included", { notAfter: at(0), limit: 10 }, [0, -60]],
      ["up to a moment before the first", { notAfter: at(-61), limit: 10 }, []],
      ["the one in force then", { notAfter: at(1800), limit: 1 }, [0.001]],
    ])("%s", async (_, query, expected) => {
      await putSome();
      expect(await moments(query)).toEqual(expected);
    });

    test("one that is recorded twice is stored once", async () => {
      await store.putDecision(cluster, key, decided(0), signal);
      await store.putDecision(cluster, key, { ...decided(0), desiredReplicas: 5 }, signal);
      expect(await store.decisions(cluster, key, { limit: 10 }, signal)).toMatchObject([{ desiredReplicas: 5 }]);
    });

    test("one that cannot be read is named", async () => {
      const [pk, sk] = [`CLUSTER#${cluster}`, `DECISION#${key}#2026-03-01T12:00:00.000Z`];
      const Item = { pk: { S: pk }, sk: { S: sk }, at: { S: "noon" } };
      await server.client.send(new PutItemCommand({ TableName: server.table, Item }));
      const message = `CLUSTER#${cluster} DECISION#shop/worker#2026-03-01T12:00:00.000Z: at: expected a whole number`;
      await expect(moments({ limit: 1 })).rejects.toMatchObject({
        kind: "badEntry",
        message: expect.stringContaining(message) as string,
      });
    });
  });
}

function decided(seconds: number): DecisionRecord {
  return {
    at: at(seconds),
    from: null,
    scaleTo: null,
    desiredReplicas: 4,
    events: [],
    steps: [{ stage: "scale", replicas: null, limitedBy: "FailedGetScale", because: "not found" }],
    dryRun: true,
  };
}
