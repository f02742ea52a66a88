import { setMaxListeners } from "node:events";

/**
 * Calls `abandon` once when `signal` fires, until told to stop. Hundreds of calls share one signal, the deadline of their sync,
 * and node would take the eleventh listener for a leak.
 */
export function onAbort(signal: AbortSignal, abandon: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener("abort", abandon, { once: true });
  return () => signal.removeEventListener("abort", abandon);
}

/** What a limit's signal fires with when its time is up, as against the caller's own reason. */
export class OutOfTime extends Error {
  constructor(readonly afterMs: number) {
    super(`no answer within ${afterMs / 1000} s`);
    this.name = "OutOfTime";
  }
}

/** Runs `work` with a signal that fires when the caller's does, and with OutOfTime after `ms`. */
export async function withinTime<T>(
  ms: number,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new OutOfTime(ms)), ms);
  const passOn = () => limit.abort(signal.reason);
  const unlisten = onAbort(signal, passOn);
  if (signal.aborted) passOn();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    unlisten();
  }
}

/** Waits for `promise`, which itself knows no signal, no longer than `signal` allows; rejects with the signal's reason. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw abortReason(signal);
  let unlisten = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    unlisten = onAbort(signal, () => reject(abortReason(signal)));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    unlisten();
  }
}

/** Resolves after `ms`, or rejects with the signal's reason as soon as it fires. */
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
