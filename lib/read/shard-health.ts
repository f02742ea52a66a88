import type { EpochMs } from "../k8s/time";
import type { ClusterEntry } from "../model/entry/entries";
import type { Entry } from "../model/ports/store";
import type { Shard } from "../model/stored/shard";
import { periodOf } from "./hpa-facts";

export type ShardHealth =
  | { readonly kind: "inTime" }
  | { readonly kind: "notYet"; readonly due: EpochMs }
  /** The tick has created no shard for long. */
  | { readonly kind: "missing" }
  /** Without `lastSlot`: no slot ever finished. */
  | { readonly kind: "late"; readonly lastSlot?: EpochMs; readonly failure?: string }
  | { readonly kind: "fails"; readonly failure: string };

type ObservedShard = Pick<Shard, "slot" | "heartbeat" | "failure">;

/** A slot may take this long, with delivery. */
const graceMs = 60_000;

export function shardHealth(shard: ObservedShard | undefined, cluster: Entry<ClusterEntry>, now: EpochMs): ShardHealth {
  const due = firstSlotDue(shard, cluster, now);
  // Until then, the shard may be that of a deleted cluster of the same name.
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

const firstTickMs = 90_000;
/** Between the clocks of two machines. */
const skewMs = 60_000;

/** One period after its first slot. Undefined: a slot has finished, or its age is unknown. */
function firstSlotDue(
  shard: ObservedShard | undefined,
  cluster: Entry<ClusterEntry>,
  now: EpochMs,
): EpochMs | undefined {
  const registeredAt = "value" in cluster ? (cluster.value.registeredAt ?? 0) : 0;
  // A new shard's heartbeat is its creation.
  const createdAt = shard?.slot === 0 ? shard.heartbeat : 0;
  const since = Math.max(...[registeredAt, createdAt].filter((at) => at <= now + skewMs), 0);
  const isFinished = shard !== undefined && shard.slot > 0 && Math.max(shard.slot, shard.heartbeat) > since;
  if (since === 0 || isFinished) return undefined;
  return since + firstTickMs + periodOf(cluster);
}
