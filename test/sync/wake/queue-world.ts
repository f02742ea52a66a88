import { DeleteItemCommand, type DynamoClient, PutItemCommand } from "../../../lib/aws/http/dynamodb-commands";
import type { QueueReads } from "../../../lib/model/ports/queue-reads";
import type { Store } from "../../../lib/model/ports/store";
import type { ShardRange } from "../../../lib/model/stored/shard";
import { findWokenHpas } from "../../../lib/sync/wake/find-hpas";
import { wantedBy } from "../../../lib/sync/wake/queues-of";
import type { WakeRequest } from "../../../lib/model/wake-request";
import { toItem } from "../../../lib/table/items/attributes";
import { openQueueReads } from "../../../lib/table/queue-reads";
import { openStore } from "../../../lib/table/store";
import { aroundCalls } from "../../aws/around";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { fixture, periodMs, queueSpec, slotAt, start } from "../sync-fixture";

const { signal } = new AbortController();

export const whole: ShardRange = { cluster: "prod", from: "", to: null };

export const sqs = (labels: object) => ({
  type: "External",
  external: {
    metric: { name: "sqs", selector: { matchLabels: labels } },
    target: { type: "AverageValue", averageValue: "5" },
  },
});

/** A deployment over one table in memory: slots, wakes and the table's entries, by hand. */
export function queueWorld() {
  const client: DynamoClient = memoryDynamodb();
  const table = { client, name: memoryTableName };
  /** What was asked of the table: "Query HPA#". */
  const asked: string[] = [];
  aroundCalls(client, (next, { operation, input }) => {
    const { ExpressionAttributeValues: values } = input as {
      ExpressionAttributeValues?: { ":low"?: { S?: string }; ":pk"?: { S?: string } };
    };
    asked.push([operation, values?.[":low"]?.S?.split("#")[0] ?? ""].join(" ").trim());
    return next();
  });
  const store: Store = openStore({ client, table: table.name, now: () => start });
  const day = fixture();
  const put = async (pk: string, sk: string, more: object) =>
    void (await client.send(new PutItemCommand({ TableName: table.name, Item: toItem({ pk, sk, ...more }) })));
  const remove = async (pk: string, sk: string) =>
    void (await client.send(new DeleteItemCommand({ TableName: table.name, Key: toItem({ pk, sk }) })));
  const failures: string[] = [];
  const reporter = {
    failed: ({ cluster, reason, message }: { cluster: string; reason: string; message: string }) =>
      failures.push(`${cluster} ${reason}: ${message}`),
  };

  return {
    ...{ store, table, client, asked, put, remove, day, failures },
    async register(cluster = "prod") {
      const spec = { endpoint: `https://${cluster}.example`, auth: { type: "token", secret: `ebb/${cluster}` } };
      await put(`CLUSTER#${cluster}`, "CLUSTER", { spec });
    },
    createShard: (range: ShardRange = whole) =>
      store.createShard({ ...range, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 }, signal),
    /** The entry of an HPA that reads this queue, or what these labels say. */
    apply: (name: string, queue: string | object, cluster = "prod") => {
      const metrics = [sqs(typeof queue === "string" ? { queue } : queue)];
      return put(`CLUSTER#${cluster}`, `HPA#shop/${name}`, { spec: { ...queueSpec, metrics } });
    },
    slot: (index: number, over: Store = store) => day.sync(index, { store: over }),
    slotOf: async (index: number, range: ShardRange, over: Store = store) => {
      const { syncShard } = await import("../../../lib/sync/slot/sync-shard");
      const slot = slotAt(index);
      const ports = {
        store: over,
        clusters: { connect: () => Promise.resolve(day.cluster) },
        sources: {},
        reporter: day.reporter,
      };
      const { openEventRecorder } = await import("../../../lib/sync/events/event-recorder");
      const events = openEventRecorder({ store: over, reporter: day.reporter });
      day.clock.now = slot + 200;
      const context = { now: () => day.clock.now, workedMs: () => 0, deadline: slot + 60_000, signal };
      const message = { cluster: range.cluster, from: range.from, slot, until: slot + periodMs };
      return syncShard({ ...ports, events }, message, context);
    },
    /** What the stream's wake of a changed entry does. */
    wake: (name: string, slotIndex: number, afterMs = 5_000) =>
      day.wake(slotAt(slotIndex) + afterMs, { names: [name], store }),
    /** "prod shop/orders" for each HPA that a wake for the queue finds. */
    async find(
      request: string | readonly WakeRequest[],
      over: Partial<{ reads: QueueReads; now: () => number; deadline: number }> = {},
    ) {
      const requests = typeof request === "string" ? [{ queue: request }] : request;
      const { reads = openQueueReads(table), now = () => 0, deadline = Infinity } = over;
      const found: string[] = [];
      for await (const hpas of findWokenHpas({ reads, reporter }, wantedBy(requests), { now, deadline, signal }))
        found.push(...hpas.map(({ cluster, namespace, name }) => `${cluster} ${namespace}/${name}`));
      return found;
    },
    /** Whether the entries of a range were looked through since the last question. */
    searchedEntries(): boolean {
      return asked.splice(0).some((call) => call === "Query HPA");
    },
  };
}

/** A registered cluster with one shard and these HPAs, each on its own queue, synced once. */
export async function indexedWorld(...hpas: readonly string[]) {
  const world = queueWorld();
  await world.register();
  await world.createShard();
  for (const name of hpas) await world.apply(name, `${name}-jobs`);
  await world.slot(1);
  world.searchedEntries();
  return world;
}
