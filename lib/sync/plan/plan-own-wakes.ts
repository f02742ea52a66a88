import { nameOf, namespaceOf, type HpaKey } from "../../model/hpa-key";
import type { WakeMessage } from "../../model/messages";
import { phaseOf } from "../../model/stored/own-period";
import { holdsKey } from "../../model/stored/sightings";
import type { Shard } from "../../model/stored/state";
import type { EpochMs } from "../../k8s/time";
import { planWakes } from "./plan-wakes";

const minuteMs = 60_000;

export interface DelayedWake {
  readonly message: WakeMessage;
  readonly delaySeconds: number;
}

/**
 * The wakes of a shard's HPAs with shorter periods than the cluster, in the minute after the scheduled one:
 *
 *     period of the cluster 15 s, of the HPA 6 s      slot        wake     wake  slot
 *                                                     |-----------|--------|-----|--
 *                                                     :00         :05      :11   :15
 *
 * As few as the period needs, none further than the period from the next, and all after a phase of the HPA's key.
 */
export function planOwnWakes(
  shard: Pick<Shard, "cluster" | "from" | "to" | "shorterPeriods">,
  periodMs: number,
  scheduledAt: EpochMs,
  now: EpochMs,
): readonly DelayedWake[] {
  const own = Object.entries(shard.shorterPeriods ?? {}) as [HpaKey, number][];
  const inRange = own.filter(([key]) => holdsKey(shard, key));
  const byOffset = new Map<number, HpaKey[]>();
  for (const [key, seconds] of inRange)
    for (const offset of offsetsIn(periodMs, { key, seconds })) {
      const keys = byOffset.get(offset);
      if (keys === undefined) byOffset.set(offset, [key]);
      else keys.push(key);
    }
  const start = (Math.floor(scheduledAt / minuteMs) + 1) * minuteMs;
  const firstSlot = Math.floor(start / periodMs) * periodMs;
  const slots = Array.from({ length: Math.ceil((start + minuteMs - firstSlot) / periodMs) }, (_, index) => index);
  return slots.flatMap((index) =>
    [...byOffset].flatMap(([offset, keys]) => {
      const slot = firstSlot + index * periodMs;
      const at = slot + offset;
      if (at < start || at >= start + minuteMs || at < now) return [];
      const hpas = keys.map((key) => ({ cluster: shard.cluster, namespace: namespaceOf(key), name: nameOf(key) }));
      const delaySeconds = Math.ceil((at - now) / 1_000);
      return planWakes(hpas, at).map((message) => ({ message: { ...message, until: slot + periodMs }, delaySeconds }));
    }),
  );
}

/** Since the slot's start, in whole seconds: a queue delays by these. */
function offsetsIn(periodMs: number, { key, seconds }: { readonly key: HpaKey; readonly seconds: number }) {
  const slotSeconds = periodMs / 1_000;
  const wakes = Math.ceil(slotSeconds / seconds) - 1;
  const earliest = Math.max(1, slotSeconds - wakes * seconds);
  const first = earliest + (phaseOf(key) % (seconds - earliest + 1));
  return Array.from({ length: Math.max(0, wakes) }, (_, index) => (first + index * seconds) * 1_000);
}
