import { evaluate } from "../lib/core/evaluate";
import { withDefaults } from "../lib/k8s/defaults";
import type { HpaStatus } from "../lib/k8s/hpa";
import { formatInstant, minuteMs } from "../lib/k8s/time";
import { defaultOptions } from "../lib/model/entry/options";
import type { HpaKey } from "../lib/model/hpa-key";
import type { History } from "../lib/model/situation";
import type { LatestValues } from "../lib/model/stored/latest";
import { blockMs, blockOf, columnsOf, sampleIn } from "../lib/model/stored/history";
import { hashOfRange } from "../lib/model/stored/queue-index";
import { indexOf, readsOf } from "../lib/sync/wake/write-queue-index";
import { rosterHpaOf, sampleOf } from "../lib/sync/history/sample";
import { type Item, itemBytes } from "../lib/table/items/attributes";
import { encodeIndex } from "../lib/table/items/index-item";
import { decodeMinute, encodeBlock, encodeMinute, rowsOf } from "../lib/table/items/history-items";
import { encodeLatest } from "../lib/table/items/packed-items";
import { openRoster } from "../lib/table/items/roster-item";
import { withWork } from "../lib/model/stored/counters";
import { encodeShard } from "../lib/table/items/shard-item";
import { type Random, seededRandom } from "../local/random";
import { runBench } from "./harness/backend-process";
import { queueMetric, start } from "./harness/deployment";
import { judge } from "./harness/report";

/** The write units that DynamoDB bills for the items of a shard, beside the states of its HPAs. */
const shard = { cluster: "prod", from: "" };
const counts = [1, 100, 1_000, 2_000];
/** Of an HPA in the item of latest values, if there are a thousand; of the index; of the SHARD item that names it. */
const most = {
  latestBytes: 80,
  indexUnits: 16,
  shardBytes: 1_024,
  historyUnits: 15,
  readMs: 300,
};

const key = (index: number): HpaKey => `shop/worker-${String(index).padStart(5, "0")}`;
const metricOf = (index: number) => queueMetric(`worker-${String(index).padStart(5, "0")}`, "eu-central-1");

function hpaOf(index: number) {
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
  return { hpa, operations: { paused: false, dryRun: false } };
}

