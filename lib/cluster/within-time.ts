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
  signal.addEventListener("abort", passOn, { once: true });
  if (signal.aborted) passOn();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", passOn);
  }
}

/** Waits for `promise`, which itself knows no signal, no longer than `signal` allows; rejects with the signal's reason. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw abortReason(signal);
  let abandon = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abandon = () => reject(abortReason(signal));
    signal.addEventListener("abort", abandon, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abandon);
  }
}

/** Resolves after `ms`, or rejects with the signal's reason as soon as it fires. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal));
    const abandon = () => {
      clearTimeout(timer);
      reject(abortReason(signal));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abandon);
      resolve();
    }, ms);
    signal.addEventListener("abort", abandon, { once: true });
  });
}

/** Why a signal fired, as an Error. */
export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(`aborted: ${String(signal.reason)}`);
}
