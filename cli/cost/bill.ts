import { longestKeptMs } from "../../lib/sync/turn/kept-contents";
import { type Load, type Plan, type PlannedCluster, shardsOf } from "./plan";
import { monthSeconds, prices } from "../../lib/model/prices";
import { defaultWatchBudget } from "../../lib/model/watch-budget";
import { money, priceOfRead } from "./prices";
import { monthlyReads, type MonthlyReads } from "./source-reads";

/** One driver of the cost. Amounts in $ a month. */
export interface Line extends Readonly<Record<Load, number>> {
  readonly what: string;
  /** How the amount in motion comes about, with its counts and prices. */
  readonly arithmetic: string;
  /** What lowers it. */
  readonly knob: string;
  /** Whether it pays for reading metrics, which any autoscaler has to do. */
  readonly readsSources?: true;
}

/**
 * What one slot takes. Seen with `npm run bench` and on the servers of the e2e suites; lengths are those of encoded
 * items.
 */
const work = {
  /** CPU time of sync for each HPA, in seconds, and what a slot costs without any. */
  cpu: { atRest: 0.0016, moving: 0.0024, slot: 0.03 },
  /** For how long a sync waits for its far ends, in seconds. */
  wait: 0.25,
  /** Lambda gives one vCPU to 1,769 MB. */
  mbPerVcpu: 1_769,
  /** Of an entry and its state, in reads of 4 KB. */
  reads: 0.81,
  /** The shard, the cluster and its sources, in each slot. */
  readsOfSlot: 3,
  messagesPerBatch: 4,
  /** What an HPA shows beyond its state, in a shard's item of latest values, in writes of 1 KB. */
  latestWrites: 0.051,
  /** A tenth of a request to send a message, one to receive it, one to delete it. */
  requestsPerMessage: 2.1,
  /** Lambda keeps five requests open at a queue, of 20 s each. */
  pollSeconds: 20 / 5,
  /** Lambda's own lines and the metrics of one invocation, in GB. */
  logGb: 1.2e-6,
  /** Lambda starts a new instance of a function every two hours or so. */
  init: { seconds: 0.25, everySeconds: 7_200 },
} as const;

const tick = { memoryGb: 0.25, seconds: 0.5, everySeconds: 60 } as const;

/** serverless.yml and infra/: `test/cli/cost.test.ts` counts them there. */
export const deployed = { customMetrics: 11, alarms: 8 } as const;

/** Every line of the bill, the largest first. */
export function billOf(plan: Plan): readonly Line[] {
  const lines = [
    ...sourceLines(plan),
    loading(plan),
    latestValues(plan),
    syncs(plan),
    messages(plan),
    heartbeats(plan),
    ticks(),
    polling(),
    logs(plan),
    inits(plan),
    watching(),
    idleWatcher(plan),
  ];
  return lines.filter(({ moving }) => moving > 0).toSorted((a, b) => b.moving - a.moving);
}

/** In $ a month. `only`: the lines that count. */
export function totalOf(lines: readonly Line[], load: Load, only: (line: Line) => boolean = () => true): number {
  return lines.filter(only).reduce((sum, line) => sum + line[load], 0);
}

/** Over all clusters, each with its slots of a month. */
export function sum({ clusters }: Plan, of: (cluster: PlannedCluster, slots: number) => number): number {
  return clusters.reduce((total, cluster) => total + of(cluster, monthSeconds / cluster.periodSeconds), 0);
}

const slower = "a longer syncPeriodSeconds of the cluster";

function sourceLines(plan: Plan): readonly Line[] {
  return monthlyReads(plan).map((read) => {
    const { amount, ...line } = costOfReads(read, read.times);
    const what = `read ${read.source}: ${atLeast(read)}${many(read.count, read.what)}`;
    return { ...same(amount), what, ...line };
  });
}

/** What so many reads cost. */
export function costOfReads(read: Omit<MonthlyReads, "times">, times: number) {
  const { each, arithmetic } = priceOfRead[read.unit];
  return {
    amount: times * each,
    arithmetic: `${atLeast(read)}${number(times)} ${arithmetic}`,
    knob: read.loweredBy ?? slower,
    readsSources: true as const,
  };
}

function atLeast({ isLeast }: Pick<MonthlyReads, "isLeast">): string {
  return isLeast === true ? "at least " : "";
}

function loading(plan: Plan): Line {
  const reads = sum(plan, (cluster, slots) => {
    const loads = cluster.hpas * work.reads * slots * shareOfLoads(cluster);
    return loads + work.readsOfSlot * shardsOf(cluster) * slots;
  });
  return {
    ...same(reads * prices.dynamodb.read),
    what: "load entries and states",
    arithmetic: `${number(reads)} reads × ${money(prices.dynamodb.read * 1e6)} a million`,
    knob: slower,
  };
}

/**
 * In which share of its slots a shard is loaded: each process that gets one of its slots loads it once, and
 * keeps it for two minutes (docs/decisions/0062). Of P processes that take turns by chance, so many get one of n slots:
 * P × (1 − (1 − 1/P)^n).
 */
function shareOfLoads(cluster: PlannedCluster): number {
  const slots = Math.max(1, longestKeptMs / 1_000 / cluster.periodSeconds);
  const processes = Math.ceil(shardsOf(cluster) / work.messagesPerBatch);
  return (processes * (1 - (1 - 1 / processes) ** slots)) / slots;
}

