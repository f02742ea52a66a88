import type { SlotMessage } from "../../model/messages";
import type { Store } from "../../model/ports/store";
import type { EpochMs } from "../../k8s/time";
import type { Shard } from "../../model/stored/state";

/** How far the sender's clock may be ahead. */
const skewMs = 60_000;

export interface ClockFailure {
  readonly reason: "ClockAhead" | "ClockWentBack";
  /** Constant, so that it is reported once. */
  readonly failure: string;
}

/** One of two clocks is wrong. Slots only grow: finishing this one would skip all before it. */
export function comesTooEarly({ slot }: SlotMessage, now: EpochMs): boolean {
  return slot - now > skewMs;
}

export const clockAhead: ClockFailure = {
  reason: "ClockAhead",
  failure: "dropped a message for a slot that is more than a minute ahead of the clock",
};

/** The clock went back: nothing is synced until it catches up. */
export function clockWentBack(shard: Shard, { slot, until }: SlotMessage, now: EpochMs): ClockFailure | undefined {
  if (shard.slot - now <= until - slot) return undefined;
  const failure = `the last finished slot is ${instant(shard.slot)}, ahead of the clock; waiting for the clock to catch up`;
  return { reason: "ClockWentBack", failure };
}

function instant(at: EpochMs): string {
  return new Date(at).toISOString();
}

const tries = 3;

/**
 * After a harmless change (an older slot finished late, a narrowed range), applies `next` to the current shard.
 *
 * @returns undefined: another run finished the slot or a newer one, or the range changed
 */
export async function finishSlot(
  store: Store,
  loaded: Shard,
  next: (current: Shard) => Shard,
  { message, signal }: { readonly message: SlotMessage; readonly signal: AbortSignal },
): Promise<Shard | undefined> {
  let current = loaded;
  for (let attempt = 1; attempt <= tries; attempt++) {
    const after = next(current);
    if (await store.replaceShard(current, after, signal)) return after;
    const found = await store.shard(message, signal);
    if (found === undefined || found.slot >= message.slot || !covers(loaded, found)) return undefined;
    current = found;
  }
  return undefined;
}

/** Both have the same `from`. */
function covers(loaded: Shard, found: Shard): boolean {
  return loaded.to === null || (found.to !== null && found.to <= loaded.to);
}
