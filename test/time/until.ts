import { setTimeout as pause } from "node:timers/promises";

/** Waits for what a test has no event of. Gives up at the runner's limit. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(5);
}
