import type { EpochMs } from "../k8s/time";
import type { Shard } from "../model/stored/state";
import type { SlotMessage } from "../model/messages";

const minuteMs = 60_000;
/** SQS delays a message by at most 15 minutes. */
const longestDelaySeconds = 900;

export interface DelayedMessage {
  readonly message: SlotMessage;
  readonly delaySeconds: number;
}

/**
 * One shard's messages from one tick: one for each slot of the minute *after* the scheduled one.
 *
 *     tick of 12:00, fired at 12:00:41          slots of 12:01, period 15 s
 *     |------------------x--------------|-----|-----|-----|-----|
 *                        delays:       19 s  34 s  49 s  64 s
 *
 * However late within its minute the tick fires, every slot still gets its message in time. The minute is the scheduled
 * one, not the clock's, so a tick that is delivered twice plans the same slots again.
 *
 * @param periodMs the cluster's sync period. Slots are its multiples since the epoch, so with a period above a minute,
 * some minutes have no slot.
 */
export function planSlots(shard: Shard, periodMs: number, scheduledAt: EpochMs, now: EpochMs): DelayedMessage[] {
  const start = (Math.floor(scheduledAt / minuteMs) + 1) * minuteMs;
  const messages: DelayedMessage[] = [];
  for (let slot = Math.ceil(start / periodMs) * periodMs; slot < start + minuteMs; slot += periodMs) {
    const until = slot + periodMs;
    // The tick came late, or catches up on the current minute. With less than half of a slot left, its sync would run
    // out of time before it has read anything, and the next slot is due by then.
    if (now - slot > periodMs / 2) continue;
    const delaySeconds = Math.min(Math.max(Math.ceil((slot - now) / 1000), 0), longestDelaySeconds);
    messages.push({ message: { cluster: shard.cluster, from: shard.from, slot, until }, delaySeconds });
  }
  return messages;
}
