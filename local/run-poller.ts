import { randomUUID } from "node:crypto";
import { pollerPrices } from "../compose";
import { sleepUntil } from "../lib/async/sleep-until";
import type { EpochMs } from "../lib/k8s/time";
import { defaultWatchBudget } from "../lib/model/watch-budget";
import type { PollerPorts } from "../lib/poller/ports";
import { runPoller } from "../lib/poller/run-poller";

const everyMs = 5_000;
const limitMs = 10 * 60_000;

/**
 * The zero-scale poller of a deployment on this machine. Nothing has to start one each minute here: a poller that ends
 * is followed by the next, so an HPA that goes to zero is read within seconds.
 *
 * @returns a function that stops it.
 */
export function startPoller(
  ports: PollerPorts,
  { now, failed }: { readonly now: () => EpochMs; readonly failed: (error: unknown) => void },
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function watchOn(): Promise<void> {
    let last: string | undefined;
    while (!signal.aborted) {
      const at = now();
      try {
        const context = { deadline: at + limitMs, signal, budget: defaultWatchBudget, prices: pollerPrices(0) };
        await runPoller(ports, { id: randomUUID(), minute: at }, { ...context, now, sleepUntil });
        last = undefined;
      } catch (error) {
        // A table that does not answer fails each time.
        if (!signal.aborted && String(error) !== last) failed(error);
        last = String(error);
      }
      await sleepUntil(now() + everyMs, signal);
    }
  }

  const watching = watchOn();
  return async () => {
    stopping.abort(new Error("ebb was stopped"));
    await watching;
  };
}
