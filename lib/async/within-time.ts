import { setMaxListeners } from "node:events";

/**
 * Who listens to a signal. Hundreds of calls share the signal of their run, and an EventTarget looks through all of
 * its listeners for each new one.
 */
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `abandon` once when `signal` fires, until the returned function is called. */
export function onAbort(signal: AbortSignal, abandon: () => void): () => void {
  const known = listeners.get(signal) ?? listenTo(signal);
  const one = () => abandon();
  known.add(one);
  return () => void known.delete(one);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  listeners.set(signal, all);
  setMaxListeners(0, signal); // libraries listen to it too
  const tellAll = () => {
    for (const one of all) {
      try {
        one();
      } catch (error) {
        process.nextTick(() => {
          throw error; // as an EventTarget does: the others are told all the same
        });
      }
    }
    all.clear();
  };
  signal.addEventListener("abort", tellAll, { once: true });
  return all;
}

/** Why a limit's signal fired: its own time is up. Otherwise the reason is the caller's. */
export class OutOfTime extends Error {
  constructor(readonly afterMs: number) {
    super(`no answer within ${afterMs / 1000} s`);
    this.name = "OutOfTime";
  }
}

const isOver = new Error("the work is over");

/**
 * Runs `work` with a signal of its own. It fires with the caller's reason when the caller's signal does, and with
 * `reason` (OutOfTime by default) after `ms`. It also fires when `work` ends, so that nothing that `work` started runs
 * on.
 */
export async function withinTime<T>(
  ms: number,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
  reason: () => Error = () => new OutOfTime(ms),
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(reason()), ms);
  const passOn = () => {
    clearTimeout(timer);
    limit.abort(signal.reason);
  };
  const unlisten = onAbort(signal, passOn);
  if (signal.aborted) passOn();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    unlisten();
    limit.abort(isOver);
  }
}

/**
 * Waits for `promise`, which has no signal, until `signal` fires, and then rejects with the signal's reason. With
 * `graceMs`, work that does listen to the signal has that long to fail with its own error, which says more.
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, graceMs = 0): Promise<T> {
  if (signal.aborted && graceMs === 0) {
    promise.catch(() => undefined); // its outcome is not used
    throw abortReason(signal);
  }
  let timer: NodeJS.Timeout | undefined;
  let unlisten = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      if (graceMs === 0) reject(abortReason(signal));
      else timer = setTimeout(() => reject(abortReason(signal)), graceMs);
    };
    if (signal.aborted) giveUp();
    else unlisten = onAbort(signal, giveUp);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    unlisten();
    clearTimeout(timer);
  }
}

/** Resolves after `ms`, or rejects with the signal's reason when it fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await unlessAborted(elapsed, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Why a signal fired, as an Error. */
export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(`aborted: ${String(signal.reason)}`);
}
