import { nameOf, namespaceOf, type HpaKey } from "../model/hpa-key";
import type { WakeMessage } from "../model/messages";
import { phaseOf } from "../model/stored/own-period";
import { holdsKey } from "../model/stored/last-observed";
import type { Shard } from "../model/stored/state";
import { type EpochMs, minuteMs } from "../k8s/time";
import { planWakes } from "./plan-wakes";

export interface DelayedWake {
  readonly message: WakeMessage;
  readonly delaySeconds: number;
}

/**
 * For shorter periods, in the minute after the scheduled one: as few wakes as the period needs, shifted by a phase of
 * the HPA's key.
 *
 *     period of the cluster 15 s, of the HPA 6 s      slot        wake     wake  slot
 *                                                     |-----------|--------|-----|--
 *                                                     :00         :05      :11   :15
 */
export function planOwnWakes(
  shard: Pick<Shard, "cluster" | "from" | "to" | "shorterPeriods">,
  periodMs: number,
  scheduledAt: EpochMs,
  now: EpochMs,
): readonly DelayedWake[] {
  const own = Object.entries(shard.shorterPeriods ?? {}) as [HpaKey, number][];
  const inRange = own.filter(([key]) => holdsKey(shard, key));
  const start = (Math.floor(scheduledAt / minuteMs) + 1) * minuteMs;
  const firstSlot = Math.floor(start / periodMs) * periodMs;
  const slots = Array.from({ length: Math.ceil((start + minuteMs - firstSlot) / periodMs) }, (_, index) => index);
  return slots.flatMap((index) => {
    const slot = firstSlot + index * periodMs;
    const [from, to] = [Math.max(start, now) - slot, start + minuteMs - slot];
    const byOffset = new Map<number, HpaKey[]>();
    for (const [key, seconds] of inRange)
      for (const offset of offsetsIn(periodMs, { key, seconds }, { from, to })) {
        const keys = byOffset.get(offset);
        if (keys === undefined) byOffset.set(offset, [key]);
        else keys.push(key);
      }
    return [...byOffset].flatMap(([offset, keys]) => {
      const at = slot + offset;
      const hpas = keys.map((key) => ({ cluster: shard.cluster, namespace: namespaceOf(key), name: nameOf(key) }));
      const delaySeconds = Math.ceil((at - now) / 1_000);
      return planWakes(hpas, at).map((message) => ({ message: { ...message, until: slot + periodMs }, delaySeconds }));
    });
  });
}

/**
 * Whole seconds since the slot's start, in [from, to): a slot of an hour has 3,599 of an HPA of one second, and its
 * minute 60.
 */
function offsetsIn(
  periodMs: number,
  { key, seconds }: { readonly key: HpaKey; readonly seconds: number },
  { from, to }: { readonly from: number; readonly to: number },
): readonly number[] {
  const slotSeconds = periodMs / 1_000;
  const wakes = Math.ceil(slotSeconds / seconds) - 1;
  const earliest = Math.max(1, slotSeconds - wakes * seconds);
  const first = earliest + (phaseOf(key) % (seconds - earliest + 1));
  const before = (ms: number) => Math.min(Math.max(0, Math.ceil((ms / 1_000 - first) / seconds)), Math.max(0, wakes));
  const [begin, end] = [before(from), before(to)];
  return Array.from({ length: Math.max(0, end - begin) }, (_, index) => (first + (begin + index) * seconds) * 1_000);
}
