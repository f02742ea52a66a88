import { fnv1a } from "../fnv1a";
import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../hpa-key";

/**
 * HPAs that are synced less often than their cluster's slots come. Those of one period are spread over a few phases, so
 * that they do not all come in one slot:
 *
 *     period 2 min, slots every 15 s      phase 0   |-------+-------+-------+-------|-------
 *                                         phase 1   ·-|-------+-------+-------+-------|-----
 *
 * A class has one period and one phase: "120/1" is the second of 2 minutes. The HPAs of one class are due in the same
 * slots, so a shard remembers one moment for all of them (last-observed.ts).
 */
export type PeriodClass = `${number}/${number}`;

/** Phases are parts of the period and not of the slots: a class stays the same when the cluster's period changes. */
const phases = 8;

/** @param seconds of the HPA. @returns undefined: it is due in every slot, because its period is no longer than one. */
export function periodClass(
  key: HpaKey,
  seconds: number | undefined,
  clusterPeriodMs: number,
): PeriodClass | undefined {
  if (seconds === undefined || seconds * 1_000 <= clusterPeriodMs) return undefined;
  return `${seconds}/${phaseOf(key)}`;
}

/**
 * Whether a moment of the class is in (after, until]. With the last finished slot and this one: whether the class is
 * due. So a slot that nobody finished leaves its classes to the next one.
 */
export function isClassDue(
  name: PeriodClass,
  { after, until }: { readonly after: EpochMs; readonly until: EpochMs },
): boolean {
  const [seconds = 0, phase = 0] = name.split("/").map(Number);
  const count = (at: EpochMs) => Math.floor((at - (seconds * 1_000 * phase) / phases) / (seconds * 1_000));
  return count(until) > count(after);
}

/** @returns a whole number from 0 to 7 */
export function phaseOf(key: HpaKey): number {
  const hash = fnv1a(key);
  return ((hash ^ (hash >>> 15)) >>> 0) % phases;
}
