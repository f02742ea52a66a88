import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks until `look` resolves. If it never does, its last error is the cause. For a server's effects: `withinMs` says
 * when to give up, not how fast something has to be.
 */
export async function eventually<T>(what: string, look: () => Promise<T> | T, withinMs = 60_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await look();
    } catch (cause) {
      if (Date.now() > deadline) {
        const last = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`not within ${withinMs / 1000} s: ${what}. Last: ${last}`, { cause });
      }
    }
    await sleep(200);
  }
}
