import type { EpochMs } from "../lib/k8s/time";

const minuteMs = 60_000;

/**
 * The schedule of a deployment on this machine: calls `run` at every full minute. At the start, it also runs for the
 * current minute, so that the first slot is now, not in a minute.
 *
 * @returns a function that stops it.
 */
export function everyMinute(run: (scheduledAt: EpochMs) => Promise<void>): () => void {
  const startedAt = Date.now();
  let timer: NodeJS.Timeout;
  const next = () => {
    const now = Date.now();
    const minute = (Math.floor(now / minuteMs) + 1) * minuteMs;
    timer = setTimeout(() => {
      void run(minute);
      next();
    }, minute - now);
  };
  void run(startedAt - minuteMs).then(() => run(startedAt));
  next();
  return () => clearTimeout(timer);
}
