import { abortReason, onAbort } from "./within-time";

/** A bounded number of calls under way, in the order of asking. */
export interface Places {
  /** Waits for a place, then makes the call. @throws the signal's reason when it fires before there is a place. */
  run<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T>;
}

/**
 * `limit` places. A call that has no answer after `patienceMs` steps aside and gives its place to the next one, as long as fewer than `aside`
 * calls have done so: one slow far end does not hold up those that answer.
 */
export function openPlaces(limit: number, aside: number, patienceMs: number): Places {
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
    async run(signal, call) {
      await enter(signal);
      let isAside = false;
      const timer = setTimeout(() => {
        if (stoodAside >= aside) return;
        isAside = true;
        stoodAside += 1;
        leave();
      }, patienceMs);
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
