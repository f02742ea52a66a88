import { createHash } from "node:crypto";
import { isFault } from "../../model/fault";
import type { Idle, IdleMark } from "../../model/stored/idle";
import type { SlotMessage } from "../../model/messages";
import type { Shard } from "../../model/stored/state";
import type { SyncContext, SyncPorts } from "../frame";

/** A run that is late may write an older set over a newer one. The watcher has it no longer than this. */
const rewrittenAfterMs = 10 * 60_000;

interface Outcome {
  readonly shard: Shard;
  readonly idle: Idle;
  readonly message: SlotMessage;
  readonly context: SyncContext;
}

/**
 * Writes which HPAs of a shard are watched, before the slot is finished. While the set stays the same, it writes
 * nothing, but for once in ten minutes. A failure is reported, and the next slot tries again.
 *
 * @returns `idle` of the finished shard; undefined: the watcher reads nothing of it.
 */
export async function showIdle(
  { store, reporter }: Pick<SyncPorts, "store" | "reporter">,
  { shard, idle, message, context }: Outcome,
): Promise<IdleMark | undefined> {
  const { cluster, idle: before } = shard;
  if (Object.keys(idle).length === 0) return undefined;
  const hash = hashOf(idle);
  if (before?.hash === hash && message.slot - before.at < rewrittenAfterMs) return before;
  try {
    await store.putIdle(shard, idle, context.signal);
    return { hash, at: message.slot };
  } catch (error) {
    if (!isFault(error)) throw error;
    reporter.failed({ cluster, reason: "IdleNotWritten", message: error.message, at: context.now() });
    return before;
  }
}

/** 96 bits: the sets of one shard differ by it. */
function hashOf(idle: Idle): string {
  return createHash("sha256").update(JSON.stringify(idle)).digest("base64url").slice(0, 16);
}
