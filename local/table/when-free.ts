import { isFault } from "../../lib/model/fault";

export interface WaitOptions {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** Called once, when the wait is long enough for a person to notice. */
  readonly waiting?: (reason: string) => void;
}

/** Fifty commands that each hold the table for half a second take turns within it. */
export const longestWaitMs = 30_000;
const noticeMs = 3_000;
const leastMs = 20;
const mostMs = 250;

/** Tries again while another process holds the table. @throws its last Fault when it has waited as long as it may */
export async function whenFree<T>(attempt: () => Promise<T>, { now, pause, waiting }: WaitOptions): Promise<T> {
  const since = now();
  let isNoticed = false;
  for (let ms = leastMs; ; ms = Math.min(mostMs, ms * 2)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isFault(error, "conflict") || now() - since >= longestWaitMs) throw error;
      if (!isNoticed && now() - since >= noticeMs) {
        isNoticed = true;
        waiting?.(error.message);
      }
    }
    // Unequal waits keep commands that began together apart.
    await pause(ms * (0.5 + Math.random() / 2));
  }
}
