import { abortReason, unlessAborted } from "./within-time";

export function once<T>(): (key: string, start: () => Promise<T>) => Promise<T> {
  const started = new Map<string, Promise<T>>();
  return (key, start) => {
    const known = started.get(key);
    if (known !== undefined) return known;
    const promise = start();
    started.set(key, promise);
    return promise;
  };
}

/** Concurrent callers share one run of `work`. A caller whose signal fires leaves; the last one aborts the work. */
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

  return async (signal) => {
    if (signal.aborted) throw abortReason(signal);
    const run = (running ??= start());
    run.waiting += 1;
    try {
      return await unlessAborted(run.result, signal);
    } finally {
      run.waiting -= 1;
      if (signal.aborted && run.waiting === 0) {
        if (running === run) running = undefined;
        run.controller.abort(signal.reason);
      }
    }
  };
}
