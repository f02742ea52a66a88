/**
 * Lets concurrent callers wait for one run of `work`. A caller whose signal fires leaves alone; when the last one has left, the
 * work is aborted, so that nothing runs on past the invocations that wanted it. A finished run is not kept.
 */
export function shared<T>(work: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let running: { readonly result: Promise<T>; readonly controller: AbortController; waiting: number } | undefined;

  function start() {
    const controller = new AbortController();
    const run = { result: work(controller.signal), controller, waiting: 0 };
    const forget = () => {
      if (running === run) running = undefined;
    };
    run.result.then(forget, forget);
    return run;
  }

  return (signal) => {
    if (signal.aborted) return Promise.reject(abortReason(signal));
    const run = (running ??= start());
    run.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener("abort", abandon);
        run.waiting -= 1;
      };
      const abandon = () => {
        leave();
        reject(abortReason(signal));
        if (run.waiting > 0) return;
        if (running === run) running = undefined;
        run.controller.abort(signal.reason);
      };
      signal.addEventListener("abort", abandon, { once: true });
      run.result.then(
        (value) => {
          leave();
          resolve(value);
        },
        (error: unknown) => {
          leave();
          reject(error);
        },
      );
    });
  };
}

/** Why a signal fired, as an Error. */
export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(`aborted: ${String(signal.reason)}`);
}
