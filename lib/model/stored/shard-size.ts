import { limits } from "../entry/limits";
import type { Shard } from "./shard";
import { mostItemBytes } from "./fit-to-item";

/** In entries. Adjacent shards merge if they have fewer than `mergeBelow` together. */
export const splitAbove = 1_000;
export const mergeBelow = 500;

/** Shards with too much other load are split, too, but not into smaller parts. */
export const smallestPart = 100;

/** Syncs record loads in the SHARD item, and the tick acts on them. */
const loads = {
  workedMs: (periodMs: number) => periodMs / 2,
  queries: () => limits.queriesPerRun,
  itemBytes: () => mostItemBytes,
} as const;

export type Loads = Pick<Shard, keyof typeof loads>;

const names = Object.keys(loads) as (keyof typeof loads)[];

/** Shards merge below this share of each load. */
const mergeShare = 1 / 2;

export function mostEntries(shard: Pick<Shard, "entries"> & Loads, periodMs: number): number {
  const fitting = Math.min(...names.map((name) => loads[name](periodMs) / (shard[name] ?? 0)));
  return fitting >= 1 ? splitAbove : Math.min(splitAbove, Math.max(smallestPart, shard.entries * fitting));
}

/** True if they are small enough for one shard, and finished the same slot. */
export function fitTogether(left: Shard, right: Shard | undefined, periodMs: number): boolean {
  if (right === undefined || left.slot !== right.slot || left.entries + right.entries >= mergeBelow) return false;
  const both = loadsOfBoth(left, right);
  return names.every((name) => (both[name] ?? 0) <= loads[name](periodMs) * mergeShare);
}

export function partOf(shard: Shard, entries: number, all: number): Shard {
  return { ...shard, entries, ...ofEach((name) => shard[name] && Math.round((shard[name] * entries) / all)) };
}

export function loadsOfBoth(left: Shard, right: Shard): Loads {
  return ofEach((name) => sumOf(left[name], right[name]));
}

function sumOf(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined && right === undefined ? undefined : (left ?? 0) + (right ?? 0);
}

function ofEach(of: (name: keyof Loads) => number | undefined): Loads {
  return Object.fromEntries(
    names.flatMap((name) => {
      const load = of(name);
      return load === undefined ? [] : [[name, load] as const];
    }),
  );
}
