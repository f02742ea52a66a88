import { abortReason, onAbort } from "./within-time";

/** Bounds how many calls run at a time: the lowest rank first, within a rank in the order in which they arrive. */
export interface Places {
  /**
   * Waits for a place, then makes the call.
   *
   * @throws the signal's reason when it fires before there is a place.
   */
  run<T>(asker: Asker, call: () => Promise<T>): Promise<T>;
}

export interface Asker {
  readonly signal: AbortSignal;
  /** Gives its place to the next call if it has no answer after a while. */
  readonly stepsAside?: boolean;
  /** Calls of lower rank get a place first. Default 0. */
  readonly rank?: number;
}

/** `limit` places. Up to `aside` calls without an answer after `patienceMs` wait beside them, and so hold up nobody. */
export function openPlaces(limit: number, aside = 0, patienceMs = 0): Places {
  const waiting = openQueue<() => void>();
  let free = limit;
  let stoodAside = 0;

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  async function enter(signal: AbortSignal, rank: number): Promise<void> {
    if (signal.aborted) throw abortReason(signal);
    if (free > 0) {
      free -= 1;
      return;
    }
    let unlisten = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        const withdraw = waiting.push(rank, resolve);
        unlisten = onAbort(signal, () => {
          if (withdraw()) reject(abortReason(signal));
        });
      });
    } finally {
      unlisten();
    }
  }

  return {
    async run({ signal, stepsAside = false, rank = 0 }, call) {
      await enter(signal, rank);
      let isAside = false;
      const stepAside = () => {
        if (stoodAside >= aside) return;
        isAside = true;
        stoodAside += 1;
        leave();
      };
      const timer = stepsAside ? setTimeout(stepAside, patienceMs) : undefined;
      try {
        return await call();
      } finally {
        clearTimeout(timer);
        if (isAside) stoodAside -= 1;
        else leave();
      }
    },
  };
}

/** The lowest rank first, within a rank the first pushed. */
function openQueue<T>() {
  const byRank = new Map<number, Set<{ readonly item: T }>>();
  /** The ranks that something waits at, lowest first: few, since most HPAs have few queries. */
  let ranks: readonly number[] = [];

  function remove(rank: number, one: { readonly item: T }): boolean {
    const line = byRank.get(rank);
    if (line === undefined || !line.delete(one)) return false;
    if (line.size === 0) {
      byRank.delete(rank);
      ranks = ranks.filter((other) => other !== rank);
    }
    return true;
  }

  return {
    /** @returns what takes the item back. It returns false if the item has left the queue. */
    push(rank: number, item: T): () => boolean {
      const one = { item };
      const line = byRank.get(rank) ?? new Set();
      if (line.size === 0) ranks = [...ranks, rank].sort((a, b) => a - b);
      byRank.set(rank, line.add(one));
      return () => remove(rank, one);
    },
    shift(): T | undefined {
      const [rank = 0] = ranks;
      const [first] = byRank.get(rank) ?? [];
      if (first === undefined) return undefined;
      remove(rank, first);
      return first.item;
    },
  };
}

const never = new AbortController().signal;

/** Runs at most `limit` pieces of work at a time, in the order in which they arrive. */
export function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const places = openPlaces(limit);
  return (work) => places.run({ signal: never }, work);
}
