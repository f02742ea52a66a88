import type { MetricSpec } from "../../lib/k8s/hpa";
import { asHpaKey } from "../../lib/model/hpa-key";
import { hashOfRange } from "../../lib/model/stored/queue-index";
import type { Shard, ShardRange } from "../../lib/model/stored/shard";
import { indexOf, readsOf } from "../../lib/sync/wake/write-queue-index";
import { type Item, toItem } from "../../lib/table/items/attributes";
import { encodeIndex } from "../../lib/table/items/index-item";
import { encodeShard } from "../../lib/table/items/shard-item";
import { queueMetric } from "../harness/deployment";

/** 100,000 HPAs in 100 shards of ten clusters. */
export const [clusters, shardsEach, hpasEach] = [10, 10, 1_000];
/** HPAs of each shard that read the queue `shared`: 1,000 of all. */
const sharedEach = 10;
export const sharing = clusters * shardsEach * sharedEach;

/** Whether slots have written indexes; `hostile`: they have, and a team without shards has 250 MB of entries. */
export type Setting = "indexed" | "unindexed" | "hostile";

function metricsOf(cluster: string, index: number): readonly MetricSpec[] {
  const queue = index % (hpasEach / sharedEach) === 0 ? "shared" : `${cluster}-${index}`;
  return [queueMetric(queue, "eu-central-1")];
}

const keyOf = (index: number) =>
  asHpaKey(`shop/${String(Math.floor(index / hpasEach)).padStart(2, "0")}-worker-${String(index).padStart(4, "0")}`);

/** An entry of 1 KB, or of 120 KB with many metrics. */
function hpaItem(cluster: string, index: number, metrics: readonly unknown[]): Item {
  const name = `worker-${String(index).padStart(4, "0")}`;
  const description = "Consumers of the orders queue. ".repeat(10);
  return toItem({
    pk: `CLUSTER#${cluster}`,
    sk: `HPA#${keyOf(index)}`,
    metadata: { labels: { "app.kubernetes.io/name": name, team: "orders" }, annotations: { description } },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 0,
      maxReplicas: 20,
      metrics,
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 300, policies: [{ type: "Percent", value: 50, periodSeconds: 60 }] },
      },
    },
  });
}

export function rangeOf(cluster: string, shard: number): ShardRange {
  return {
    cluster,
    from: shard === 0 ? "" : `shop/${String(shard).padStart(2, "0")}`,
    to: shard === shardsEach - 1 ? null : `shop/${String(shard + 1).padStart(2, "0")}`,
  };
}

export const clusterName = (at: number) => `c${at}`;

/** The table as slots leave it. */
export function* itemsOf(setting: Setting): Generator<Item> {
  for (let at = 0; at < clusters; at++) {
    const cluster = clusterName(at);
    yield toItem({ pk: `CLUSTER#${cluster}`, sk: "CLUSTER", spec: {} });
    for (let shard = 0; shard < shardsEach; shard++)
      yield* itemsOfShard(rangeOf(cluster, shard), shard * hpasEach, setting !== "unindexed");
  }
  if (setting === "hostile") yield* hostileItems();
}

function* itemsOfShard(range: ShardRange, first: number, isIndexed: boolean): Generator<Item> {
  const indexes = Array.from({ length: hpasEach }, (_, at) => first + at);
  for (const index of indexes) yield hpaItem(range.cluster, index, metricsOf(range.cluster, index));
  const listed = indexes.map((index) => ({
    key: keyOf(index),
    document: { spec: { metrics: metricsOf(range.cluster, index) } },
  }));
  const base: Shard = { ...range, version: 1, slot: 1, heartbeat: 1, behind: {}, entries: hpasEach };
  if (!isIndexed) {
    yield encodeShard(base);
    return;
  }
  const index = indexOf(readsOf(listed, []));
  const mark = { hash: index.hash, range: hashOfRange(range), at: 1 };
  yield encodeShard({ ...base, index: { version: 1, since: 1, mark } });
  const packed = encodeIndex(range, index, 0);
  if (packed === undefined) throw new Error("expected the index of a shard to fit into an item");
  yield packed;
}

function* hostileItems(): Generator<Item> {
  yield toItem({ pk: "CLUSTER#greedy", sk: "CLUSTER", spec: {} });
  const large = "x".repeat(1_200);
  const metrics = Array.from({ length: 100 }, (_, index) => ({
    type: "External",
    external: { metric: { name: `m${index}`, selector: { matchLabels: { large } } } },
  }));
  for (let index = 0; index < 2_000; index++) yield hpaItem("greedy", index, metrics);
}
