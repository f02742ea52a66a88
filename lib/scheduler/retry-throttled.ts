import { pause } from "../async/within-time";
import { isFault } from "../model/fault";

/** 15 s together. A tick plans the next minute, so it has this time; its slots have none if it fails. */
const pausesMs: readonly number[] = [250, 1_000, 2_000, 4_000, 8_000];

/**
 * Reads again while the table is throttled. All shards of all clusters wait for the tick's reads: without them, a whole
 * minute has no slots.
 *
 * @throws what the last try threw, and any other failure at once.
 */
export async function retryThrottled<T>(read: () => Promise<T>, signal: AbortSignal, pauses = pausesMs): Promise<T> {
  for (const pauseMs of pauses) {
    try {
      return await read();
    } catch (error) {
      if (!isFault(error, "throttled")) throw error;
      await pause(pauseMs, signal);
    }
  }
  return read();
}
