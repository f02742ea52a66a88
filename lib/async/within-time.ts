import { setMaxListeners } from "node:events";
import type { EpochMs } from "../k8s/time";
import { performance } from "node:perf_hooks";

/** Hundreds of calls share the signal of their run, and an EventTarget searches all its listeners to add one. */
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
          throw error; // like an EventTarget, call the others as well
        });
      }
    }
    all.clear();
  };
  signal.addEventListener("abort", tellAll, { once: true });
  return all;
}

export class OutOfTime extends Error {
  constructor(readonly afterMs: number) {
    super(`no answer within ${afterMs / 1000} s`);
    this.name = "OutOfTime";
  }
}

const isOver = new Error("the work is over");

interface WithLimit {
  <T>(ms: number, signal: AbortSignal, work: (limit: AbortSignal) => Promise<T>, reason?: () => Error): Promise<T>;
}

/**
 * Waits for `work`, whose signal fires with the caller's, with `reason` (default OutOfTime) after `ms`, and when `work`
 * ends.
 */
export const withLimit: WithLimit = async (ms, signal, work, reason = () => new OutOfTime(ms)) => {
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
};

/** For the work's own error, which says more than the limit's. */
const graceMs = 50;

/** Like withLimit, but does not wait for work that ignores its signal, such as a provider of credentials. */
export const withinTime: WithLimit = (ms, signal, work, reason) =>
  withLimit(ms, signal, (limit) => unlessAborted(work(limit), limit, graceMs), reason);

/** Waits until `signal` fires, and then up to `graceMs` for the work's own error, which says more. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, graceMs = 0): Promise<T> {
  if (signal.aborted && graceMs === 0) {
    promise.catch(() => undefined);
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

export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(`aborted: ${String(signal.reason)}`);
}

export async function sleepUntil(
  at: EpochMs,
  signal: AbortSignal,
  now: () => EpochMs = () => Date.now(),
): Promise<void> {
  // Resolves either way: callers check the signal themselves.
  await pause(Math.max(0, at - now()), signal).catch(() => undefined);
}

/**
 * The ms that this process worked, without waiting for answers and timers, and with the time that its share of a
 * processor takes away.
 */
export function workedMs(): number {
  return performance.eventLoopUtilization().active;
}
