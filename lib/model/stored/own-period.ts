import { fnv1a } from "../fnv1a";
import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../hpa-key";

/**
 * A class is a longer period than the cluster's and one of its phases, which spread HPAs over the slots: "120/1" is the
 * second phase of 2 minutes.
 *
 *     period 2 min, slots every 15 s      phase 0   |-------+-------+-------+-------|-------
 *                                         phase 1   ·-|-------+-------+-------+-------|-----
 *
 * A class is due as a whole, so a shard remembers one moment for it (last-observed.ts).
 */
export type PeriodClass = `${number}/${number}`;

/** Phases of the period, not of the slots: a class outlives a change of the cluster's period. */
const phases = 8;

/** @returns undefined: due in every slot */
export function periodClass(
  key: HpaKey,
  seconds: number | undefined,
  clusterPeriodMs: number,
): PeriodClass | undefined {
  if (seconds === undefined || seconds * 1_000 <= clusterPeriodMs) return undefined;
  return `${seconds}/${phaseOf(key)}`;
}

/** True if a moment of the class is in (after, until]. An unfinished slot leaves its classes to the next. */
export function isClassDue(
  name: PeriodClass,
  { after, until }: { readonly after: EpochMs; readonly until: EpochMs },
): boolean {
  const [seconds = 0, phase = 0] = name.split("/").map(Number);
  const count = (at: EpochMs) => Math.floor((at - (seconds * 1_000 * phase) / phases) / (seconds * 1_000));
  return count(until) > count(after);
}

/** @returns 0 to 7 */
export function phaseOf(key: HpaKey): number {
  const hash = fnv1a(key);
  return ((hash ^ (hash >>> 15)) >>> 0) % phases;
}
