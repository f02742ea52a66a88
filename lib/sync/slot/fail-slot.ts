import type { EpochMs } from "../../k8s/time";
import type { SlotMessage } from "../../model/messages";
import type { Shard } from "../../model/stored/state";
import type { SyncContext, SyncPorts } from "../ports";
import { shownFailing } from "./count-failing";
import { type ClockFailure, finishSlot } from "./finish-slot";

export interface SlotRun {
  readonly message: SlotMessage;
  readonly now: EpochMs;
  readonly context: SyncContext;
}

/** `failure` undefined removes the last one. */
export function withFailure({ failure: _, ...shard }: Shard, failure: string | undefined): Shard {
  return { ...shard, version: shard.version + 1, ...(failure === undefined ? {} : { failure }) };
}

interface FailedSlot extends SlotRun {
  readonly failure: string;
  readonly failing: number | undefined;
  /** A deleted cluster is no failure: nothing is reported. */
  readonly isDeleted: boolean;
}

/** The heartbeat stays: nothing was observed. */
export async function failShard(
  { store, reporter }: SyncPorts,
  shard: Shard,
  { message, now, context, failure, failing, isDeleted }: FailedSlot,
): Promise<boolean> {
  const next = ({ failing: _, ...current }: Shard) => ({
    ...withFailure(current, failure),
    ...shownFailing(failing),
    slot: message.slot,
  });
  const finished = (await finishSlot(store, shard, next, { message, signal: context.signal })) !== undefined;
  if (finished && shard.failure !== failure && !isDeleted) {
    reporter.failed({ cluster: shard.cluster, reason: "InvalidCluster", message: failure, at: now });
  }
  return finished;
}

/** Reports once: the shard remembers the failure. */
export async function reportClock(
  { store, reporter }: SyncPorts,
  shard: Shard,
  { reason, failure }: ClockFailure,
  { now, signal }: SyncContext,
): Promise<void> {
  if (shard.failure === failure || !(await store.replaceShard(shard, withFailure(shard, failure), signal))) return;
  const at = now();
  const message = `${failure} (it is ${new Date(at).toISOString()})`;
  reporter.failed({ cluster: shard.cluster, reason, message, at });
}
