import type { EpochMs } from "../k8s/time";
import type { ClusterEntry } from "../model/entry/entries";
import type { Entry } from "../model/ports/store";
import type { Shard } from "../model/stored/state";
import { periodOf } from "./hpa-facts";

/** How a part of a cluster's HPAs is synced: the proof that schedule, queue and functions are alive. */
export type ShardHealth =
  | { readonly kind: "inTime" }
  /** Its first slot since the cluster was registered, or the shard created, is not due before that moment. */
  | { readonly kind: "notYet"; readonly due: EpochMs }
  /** The cluster has been registered for long, and the tick has created no shard. */
  | { readonly kind: "missing" }
  /** Without `lastSlot`: no slot of it ever finished. `failure`: why, if known. */
  | { readonly kind: "late"; readonly lastSlot?: EpochMs; readonly failure?: string }
  | { readonly kind: "fails"; readonly failure: string };

type ObservedShard = Pick<Shard, "slot" | "heartbeat" | "failure">;

/** How long a slot may take to finish, including delivery. */
const graceMs = 60_000;

/** The one place that says whether a shard is late, or too young to be late. `shard` undefined: there is none. */
export function shardHealth(shard: ObservedShard | undefined, cluster: Entry<ClusterEntry>, now: EpochMs): ShardHealth {
  const due = firstSlotDue(shard, cluster, now);
  // What it says until then is about a cluster of the same name that was deleted.
  if (due !== undefined && now < due) return { kind: "notYet", due };
  if (shard === undefined) return { kind: "missing" };
  const { slot, failure } = shard;
  if (now - slot > periodOf(cluster) + graceMs)
    return {
      kind: "late",
      ...(slot === 0 ? {} : { lastSlot: slot }),
      ...(failure === undefined ? {} : { failure }),
    };
  return failure === undefined ? { kind: "inTime" } : { kind: "fails", failure };
}

/** The next tick, and the time that it takes. */
const firstTickMs = 90_000;
/** How far the clock of the machine that registered the cluster may be ahead. */
const skewMs = 60_000;

/** When its first slot and one period are over; undefined: it has finished a slot, or nobody knows since when it is. */
function firstSlotDue(
  shard: ObservedShard | undefined,
  cluster: Entry<ClusterEntry>,
  now: EpochMs,
): EpochMs | undefined {
  const registeredAt = "value" in cluster ? (cluster.value.registeredAt ?? 0) : 0;
  // The heartbeat is when the last sync ended; that of a new shard is when it was created.
  const createdAt = shard?.slot === 0 ? shard.heartbeat : 0;
  const since = Math.max(...[registeredAt, createdAt].filter((at) => at <= now + skewMs), 0);
  const isFinished = shard !== undefined && shard.slot > 0 && Math.max(shard.slot, shard.heartbeat) > since;
  if (since === 0 || isFinished) return undefined;
  return since + firstTickMs + periodOf(cluster);
}
