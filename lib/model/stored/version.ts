import type { EpochMs } from "../../k8s/time";

/**
 * The versions of an item that ebb writes. A write is conditional on the version before it. An item may be deleted and
 * created again while such a write is under way, so a new item's versions start where no earlier one's were: at the
 * second of its creation times 2^32 (modulo 2^53). An item written every second has 136 years until the next start.
 */
const perStart = 2 ** 32;
const starts = 2 ** 21;

/** The version of an item that is not written yet. The next version is the first to be stored. */
export function unwrittenVersion(now: EpochMs): number {
  return (Math.floor(now / 1_000) % starts) * perStart;
}

/** The first version of an item that is created now. */
export function firstVersion(now: EpochMs): number {
  return unwrittenVersion(now) + 1;
}

export function isUnwritten(version: number): boolean {
  return version % perStart === 0;
}

/** What the table must hold for this version to be written: the version before it, or nothing. */
export function versionBefore(version: number): number | "nothing" {
  return isUnwritten(version - 1) ? "nothing" : version - 1;
}
