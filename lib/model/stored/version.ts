import type { EpochMs } from "../../k8s/time";

/**
 * An item may be deleted and created again while a write is under way. So versions start where no earlier ones were: at
 * the creation second times 2^32 (modulo 2^53). An item written every second has 136 years until the next start.
 */
const perStart = 2 ** 32;
const starts = 2 ** 21;

/** The item is not stored yet; its next version is. */
export function unwrittenVersion(now: EpochMs): number {
  return (Math.floor(now / 1_000) % starts) * perStart;
}

export function firstVersion(now: EpochMs): number {
  return unwrittenVersion(now) + 1;
}

export function isUnwritten(version: number): boolean {
  return version % perStart === 0;
}

export function versionBefore(version: number): number | "nothing" {
  return isUnwritten(version - 1) ? "nothing" : version - 1;
}
