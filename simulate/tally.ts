/** How one slot went, over all shards. */
export interface SlotFigures {
  readonly slot: number;
  readonly planned: number;
  readonly finished: number;
  /** In seconds, from the slot's instant to its finishing write. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** HPAs that finished slots did not reach. */
  readonly behind: number;
}

export interface Tally {
  planned(shard: string, slot: number): void;
  finished(shard: string, slot: number, at: number, behind: number): void;
  /** Slots from then on whose time is over. */
  figures(from: number, end: number): readonly SlotFigures[];
}

interface Slot {
  readonly planned: Set<string>;
  readonly lags: number[];
  behind: number;
}

export function openTally(periodMs: number): Tally {
  const slots = new Map<number, Slot>();
  const at = (slot: number): Slot => {
    const known = slots.get(slot) ?? { planned: new Set<string>(), lags: [], behind: 0 };
    slots.set(slot, known);
    return known;
  };
  return {
    planned: (shard, slot) => void at(slot).planned.add(shard),
    finished(shard, slot, now, behind) {
      const known = at(slot);
      known.planned.add(shard);
      known.lags.push((now - slot) / 1_000);
      known.behind += behind;
    },
    figures: (from, end) =>
      [...slots]
        .filter(([slot]) => slot >= from && slot + periodMs <= end)
        .sort(([a], [b]) => a - b)
        .map(([slot, { planned, lags, behind }]) => {
          const sorted = lags.toSorted((a, b) => a - b);
          const of = (share: number) =>
            sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
          const finished = sorted.length;
          return { slot, planned: planned.size, finished, p50: of(0.5), p99: of(0.99), max: of(1), behind };
        }),
  };
}
