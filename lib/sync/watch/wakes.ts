import type { EpochMs } from "../../k8s/time";
import { errorText } from "../../model/fault";
import { nameOf, namespaceOf } from "../../model/hpa-key";
import type { SlotQueue } from "../../model/ports/slot-queue";
import type { Store } from "../../model/ports/store";
import { planWakes } from "../plan/plan-wakes";
import { isAtZero } from "./idle-hpas";
import { leastIntervalMs } from "./pace";
import { textOf, type WatchedId } from "./watched";

/** A zero that a wake did not end is woken again after 5 s, then 10 s, 20 s, 40 s, and each minute. */
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;

interface WakePorts {
  readonly store: Pick<Store, "states">;
  readonly queue: SlotQueue;
}

interface WakeEvents {
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
  /** These HPAs are up. */
  readonly ended: (ids: readonly WatchedId[]) => void;
  readonly failed: (message: string) => void;
}

/**
 * Puts wakes on the slot queue: the same message as for a changed entry. An HPA's state is read before that, so one
 * that a slot or another wake has taken from zero is not woken. What is found while a batch is under way goes into the
 * next one.
 */
export function openWakes({ store, queue }: WakePorts, { now, signal, ended, failed }: WakeEvents) {
  const waits = new Map<string, { readonly until: EpochMs; readonly waitMs: number }>();
  let pending = new Map<string, WatchedId>();
  let running: Promise<void> | undefined;
  let woken = 0;

  async function send(ids: readonly WatchedId[]): Promise<void> {
    const asleep = await stillAtZero(ids);
    if (asleep.length === 0) return begun(ids);
    const hpas = asleep.map(({ cluster, key }) => ({ cluster, namespace: namespaceOf(key), name: nameOf(key) }));
    await queue.send(
      planWakes(hpas, now()).map((message) => ({ message, delaySeconds: 0 })),
      signal,
    );
    woken += asleep.length;
    begun(ids);
  }

  /** Their waits begin when their wakes are on the queue, however long that took, and end between two rounds. */
  function begun(ids: readonly WatchedId[]): void {
    for (const id of ids) {
      const { waitMs = firstWaitMs } = waits.get(textOf(id)) ?? {};
      waits.set(textOf(id), { until: now() + waitMs - leastIntervalMs / 2, waitMs });
    }
  }

  async function stillAtZero(ids: readonly WatchedId[]): Promise<readonly WatchedId[]> {
    const clusters = [...new Set(ids.map(({ cluster }) => cluster))];
    const checked = await Promise.all(
      clusters.map(async (cluster) => {
        const own = ids.filter((id) => id.cluster === cluster);
        const states = await store.states(
          cluster,
          own.map(({ key }) => key),
          signal,
        );
        return own.map((id) => ({ id, isAsleep: isSameZero(id, states.get(id.key)?.status) }));
      }),
    );
    const all = checked.flat();
    ended(all.flatMap(({ id, isAsleep }) => (isAsleep ? [] : [id])));
    return all.flatMap(({ id, isAsleep }) => (isAsleep ? [id] : []));
  }

  async function sendAll(): Promise<void> {
    while (pending.size > 0 && !signal.aborted) {
      const ids = [...pending.values()];
      pending = new Map();
      try {
        await send(ids);
      } catch (error) {
        // The next round finds them again.
        for (const id of ids) waits.delete(textOf(id));
        if (!signal.aborted) failed(errorText(error));
      }
    }
    running = undefined;
  }

  return {
    found: (ids: readonly WatchedId[]): void => {
      const at = now();
      for (const id of ids) {
        const text = textOf(id);
        const last = waits.get(text);
        if (last !== undefined && last.until > at) continue;
        const waitMs = last === undefined ? firstWaitMs : Math.min(2 * last.waitMs, longestWaitMs);
        waits.set(text, { until: Infinity, waitMs });
        pending.set(text, id);
      }
      if (pending.size === 0) return;
      running ??= sendAll();
    },
    /** How many wakes were sent. */
    woken: () => woken,
    /** Resolves when nothing is under way. */
    settled: async () => await running,
  };
}

function isSameZero({ since }: WatchedId, status: Parameters<typeof isAtZero>[0] | undefined): boolean {
  return status !== undefined && isAtZero(status) && (status.lastScaleTime ?? "") === since;
}