function latestValues(plan: Plan): Line {
  // One item for each shard and minute (docs/decisions/0056).
  const writes = sum(plan, (cluster) => {
    const shards = shardsOf(cluster);
    const each = Math.ceil((cluster.hpas / shards) * work.latestWrites);
    return (shards * each * monthSeconds) / Math.max(60, cluster.periodSeconds);
  });
  return {
    what: "write values that move",
    atRest: 0,
    moving: writes * prices.dynamodb.write,
    arithmetic: `${number(writes)} writes × ${money(prices.dynamodb.write * 1e6)} a million`,
    knob: "a syncPeriodSeconds above 60",
  };
}

function syncs(plan: Plan): Line {
  const gbSeconds = (load: Load) =>
    sum(plan, (cluster, slots) => {
      const shards = shardsOf(cluster);
      const cpuSeconds = work.cpu.slot * shards + work.cpu[load] * cluster.hpas;
      const gb = plan.syncMemory / 1024;
      const vcpus = plan.syncMemory / work.mbPerVcpu;
      return slots * gb * (work.wait * shards + cpuSeconds / Math.min(1, vcpus));
    });
  const invocations = sum(plan, (cluster, slots) => shardsOf(cluster) * slots);
  const cost = (load: Load) => gbSeconds(load) * prices.lambda.gbSecond + invocations * prices.lambda.request;
  return {
    what: "run sync",
    atRest: cost("atRest"),
    moving: cost("moving"),
    arithmetic: `${number(gbSeconds("moving"))} GB-seconds × ${prices.lambda.gbSecond} and ${number(invocations)} requests × ${money(prices.lambda.request * 1e6)} a million`,
    knob: slower,
  };
}

function messages(plan: Plan): Line {
  const requests = sum(plan, (cluster, slots) => shardsOf(cluster) * slots * work.requestsPerMessage);
  return {
    ...same(requests * prices.sqs.request),
    what: "messages of slots",
    arithmetic: `${number(requests)} requests × ${money(prices.sqs.request * 1e6)} a million`,
    knob: slower,
  };
}

function heartbeats(plan: Plan): Line {
  const writes = sum(plan, (cluster, slots) => shardsOf(cluster) * slots);
  return {
    ...same(writes * prices.dynamodb.write),
    what: "write shards",
    arithmetic: `${number(writes)} writes × ${money(prices.dynamodb.write * 1e6)} a million`,
    knob: slower,
  };
}

function ticks(): Line {
  const runs = monthSeconds / tick.everySeconds;
  const gbSeconds = runs * tick.seconds * tick.memoryGb;
  return {
    ...same(gbSeconds * prices.lambda.gbSecond + runs * (prices.lambda.request + prices.scheduler.invocation)),
    what: "run tick",
    arithmetic: `${number(gbSeconds)} GB-seconds × ${prices.lambda.gbSecond} and ${number(runs)} invocations`,
    knob: "one deployment for all clusters",
  };
}

function polling(): Line {
  const requests = monthSeconds / work.pollSeconds;
  return {
    ...same(requests * prices.sqs.request),
    what: "Lambda polls the slot queue",
    arithmetic: `${number(requests)} requests × ${money(prices.sqs.request * 1e6)} a million`,
    knob: "one deployment for all clusters",
  };
}

function logs(plan: Plan): Line {
  const invocations = sum(plan, (cluster, slots) => shardsOf(cluster) * slots) + monthSeconds / tick.everySeconds;
  const gb = invocations * work.logGb;
  return {
    ...same(gb * prices.cloudwatch.logGb),
    what: "logs",
    arithmetic: `${gb.toFixed(2)} GB × ${money(prices.cloudwatch.logGb)}`,
    knob: slower,
  };
}

function inits(plan: Plan): Line {
  const gb = plan.syncMemory / 1024 + tick.memoryGb;
  const gbSeconds = (monthSeconds / work.init.everySeconds) * work.init.seconds * gb;
  return {
    ...same(gbSeconds * prices.lambda.gbSecond),
    what: "start functions (INIT)",
    arithmetic: `${number(gbSeconds)} GB-seconds × ${prices.lambda.gbSecond}`,
    knob: "one deployment for all clusters",
  };
}

/** serverless.yml. */
const watcher = { memoryGb: 0.25 } as const;

/** It reads every second, or as often as its budget allows. */
function idleWatcher({ watched = 0 }: Plan): Line {
  const running = monthSeconds * watcher.memoryGb * prices.lambda.gbSecond;
  const ofQueues = watched * monthSeconds * prices.sqs.request;
  const isLimited = running + ofQueues > defaultWatchBudget;
  const arithmetic = `${number(monthSeconds * watcher.memoryGb)} GB-seconds and ${number(watched * monthSeconds)} requests every second`;
  return {
    ...same(watched === 0 ? 0 : Math.min(running + ofQueues, defaultWatchBudget)),
    what: `watch ${many(watched, "queue")} at zero`,
    arithmetic: isLimited ? `${arithmetic}, slowed down to watchBudget ${defaultWatchBudget}` : arithmetic,
    knob: "the param watchBudget, or ebb.dev/wake: slot",
  };
}

function watching(): Line {
  const { customMetric, alarm } = prices.cloudwatch;
  return {
    ...same(deployed.customMetrics * customMetric + deployed.alarms * alarm),
    what: "ebb's own metrics and alarms",
    arithmetic: `${deployed.customMetrics} metrics × ${money(customMetric)} and ${deployed.alarms} alarms × ${money(alarm)}`,
    knob: "POWERTOOLS_METRICS_DISABLED=true",
  };
}

function same(amount: number): Readonly<Record<Load, number>> {
  return { atRest: amount, moving: amount };
}

function many(count: number, one: string): string {
  return `${number(count)} ${count === 1 ? one : `${one}s`}`;
}

/** "12,345" */
export function number(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
