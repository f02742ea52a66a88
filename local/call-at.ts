import type { EpochMs } from "../lib/k8s/time";

const longestWaitMs = 1_000;

/**
 * Calls `run` at this moment of the machine's clock. Timers count something else: they stop while a laptop sleeps, and
 * one that waits for a minute is late by all of it. So this looks at the clock every second.
 *
 * @returns a function that cancels it
 */
export function callAt(at: EpochMs, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const look = () => (Date.now() >= at ? run() : wait());
  const wait = () => {
    timer = setTimeout(look, Math.min(Math.max(0, at - Date.now()), longestWaitMs));
  };
  wait();
  return () => clearTimeout(timer);
}
