import { type Item, type ItemWrite, memoryTable, type MemoryTable } from "../test/faults/world/memory-table";
import { deploymentsOf, type Deployments } from "./services/api-server";
import { indexOf, readsOf } from "../lib/sync/wake/write-queue-index";
import { decodeHpaItem } from "../lib/table/items/hpa-document";
import { clusterItem } from "./load";
import { type Recording, template } from "./playback/recording";

export interface ClusterOptions {
  readonly clusters: number;
  /** Clusters whose shards the real sync runs; the others are played back. */
  readonly realClusters: number;
  readonly recording: Recording;
  readonly isNew: boolean;
  readonly now: () => number;
  readonly onWrite: (write: ItemWrite) => void;
}

export interface Clusters {
  readonly table: MemoryTable;
  /** Of the clusters whose shards the real sync runs. */
  readonly real: ReadonlyMap<string, Deployments>;
}

export const clusterName = (at: number) => `cluster-${String(at).padStart(4, "0")}`;
export const clusterNumber = (name: string) => Number(name.slice(-4));

/** The table and the Deployments with which a simulation begins. */
export function openClusters(options: ClusterOptions): Clusters {
  const { clusters, realClusters, recording, isNew, now } = options;
  let isOpen = false;
  const table = memoryTable({ now, onWrite: (write) => (isOpen ? options.onWrite(write) : undefined) });
  const real = new Map<string, Deployments>();
  for (let at = 0; at < clusters; at += 1) {
    const cluster = clusterName(at);
    put(table, clusterItem(cluster));
    const isReal = at % Math.ceil(clusters / realClusters) === 0;
    if (isReal)
      real.set(cluster, { ...deploymentsOf(recording.hpas), replicas: new Map(recording.deployments.replicas) });
    const hash = isReal && !isNew ? indexHash(recording.items, cluster) : undefined;
    for (const item of recording.items) {
      const isShard = item["pk"]?.S === "SHARD";
      const isEntry = item["sk"]?.S?.startsWith("HPA#") === true;
      if (isShard ? !isNew : isReal && (isEntry || !isNew) && item["sk"]?.S !== "CLUSTER")
        put(table, withIndex(copied(item, cluster), isShard ? hash : undefined));
    }
  }
  isOpen = true;
  return { table: withRecordedItems(table, real, recording), real };
}

export function put(table: MemoryTable, Item: Item): void {
  table.execute({ action: "PutItem", input: { TableName: "ebb", Item } });
}

/** An item of the recorded cluster, for another one. */
function copied(item: Item, cluster: string): Item {
  if (item["sk"]?.S?.startsWith("LATEST#") === true) return { ...item, pk: { S: `CLUSTER#${cluster}` } };
  return JSON.parse(JSON.stringify(item).replaceAll(template, cluster)) as Item;
}

/** The names of a cluster's queues have its name in them, so its shard's index is another one than the recorded one. */
function withIndex(shard: Item, hash: string | undefined): Item {
  const mark = shard["index"]?.M?.["mark"]?.M;
  if (hash === undefined || mark === undefined) return shard;
  return { ...shard, index: { M: { ...shard["index"]?.M, mark: { M: { ...mark, hash: { S: hash } } } } } };
}

function indexHash(items: readonly Item[], cluster: string): string {
  const hpas = items.filter(({ sk }) => sk?.S?.startsWith("HPA#") === true);
  return indexOf(
    readsOf(
      hpas.map((item) => decodeHpaItem(copied(item, cluster))),
      [],
    ),
  ).hash;
}

/**
 * A million entries do not fit in memory. Where the tick splits a shard of a cluster that is played back, it reads the
 * recorded cluster's.
 */
function withRecordedItems(
  table: MemoryTable,
  real: ReadonlyMap<string, unknown>,
  { items }: Pick<Recording, "items">,
): MemoryTable {
  const recorded = memoryTable({ now: () => 0 });
  const recordedPk = { S: `CLUSTER#${template}` };
  for (const item of items) if (item["pk"]?.S === recordedPk.S) put(recorded, item);
  return {
    ...table,
    execute(request) {
      if (request.action !== "Query") return table.execute(request);
      const { ExpressionAttributeValues: values = {}, ExclusiveStartKey: after } = request.input;
      const pk = values[":pk"];
      const cluster = /^CLUSTER#(.*)$/.exec(pk?.S ?? "")?.[1];
      if (pk === undefined || cluster === undefined || real.has(cluster)) return table.execute(request);
      const input = {
        ...request.input,
        ExpressionAttributeValues: { ...values, ":pk": recordedPk },
        ...(after && { ExclusiveStartKey: { ...after, pk: recordedPk } }),
      };
      const answer = recorded.execute({ action: "Query", input }) as { Items: Item[]; LastEvaluatedKey?: Item };
      const { Items, LastEvaluatedKey: last } = answer;
      return { Items: Items.map((item) => ({ ...item, pk })), ...(last && { LastEvaluatedKey: { ...last, pk } }) };
    },
  };
}
