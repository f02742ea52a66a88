import { isAtZero } from "../core/conditions";
import type { EpochMs } from "../k8s/time";
import { errorText } from "../model/fault";
import { nameOf, namespaceOf } from "../model/hpa-key";
import type { SlotQueue } from "../model/ports/slot-queue";
import type { Store } from "../model/ports/store";
import type { ZeroWaits } from "../model/stored/idle";
import { planWakes } from "../scheduler/plan-wakes";
import { openWaits } from "./waits";
import { zeroText, type ZeroId } from "./polled-queries";

interface WakePorts {
  readonly store: Pick<Store, "states">;
  readonly queue: SlotQueue;
}

interface WakeEvents {
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
  /** These HPAs are up. */
  readonly ended: (ids: readonly ZeroId[]) => void;
  readonly failed: (message: string) => void;
  /** What the poller before this one has left. */
  readonly known?: ZeroWaits | undefined;
}

/**
 * Puts wakes on the slot queue: the same message as for a changed entry. An HPA's state is read before that, so one
 * that a slot or another wake has taken from zero is not woken. What is found while a batch is under way goes into the
 * next one.
 */
export function openWakes({ store, queue }: WakePorts, { now, signal, ended, failed, known }: WakeEvents) {
  const waits = openWaits(known, now());
  let pending = new Map<string, ZeroId>();
  let running: Promise<void> | undefined;
  let woken = 0;

  async function send(ids: readonly ZeroId[]): Promise<void> {
    const asleep = await stillAtZero(ids);
    if (asleep.length === 0) return waits.begin(ids, now());
    const hpas = asleep.map(({ cluster, key }) => ({ cluster, namespace: namespaceOf(key), name: nameOf(key) }));
    await queue.send(
      planWakes(hpas, now()).map((message) => ({ message, delaySeconds: 0 })),
      signal,
    );
    woken += asleep.length;
    waits.begin(ids, now());
  }

  async function stillAtZero(ids: readonly ZeroId[]): Promise<readonly ZeroId[]> {
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
    const up = all.flatMap(({ id, isAsleep }) => (isAsleep ? [] : [id]));
    waits.end(up);
    ended(up);
    return all.flatMap(({ id, isAsleep }) => (isAsleep ? [id] : []));
  }

  async function sendAll(): Promise<void> {
    while (pending.size > 0 && !signal.aborted) {
      const ids = [...pending.values()];
      pending = new Map();
      try {
        await send(ids);
      } catch (error) {
        // The next poll finds them again.
        waits.forget(ids);
        if (!signal.aborted) failed(errorText(error));
      }
    }
    running = undefined;
  }

  return {
    found: (ids: readonly ZeroId[]): void => {
      const at = now();
      for (const id of ids) if (waits.take(id, at)) pending.set(zeroText(id), id);
      if (pending.size === 0) return;
      running ??= sendAll();
    },
    /** For the next poller. */
    waits: () => waits.left(now()),
    /** How many wakes were sent. */
    woken: () => woken,
    /** Resolves when nothing is under way. */
    settled: async () => await running,
  };
}

function isSameZero({ since }: ZeroId, status: Parameters<typeof isAtZero>[0] | undefined): boolean {
  return status !== undefined && isAtZero(status) && (status.lastScaleTime ?? "") === since;
}
