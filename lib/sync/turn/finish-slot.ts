import type { SlotMessage } from "../../model/messages";
import type { Store } from "../../model/ports";
import type { EpochMs } from "../../k8s/time";
import type { Shard } from "../../model/state";

/** How far the clock that timed a message may be ahead of ours. */
const skewMs = 60_000;

export interface ClockFailure {
  readonly reason: "ClockAhead" | "ClockWentBack";
  /** The same from message to message, so that it is told once. */
  readonly failure: string;
}

/**
 * A message for a slot that lies well in the future: one of the two clocks is wrong. Finishing it would keep every slot up to it from
 * being synced, since slots only grow.
 */
export function comesTooEarly({ slot }: SlotMessage, now: EpochMs): boolean {
  return slot - now > skewMs;
}

export const clockAhead: ClockFailure = {
  reason: "ClockAhead",
  failure: "a message came for a slot that is more than a minute ahead of the clock; dropped",
};

/** A finished slot that lies in our future means that the clock went back. Nothing is synced until it has caught up. */
export function clockWentBack(shard: Shard, { slot, until }: SlotMessage, now: EpochMs): ClockFailure | undefined {
  if (shard.slot - now <= until - slot) return undefined;
  const failure = `the last finished slot is ${instant(shard.slot)}, ahead of the clock; waiting for it to pass`;
  return { reason: "ClockWentBack", failure };
}

function instant(at: EpochMs): string {
  return new Date(at).toISOString();
}

const tries = 3;

/**
 * The write that makes a slot count: conditional on the shard as it was loaded. It may have moved on without taking anything from this slot:
 * an older slot was finished late, or a tick narrowed the range. Then `next` is built on what stands.
 *
 * @returns whether the slot is finished by this run; false: another run has finished it, or a newer one, or the range is another.
 */
export async function finishSlot(
  store: Store,
  loaded: Shard,
  next: (standing: Shard) => Shard,
  { message, signal }: { readonly message: SlotMessage; readonly signal: AbortSignal },
): Promise<boolean> {
  let standing = loaded;
  for (let attempt = 1; attempt <= tries; attempt++) {
    if (await store.replaceShard(standing, next(standing), signal)) return true;
    const found = await store.shard(message, signal);
    if (found === undefined || found.slot >= message.slot || !covers(loaded, found)) return false;
    standing = found;
  }
  return false;
}

/** `from` is the same: both are the shard that the message names. */
function covers(loaded: Shard, found: Shard): boolean {
  return loaded.to === null || (found.to !== null && found.to <= loaded.to);
}
