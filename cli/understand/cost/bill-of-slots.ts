import { dayMs } from "../../../lib/k8s/time";
import { longestCachedMs } from "../../../lib/sync/slot/shard-cache";
import { blockMs, restMs } from "../../../lib/model/stored/history";
import { monthSeconds, prices } from "../../../lib/model/prices";
import { type Line, million, money, number, same, slower } from "./line";
import {
  decisionsOf,
  hpasOf,
  type Load,
  type Plan,
  type PlannedCluster,
  type PlannedPeriods,
  shardSlotsOf,
  shardCountOf,
  slotsOf,
  sumOf,
} from "./plan";

/** Per slot, measured with `npm run bench` and on the e2e suites' servers; lengths are those of encoded items. */
const work = {
  /** Seconds of CPU for each HPA and slot: twice what `npm run bench -- rounds` measures. */
  cpu: { atRest: 0.001, moving: 0.0011, slot: 0.03 },
  /** The wait of a sync for its servers, in seconds. */
  wait: 0.25,
  /** For a wake: shards, the cluster's entry, its sources, and the ranges of entries and states. */
  readsOfWake: 6,
  /** In writes of 1 KB. A woken HPA's state is written before and after the decision, and in the next slot. */
  writesOfState: 3,
  /** Lambda gives one vCPU to 1,769 MB. */
  mbPerVcpu: 1_769,
  /** An entry and its state, in reads of 4 KB. */
  reads: 0.81,
  readsOfSlot: 3,
  messagesPerBatch: 4,
  /** An HPA's part of its shard's item of latest values, in writes of 1 KB. */
  latestWrites: 0.051,
  /** An HPA's part of its shard's index of queues, in writes of 1 KB: `npm run bench -- table`, with longer names. */
  indexWrites: 0.016,
  /** An HPA's part of a minute of its shard: `npm run bench -- table`. */
  historyWrites: 0.0035,
  counterWrites: 1,
  /** A tenth of a request to send a message, one to receive it, one to delete it. */
  requestsPerMessage: 2.1,
} as const;

export function billOfSlots(plan: Plan): readonly Line[] {
  const { dynamodb, sqs } = prices;
  const messages = shardSlotsOf(plan) * work.requestsPerMessage;
  return [
    { what: "load entries and states", ...million(loads(plan), "reads", dynamodb.read), knob: slower },
    {
      what: "write values that move",
      ...million(latestWrites(plan), "writes", dynamodb.write),
      atRest: 0,
      knob: "a syncPeriodSeconds above 60",
    },
    {
      what: "write the history",
      ...million(historyWrites(plan), "writes", dynamodb.write),
      atRest: ((hpasOf(plan) * monthSeconds * 1_000) / restMs) * dynamodb.write,
      knob: "the param historyDays, 0",
    },
    syncs(plan),
    { what: "messages of slots", ...million(messages, "requests", sqs.request), knob: slower },
    heartbeats(plan),
    ownWakes(plan),
  ];
}

function loads(plan: Plan): number {
  return sumOf(plan, (cluster) => {
    const slots = slotsOf(cluster);
    const entries = cluster.hpas * work.reads * slots * shareOfLoads(plan, cluster);
    return entries + work.readsOfSlot * shardCountOf(cluster) * slots;
  });
}

/** Each process loads once in two minutes. P × (1 − (1 − 1/P)^n) of P run some of n slots. */
function shareOfLoads(plan: Plan, cluster: PlannedCluster): number {
  if (wakesOf(cluster).hpas > 0) return 1; // a wake changes states, so the next slot loads them
  const slots = Math.max(1, longestCachedMs / 1_000 / cluster.periodSeconds);
  const processes = Math.ceil(sumOf(plan, shardCountOf) / work.messagesPerBatch);
  return (processes * (1 - (1 - 1 / processes) ** slots)) / slots;
}

/** One item for each shard and minute (docs/decisions/0056). */
function latestWrites(plan: Plan): number {
  return sumOf(plan, (cluster) => writesOfParts(cluster, work.latestWrites) * minutesOf(cluster));
}

