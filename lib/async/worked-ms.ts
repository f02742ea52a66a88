import { performance } from "node:perf_hooks";

/**
 * The ms that this process worked, without waiting for answers and timers. With a share of a processor, as in
 * functions, the rest of that time counts as work.
 */
export function workedMs(): number {
  return performance.eventLoopUtilization().active;
}
