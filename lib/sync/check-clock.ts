import type { EpochMs } from "../core/situation";
import type { Shard } from "../core/state";
import type { SlotMessage } from "./slot-message";

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
