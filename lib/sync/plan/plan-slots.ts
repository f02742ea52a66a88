import type { EpochMs } from "../../k8s/time";
import type { Shard } from "../../model/state";
import type { SlotMessage } from "../../model/messages";

const minuteMs = 60_000;
/** SQS delays a message by at most 15 minutes. */
const longestDelaySeconds = 900;

export interface DelayedMessage {
  readonly message: SlotMessage;
  readonly delaySeconds: number;
}

/**
 * The messages of one shard that a tick sends: one for each slot of the minute *after* the one it was scheduled for.
 *
 *     tick of 12:00, fired at 12:00:41          slots of 12:01, period 15 s
 *     |------------------x--------------|-----|-----|-----|-----|
 *                        delays:       19 s  34 s  49 s  64 s
 *
 * A whole minute of room means that however late within its minute the schedule fires, every slot still gets its message in time;
 * and because the minute is the scheduled one and not the clock's, a tick delivered twice plans the same slots again.
 *
 * @param periodMs the cluster's sync period; slots are its multiples since the epoch, so a period over a minute has a slot in some minutes only.
 */
export function planSlots(shard: Shard, periodMs: number, scheduledAt: EpochMs, now: EpochMs): DelayedMessage[] {
  const start = (Math.floor(scheduledAt / minuteMs) + 1) * minuteMs;
  const messages: DelayedMessage[] = [];
  for (let slot = Math.ceil(start / periodMs) * periodMs; slot < start + minuteMs; slot += periodMs) {
    const until = slot + periodMs;
    // Of a tick that comes this late, or one that makes up for a minute under way. With less than half of a slot left, its sync would be
    // out of time before it has read anything; the slot after it is due by then.
    if (now - slot > periodMs / 2) continue;
    const delaySeconds = Math.min(Math.max(Math.ceil((slot - now) / 1000), 0), longestDelaySeconds);
    messages.push({ message: { cluster: shard.cluster, from: shard.from, slot, until }, delaySeconds });
  }
  return messages;
}
