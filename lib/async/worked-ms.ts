import { performance } from "node:perf_hooks";

/**
 * How long this process has worked so far, in ms, without the time that it waited for answers and timers. Where it gets
 * only a share of a processor, as functions do, the rest of that time counts as work.
 */
export function workedMs(): number {
  return performance.eventLoopUtilization().active;
}
