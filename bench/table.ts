import { evaluate } from "../lib/core/evaluate";
import { withDefaults } from "../lib/k8s/defaults";
import type { HpaStatus } from "../lib/k8s/hpa";
import { formatInstant } from "../lib/k8s/time";
import { defaultOptions } from "../lib/model/entry/options";
import type { HpaKey } from "../lib/model/hpa-key";
import type { History } from "../lib/model/situation";
import type { LatestValues } from "../lib/model/stored/latest";
import { hashOfRange } from "../lib/model/stored/queue-index";
import { indexOf, readsOf } from "../lib/sync/wake/write-queue-index";
import { itemBytes } from "../lib/table/items/attributes";
import { encodeIndex } from "../lib/table/items/index-item";
import { encodeLatest } from "../lib/table/items/packed-items";
import { encodeShard } from "../lib/table/items/shard-item";
import { type Random, seededRandom } from "../local/random";
import { runBench } from "./harness/backend-process";
import { queueMetric, start } from "./harness/deployment";
import { judge } from "./harness/report";

/** The write units that DynamoDB bills for the items of a shard, beside the states of its HPAs. */
const shard = { cluster: "prod", from: "" };
const counts = [1, 100, 1_000, 2_000];
/** Of an HPA in the item of latest values, if there are a thousand; of the index; of the SHARD item that names it. */
const most = { latestBytes: 80, indexUnits: 16, shardBytes: 1_024 };

const key = (index: number): HpaKey => `shop/worker-${String(index).padStart(5, "0")}`;
const metricOf = (index: number) => queueMetric(`worker-${String(index).padStart(5, "0")}`, "eu-central-1");

/** What an HPA of three replicas shows after its queue has moved, and nothing of it is as another's. */
function moved(index: number, random: Random): LatestValues {
  const metric = metricOf(index);
  const hpa = withDefaults({
    ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
    metadata: { namespace: "shop", name: `worker-${index}` },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: `worker-${index}` },
      ...{ minReplicas: 0, maxReplicas: 20 },
      metrics: [
        { ...metric, external: { ...metric.external!, target: { type: "AverageValue", averageValue: "400" } } },
      ],
    },
  });
  const slot = (total: number, at: number, { history, status }: { history: History | null; status?: HpaStatus }) => {
    const items = [{ metricName: "sqs", timestamp: formatInstant(at), value: String(total) }];
    const scale = {
      metadata: { name: "worker" },
      spec: { replicas: 3 },
      status: { replicas: 3, selector: "app=worker" },
    };
    const before = { hpa: { ...hpa, ...(status && { status }) }, history };
    return evaluate({ ...before, scale, pods: [], metrics: [{ items }], options: defaultOptions, otherHpas: [] }, at);
  };
  const since = start - Math.floor(random.next() * 3_600_000);
  const recommendations = [{ replicas: 3, since, at: start - 15_000 }];
  const before = {
    status: slot(1_000, since, { history: null }).status,
    history: { recommendations, scaleUpEvents: [], scaleDownEvents: [] },
  };
  const { status, desiredReplicas, steps } = slot(Math.floor(random.next() * 1_000), start, before);
  return { version: 1, status, decision: { at: start, from: 3, desiredReplicas, steps } };
}

function measureLatest(hpas: number): void {
  const random = seededRandom(1);
  const latest = Object.fromEntries(Array.from({ length: hpas }, (_, index) => [key(index), moved(index, random)]));
  const before = process.cpuUsage();
  const bytes = itemBytes(encodeLatest(shard, latest, start));
  const ms = process.cpuUsage(before).user / 1_000;
  const json = Buffer.byteLength(JSON.stringify(latest));
  const what = `latest values of ${hpas} HPAs: ${Math.ceil(bytes / 1_024)} write units a minute, ${ms.toFixed(0)} ms of CPU time`;
  const each = `${what}; of an HPA's ${(json / hpas).toFixed(0)} bytes as JSON, the item has`;
  if (hpas >= 1_000) judge(each, bytes / hpas, most.latestBytes);
  else console.log(each, Math.round(bytes / hpas));
}

/** It is written when queues of its HPAs change, and once a day. Any other slot writes the SHARD item alone. */
function measureIndex(hpas: number): void {
  const listed = Array.from({ length: hpas }, (_, index) => ({
    key: key(index),
    document: { spec: { metrics: [metricOf(index)] } },
  }));
  const range = { ...shard, to: null };
  const index = indexOf(readsOf(listed, []));
  const item = encodeIndex(range, index, start);
  if (item === undefined) throw new Error(`expected the index of ${hpas} HPAs to fit into an item`);
  const inClear = Object.fromEntries(Object.entries(item).filter(([name]) => name !== "packed"));
  const mark = { hash: index.hash, range: hashOfRange(range), at: start };
  const plain = { ...range, version: 1, slot: start, heartbeat: start, behind: {}, entries: hpas };
  const named = itemBytes(encodeShard({ ...plain, index: { version: 1, since: 1, mark } }));
  const read = `a wake reads ${Math.ceil(itemBytes(item) / 4_096)} units and gets ${itemBytes(inClear)} bytes`;
  judge(`index of ${hpas} HPAs: ${read}; write units`, Math.ceil(itemBytes(item) / 1_024), most.indexUnits);
  judge(`its SHARD item has bytes (${itemBytes(encodeShard(plain))} without it)`, named, most.shardBytes);
}

runBench(() => {
  counts.forEach(measureLatest);
  counts.slice(0, -1).forEach(measureIndex);
  return Promise.resolve();
});
