import type { EpochMs } from "../lib/k8s/time";
import { callAt } from "./call-at";

const minuteMs = 60_000;

/**
 * The schedule of a deployment on this machine: calls `run` at every full minute. At the start, it also runs for the
 * current minute, so that the first slot is now, not in a minute.
 *
 * @returns a function that stops it, and resolves when the runs under way are over.
 */
export function everyMinute(run: (scheduledAt: EpochMs) => Promise<void>): () => Promise<void> {
  const startedAt = Date.now();
  const underWay = new Set<Promise<void>>();
  let cancel = () => {};
  let isStopped = false;
  const start = (work: Promise<void>) => {
    const over = work.finally(() => underWay.delete(over));
    underWay.add(over);
  };
  const next = () => {
    const minute = (Math.floor(Date.now() / minuteMs) + 1) * minuteMs;
    cancel = callAt(minute, () => {
      start(run(minute));
      next();
    });
  };
  start(run(startedAt - minuteMs).then(() => (isStopped ? undefined : run(startedAt))));
  next();
  return async () => {
    isStopped = true;
    cancel();
    await Promise.all(underWay);
  };
}
