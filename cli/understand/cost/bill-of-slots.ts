import { longestCachedMs } from "../../../lib/sync/slot/shard-cache";
import { blockMs, restMs } from "../../../lib/model/stored/history";
import { monthSeconds, prices } from "../../../lib/model/prices";
import { type Line, number, same, slower, money } from "./line";
import {
  decisionsOf,
  hpasOf,
  type Load,
  type OwnPeriods,
  type Plan,
  type PlannedCluster,
  shardsOf,
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
  indexSeconds: 86_400,
  /** An HPA's part of a minute of its shard: `npm run bench -- table`. */
  historyWrites: 0.0035,
  /** A tenth of a request to send a message, one to receive it, one to delete it. */
  requestsPerMessage: 2.1,
} as const;

export function billOfSlots(plan: Plan): readonly Line[] {
  const writes = [latestValues(plan), history(plan), heartbeats(plan), ownWakes(plan)];
  return [loading(plan), syncs(plan), messages(plan), ...writes];
}

function loading(plan: Plan): Line {
  const reads = sumOf(plan, (cluster) => {
    const slots = slotsOf(cluster);
    const loads = cluster.hpas * work.reads * slots * shareOfLoads(plan, cluster);
    return loads + work.readsOfSlot * shardsOf(cluster) * slots;
  });
  return {
    ...same(reads * prices.dynamodb.read),
    what: "load entries and states",
    arithmetic: `${number(reads)} reads × ${money(prices.dynamodb.read * 1e6)} a million`,
    knob: slower,
  };
}

/** Each process loads once in two minutes. P × (1 − (1 − 1/P)^n) of P run some of n slots. */
function shareOfLoads(plan: Plan, cluster: PlannedCluster): number {
  if (wakesOf(cluster).hpas > 0) return 1; // a wake changes states, so the next slot loads them
  const slots = Math.max(1, longestCachedMs / 1_000 / cluster.periodSeconds);
  const processes = Math.ceil(sumOf(plan, shardsOf) / work.messagesPerBatch);
  return (processes * (1 - (1 - 1 / processes) ** slots)) / slots;
}

function latestValues(plan: Plan): Line {
  // One item for each shard and minute (docs/decisions/0056).
  const writes = sumOf(plan, (cluster) => {
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

function history(plan: Plan): Line {
  // A block for each HPA of a shard, beside its minutes (docs/decisions/0098). At rest, one a week.
  const writes = sumOf(plan, (cluster) => {
    const shards = shardsOf(cluster);
    const each = Math.ceil((cluster.hpas / shards) * work.historyWrites);
    const minutes = monthSeconds / Math.max(60, cluster.periodSeconds);
    return shards * each * minutes + (cluster.hpas * monthSeconds * 1_000) / blockMs;
  });
  return {
    what: "write the history",
    atRest: ((hpasOf(plan) * monthSeconds * 1_000) / restMs) * prices.dynamodb.write,
    moving: writes * prices.dynamodb.write,
    arithmetic: `${number(writes)} writes × ${money(prices.dynamodb.write * 1e6)} a million`,
    knob: "the param historyDays, 0",
  };
}

function syncs(plan: Plan): Line {
  const gbSeconds = (load: Load) =>
    sumOf(plan, (cluster) => {
      const runs = shardsOf(cluster) * slotsOf(cluster) + wakesOf(cluster).messages;
      const cpuSeconds = work.cpu.slot * runs + work.cpu[load] * decisionsOf(cluster);
      const gb = plan.syncMemory / 1024;
      const vcpus = plan.syncMemory / work.mbPerVcpu;
      return gb * (work.wait * runs + cpuSeconds / Math.min(1, vcpus));
    });
  const invocations = sumOf(plan, (cluster) => shardsOf(cluster) * slotsOf(cluster) + wakesOf(cluster).messages);
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
  const requests = sumOf(plan, (cluster) => shardsOf(cluster) * slotsOf(cluster) * work.requestsPerMessage);
  return {
    ...same(requests * prices.sqs.request),
    what: "messages of slots",
    arithmetic: `${number(requests)} requests × ${money(prices.sqs.request * 1e6)} a million`,
    knob: slower,
  };
}

function heartbeats(plan: Plan): Line {
  const slots = sumOf(plan, (cluster) => shardsOf(cluster) * slotsOf(cluster));
  // As if each HPA read a queue. A change of queues writes the index once more (docs/decisions/0079).
  const indexes = sumOf(plan, (cluster) => {
    const each = Math.ceil((cluster.hpas / shardsOf(cluster)) * work.indexWrites);
    return (shardsOf(cluster) * each * monthSeconds) / work.indexSeconds;
  });
  return {
    ...same((slots + indexes) * prices.dynamodb.write),
    what: "write shards",
    arithmetic: `${number(slots)} writes in slots and ${number(indexes)} of indexes × ${money(prices.dynamodb.write * 1e6)} a million`,
    knob: slower,
  };
}

/** For HPAs with shorter periods than their cluster (docs/how-fast.md). */
function ownWakes(plan: Plan): Line {
  const messages = sumOf(plan, (cluster) => wakesOf(cluster).messages);
  const hpas = sumOf(plan, (cluster) => wakesOf(cluster).hpas);
  const reads = messages * work.readsOfWake + sumOf(plan, (cluster) => wakesOf(cluster).loaded) * work.reads;
  const inSlots = sumOf(plan, (cluster) => (cluster.ownPeriods?.shorter ?? 0) * slotsOf(cluster));
  const writes = (2 * hpas + inSlots) * work.writesOfState;
  const { dynamodb, sqs } = prices;
  return {
    ...same(reads * dynamodb.read + writes * dynamodb.write + messages * work.requestsPerMessage * sqs.request),
    what: "wake HPAs with shorter periods",
    arithmetic: `${number(messages)} messages that wake ${number(hpas)} HPAs: ${number(reads)} reads and ${number(writes)} writes of the table`,
    knob: "a longer ebb.dev/sync-period",
  };
}

function wakesOf({ ownPeriods }: PlannedCluster): OwnPeriods["wakes"] {
  const { messages = 0, hpas = 0, loaded = 0 } = ownPeriods?.wakes ?? {};
  const minutes = monthSeconds / 60;
  return { messages: messages * minutes, hpas: hpas * minutes, loaded: loaded * minutes };
}
