import { isFault } from "../../../lib/model/fault";

export interface WaitOptions {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** Called once, after a noticeable wait. */
  readonly waiting?: (reason: string) => void;
}

/** Fifty commands, half a second each. */
export const longestWaitMs = 30_000;
const noticeMs = 3_000;
const leastMs = 20;
const mostMs = 250;

/** While another process has the table open. @throws the last Fault after the longest wait */
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
    // Random waits keep commands that started together apart.
    await pause(ms * (0.5 + Math.random() / 2));
  }
}
