import { isPaused, readOperations } from "../../lib/model/annotations";
import { humanDuration } from "../../lib/k8s/printing/human-duration";
import { syncPeriodMs } from "../../lib/model/options";
import { isLate } from "./late";
import type { Standing } from "./standing";
import type { Times } from "./times";

/** Why nothing is decided at the moment, and what ends that. `summary` goes on after the HPA's name. */
export interface Halt {
  readonly reason: string;
  readonly summary: string;
  readonly next: string;
}

/** What stops an HPA before any metric counts; undefined: nothing. */
export function haltOf(standing: Standing, times: Times): Halt | undefined {
  const { cluster, entry, namespace, name, brokenState } = standing;
  if ("errors" in entry) return invalid(entry.errors, standing);
  const operations = readOperations(entry.hpa.metadata);
  if ("errors" in operations) return invalid(operations.errors, standing);
  if ("invalid" in cluster) {
    const next = `it goes on with the first sync after the cluster's entry is right: ebb get cluster ${cluster.key} -o yaml`;
    return { reason: "InvalidCluster", summary: `is not synced: ${cluster.invalid}`, next };
  }
  if (brokenState !== undefined) {
    const next = `mend or delete the item STATE#${namespace}/${name}; deleted, the HPA begins anew, without its recommendations`;
    return { reason: "BrokenState", summary: `is halted: what it remembers cannot be read: ${brokenState}`, next };
  }
  if (isPaused(operations, times.now)) return paused(operations.paused, standing, times);
  if (standing.state === undefined) return neverSynced(standing, times);
  return undefined;
}

function invalid(errors: readonly string[], { cluster, namespace, name }: Standing): Halt {
  return {
    reason: "InvalidEntry",
    summary: `is halted, its entry cannot be used: ${errors.join("; ")}`,
    next: `it goes on with the first sync after the entry is right: ebb edit hpa ${name} -n ${namespace} --cluster ${cluster.key}`,
  };
}

function paused(until: true | false | { readonly until: number }, standing: Standing, times: Times): Halt {
  const size = standing.state?.status.currentReplicas;
  const stays = size === undefined ? "nothing scales it" : `it stays at ${size} whatever the metrics say`;
  const resume = `ebb resume hpa ${standing.name} -n ${standing.namespace}`;
  return typeof until === "object"
    ? {
        reason: "Paused",
        summary: `is paused until ${times.near(until.until)}: ${stays}`,
        next: `it goes on at ${times.moment(until.until)}; now: ${resume}`,
      }
    : { reason: "Paused", summary: `is paused: ${stays}`, next: `it goes on after: ${resume}` };
}

function neverSynced({ cluster, shard }: Standing, times: Times): Halt {
  const reason = "NeverSynced";
  const summary = "was never synced";
  if (shard === undefined) {
    const why = `no shard of cluster ${cluster.key} holds it yet`;
    return {
      reason,
      summary: `${summary}: ${why}`,
      next: "the tick makes one within a minute; if it does not: ebb doctor",
    };
  }
  if (shard.failure !== undefined)
    return { reason, summary: `${summary}: ${shard.failure}`, next: `see ebb doctor ${cluster.key}` };
  const periodMs = periodOf({ cluster });
  if (isLate(shard, periodMs, times.now)) {
    const last = shard.slot === 0 ? "no slot was ever finished" : `the last finished slot is ${times.near(shard.slot)}`;
    return { reason, summary: `${summary}: ${last}`, next: "see ebb status and ebb doctor: tick or sync do not run" };
  }
  return { reason, summary, next: `its first sync is due within ${humanDuration(periodMs)}` };
}

export function periodOf({ cluster }: Pick<Standing, "cluster">): number {
  return syncPeriodMs("value" in cluster ? cluster.value.spec.options : undefined);
}
