import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks until `look` resolves; what it threw last is the error's cause when it never does. For outcomes of servers,
 * which come when they come: `withinMs` is when to give up, never how fast something has to be.
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
