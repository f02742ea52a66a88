import { abortReason, onAbort } from "./within-time";

/** Bounds how many calls run at a time, in the order in which they arrive. */
export interface Places {
  /**
   * Waits for a place, then makes the call. A call that `stepsAside` gives its place to the next one if it has no
   * answer after a while.
   *
   * @throws the signal's reason when it fires before there is a place.
   */
  run<T>(signal: AbortSignal, stepsAside: boolean, call: () => Promise<T>): Promise<T>;
}

/** `limit` places. Up to `aside` calls without an answer after `patienceMs` wait beside them, and so hold up nobody. */
export function openPlaces(limit: number, aside = 0, patienceMs = 0): Places {
  const waiting = new Set<() => void>();
  let free = limit;
  let stoodAside = 0;

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  async function enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw abortReason(signal);
    if (free > 0) {
      free -= 1;
      return;
    }
    let unlisten = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        waiting.add(resolve);
        unlisten = onAbort(signal, () => {
          if (waiting.delete(resolve)) reject(abortReason(signal));
        });
      });
    } finally {
      unlisten();
    }
  }

  return {
    async run(signal, stepsAside, call) {
      await enter(signal);
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

const never = new AbortController().signal;

/** Runs at most `limit` pieces of work at a time, in the order in which they arrive. */
export function takeTurns(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const places = openPlaces(limit);
  return (work) => places.run(never, false, work);
}