/** A block for each HPA of a shard, beside its minutes (docs/decisions/0098). At rest, one a week. */
function historyWrites(plan: Plan): number {
  const blocks = (hpasOf(plan) * monthSeconds * 1_000) / blockMs;
  const minutes = sumOf(plan, (cluster) => writesOfParts(cluster, work.historyWrites) * minutesOf(cluster));
  return blocks + minutes + shardSlotsOf(plan) * work.counterWrites;
}

/** `part`: the KB of an HPA in the one item of its shard. */
function writesOfParts(cluster: PlannedCluster, part: number): number {
  const shards = shardCountOf(cluster);
  return shards * Math.ceil((cluster.hpas / shards) * part);
}

function minutesOf({ periodSeconds }: PlannedCluster): number {
  return monthSeconds / Math.max(60, periodSeconds);
}

function syncs(plan: Plan): Line {
  const { gbSecond, request } = prices.lambda;
  const runsOf = (cluster: PlannedCluster) => shardCountOf(cluster) * slotsOf(cluster) + wakesOf(cluster).messages;
  const gb = plan.syncMemory / 1024;
  const vcpus = Math.min(1, plan.syncMemory / work.mbPerVcpu);
  const gbSeconds = (load: Load) =>
    sumOf(plan, (cluster) => {
      const cpuSeconds = work.cpu.slot * runsOf(cluster) + work.cpu[load] * decisionsOf(cluster);
      return gb * (work.wait * runsOf(cluster) + cpuSeconds / vcpus);
    });
  const runs = sumOf(plan, runsOf);
  const cost = (load: Load) => gbSeconds(load) * gbSecond + runs * request;
  return {
    what: "run sync",
    ...{ atRest: cost("atRest"), moving: cost("moving") },
    arithmetic: `${number(gbSeconds("moving"))} GB-seconds × ${gbSecond} and ${number(runs)} requests × ${money(request * 1e6)} a million`,
    knob: slower,
  };
}

function heartbeats(plan: Plan): Line {
  const { write } = prices.dynamodb;
  const slots = shardSlotsOf(plan);
  // As if each HPA read a queue. A change of queues writes the index once more (docs/decisions/0079).
  const indexes = sumOf(plan, (cluster) => writesOfParts(cluster, work.indexWrites)) * (monthSeconds / (dayMs / 1_000));
  const arithmetic = `${number(slots)} writes in slots and ${number(indexes)} of indexes × ${money(write * 1e6)} a million`;
  return { what: "write shards", ...same((slots + indexes) * write, arithmetic), knob: slower };
}

/** For HPAs with shorter periods than their cluster (docs/how-fast.md). */
function ownWakes(plan: Plan): Line {
  const ofWakes = (kind: keyof PlannedPeriods["wakes"]) => sumOf(plan, (cluster) => wakesOf(cluster)[kind]);
  const [messages, hpas] = [ofWakes("messages"), ofWakes("hpas")];
  const reads = messages * work.readsOfWake + ofWakes("loaded") * work.reads;
  const inSlots = sumOf(plan, (cluster) => (cluster.ownPeriods?.shorter ?? 0) * slotsOf(cluster));
  const writes = (2 * hpas + inSlots) * work.writesOfState;
  const { dynamodb, sqs } = prices;
  return {
    what: "wake HPAs with shorter periods",
    ...same(
      reads * dynamodb.read + writes * dynamodb.write + messages * work.requestsPerMessage * sqs.request,
      `${number(messages)} messages that wake ${number(hpas)} HPAs: ${number(reads)} reads and ${number(writes)} writes of the table`,
    ),
    knob: "a longer ebb.dev/sync-period",
  };
}

function wakesOf({ ownPeriods }: PlannedCluster): PlannedPeriods["wakes"] {
  const { messages = 0, hpas = 0, loaded = 0 } = ownPeriods?.wakes ?? {};
  const minutes = monthSeconds / 60;
  return { messages: messages * minutes, hpas: hpas * minutes, loaded: loaded * minutes };
}