/** What an HPA of three replicas shows after its queue has moved, and nothing of it is as another's. */
function moved(index: number, random: Random): LatestValues {
  const { hpa } = hpaOf(index);
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

/** Three hours of HPAs that all move: one item a minute, and then one for each HPA. */
function measureHistory(hpas: number): void {
  const random = seededRandom(1);
  const keys = Array.from({ length: hpas }, (_, index) => key(index));
  const entries = keys.map((_, index) => hpaOf(index));
  const roster = openRoster(shard, new Map(keys.map((one, index) => [one, rosterHpaOf(entries[index]!)] as const)));
  const before = process.cpuUsage();
  const minutes = Array.from({ length: blockMs / minuteMs }, (_, minute) => {
    const slot = blockOf(start) + minute * minuteMs;
    const samples = entries.map((entry, index) => sampleOf(moved(index, random), entry, slot));
    const rows = rowsOf(columnsOf(samples), roster.roster.hash);
    const item = { ...shard, to: null, slot, roster: roster.roster.hash, previous: [{ from: "", slot }] };
    return { item: encodeMinute("prod", item, rows, start), samples };
  });
  const ofMinutes = minutes.reduce((sum, { item }) => sum + units(item), 0);
  const blocks = keys.map((one, index) => {
    const points = minutes.map(({ samples }, minute) => {
      const at = blockOf(start) + minute * minuteMs;
      return { at, sample: samples[index]!, spec: roster.roster.hpas[index]! };
    });
    return encodeBlock("prod", { key: one, start: blockOf(start), points }, start);
  });
  measureRead(
    minutes.map(({ item }) => item),
    hpas,
  );
  const ofBlocks = blocks.reduce((sum, item) => sum + units(item), 0);
  const ms = process.cpuUsage(before).user / 1_000 / minutes.length;
  const [each, later] = [ofMinutes / minutes.length, ofBlocks / minutes.length];
  const bytes = blocks.reduce((sum, item) => sum + itemBytes(item), 0) / hpas;
  const [counters, more] = measureCounters(hpas);
  const parts = `${each.toFixed(1)} of minutes, ${more} of counters (${counters} bytes in the SHARD item) and ${later.toFixed(1)} of blocks of ${bytes.toFixed(0)} bytes`;
  const rest = `the roster has ${units(roster.item(start))}; ${ms.toFixed(0)} ms of CPU time a minute, with the samples`;
  judge(
    `history of ${hpas} moving HPAs: ${parts}; ${rest}; write units a minute`,
    each + more + later,
    most.historyUnits,
  );
}

/** In bytes, and in write units of a minute's four slots: after a year of slots, with all that a slot adds. */
function measureCounters(hpas: number): readonly [bytes: number, units: number] {
  const slots = 4 * 60 * 24 * 365;
  const spread = [1, 2, 4, 8, 16, 32, 64, 128].map((ms) => ["", ms] as const);
  const series = ["sync none none", "sync scale_up none", "sync scale_down none", "sync none internal", "lag", "run"];
  const ofMetric = ["none none", "scale_up none", "scale_down none", "none internal"].map(
    (one) => `metric ${one} External`,
  );
  const times = [...series, ...ofMetric].flatMap((one) => spread.map(([, ms]) => [one, ms] as const));
  const totals = ["scaled up", "scaled down", "scaled to_zero", "scaled from_zero", "read sqs read", "read sqs failed"];
  const work = { totals: [...totals, "zero"].map((one) => [one, hpas] as const), times };
  const once = withWork(undefined, work);
  const counters = {
    totals: Object.fromEntries(Object.entries(once.totals).map(([one, value]) => [one, value * slots])),
    times: Object.fromEntries(
      Object.entries(once.times).map(([one, [sum = 0, first = 0, ...counts]]) => [
        one,
        [sum * slots * hpas, first, ...counts.map((value) => value * slots * hpas)],
      ]),
    ),
  };
  const plain = { ...shard, to: null, version: 1, slot: start, heartbeat: start, behind: {}, entries: hpas };
  const mark = { hash: "0".repeat(16), range: 2 ** 31, at: start };
  const history = { last: [{ from: "", slot: start }], hash: "0".repeat(16), packed: start, seen: start };
  const confirmed = { version: 1, changed: start, states: 2 ** 31 };
  const rest = {
    index: { version: 1, since: 1, mark },
    history,
    confirmed,
    latest: start,
    workedMs: 999,
    queries: 999,
  };
  const [less, more] = [encodeShard({ ...plain, ...rest }), encodeShard({ ...plain, ...rest, counters })];
  return [itemBytes(more) - itemBytes(less), 4 * (units(more) - units(less))];
}

/** The slowest part of reading a day: the minutes that are no block yet. */
function measureRead(items: readonly Item[], hpas: number): void {
  const bytes = items.reduce((sum, item) => sum + itemBytes(item), 0);
  const before = process.cpuUsage();
  const found = items.map((item) => sampleIn(decodeMinute(item, { left: Infinity })!.columns, hpas - 1));
  const ms = process.cpuUsage(before).user / 1_000;
  const pages = Math.ceil(bytes / 2 ** 20);
  judge(`reading one HPA in ${found.length} minutes of ${hpas} takes ${pages} pages; ms of CPU time`, ms, most.readMs);
}

function units(item: Item): number {
  return Math.ceil(itemBytes(item) / 1_024);
}

runBench(() => {
  counts.forEach(measureLatest);
  counts.slice(0, -1).forEach(measureIndex);
  [100, 1_000].forEach(measureHistory);
  return Promise.resolve();
});
