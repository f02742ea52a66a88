import { createHash } from "node:crypto";
import { isAtZero } from "../core/conditions";
import type { EpochMs } from "../k8s/time";
import { errorText } from "../model/fault";
import { nameOf, namespaceOf } from "../model/hpa-key";
import { firstInShares } from "../model/max-min";
import type { SlotQueue } from "../model/ports/slot-queue";
import type { Store } from "../model/ports/store";
import type { ZeroWaits } from "../model/stored/idle";
import { planWakes } from "../scheduler/plan-wakes";
import { leastIntervalMs } from "./pace";
import { rotationAt, type ZeroId, zeroText } from "./polled-queries";
import type { RunTime } from "../async/run-time";

interface WakePorts {
  readonly store: Pick<Store, "states">;
  readonly queue: SlotQueue;
}

interface WakeEvents extends RunTime {
  readonly ended: (ids: readonly ZeroId[]) => void;
  readonly failed: (message: string) => void;
  readonly known?: ZeroWaits | undefined;
}

/**
 * Sends the message of a changed entry, unless the state says that the HPA is up. HPAs found while a batch is under way
 * go into the next one.
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
        // The next poll finds them.
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
    waits: () => waits.left(now()),
    woken: () => woken,
    settled: async () => await running,
  };
}

function isSameZero({ since }: ZeroId, status: Parameters<typeof isAtZero>[0] | undefined): boolean {
  return status !== undefined && isAtZero(status) && (status.lastScaleTime ?? "") === since;
}

/** A zero that a wake did not end is woken again after 5 s, then 10 s, 20 s, 40 s, and each minute. */
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;
/** After so long without work, the first wait applies again. */
const forgottenMs = 10 * 60_000;
/** About 13 KB. In namespaces that have more, other zeros wait for a minute. */
export const mostWaits = 200;
/** Where more namespaces have others, those of all namespaces do. */
const mostBeyond = 50;

interface Wait {
  /** Infinity: not yet on the queue. */
  readonly until: EpochMs;
  readonly waitMs: number;
}

export function openWaits(known: ZeroWaits | undefined, openedAt: EpochMs) {
  const waits = new Map<string, Wait>(
    // A clock that was wrong may not keep a zero asleep.
    Object.entries(known?.zeros ?? {}).map(([id, { until, waitMs }]) => [
      id,
      { until: Math.min(until, openedAt + longestWaitMs), waitMs: Math.min(waitMs, longestWaitMs) },
    ]),
  );
  const over = new Set<string>();
  const idOf = openIds();

  return {
    /** @returns true: due; the zero waits until `begin` */
    take(zero: ZeroId, at: EpochMs): boolean {
      const id = idOf(zero);
      const last = waits.get(id);
      if (last !== undefined && last.until > at) return false;
      const isBeyond = known?.more === true && known.beyond?.includes(groupIn(id)) !== false;
      const first = isBeyond ? longestWaitMs : firstWaitMs;
      waits.set(id, { until: Infinity, waitMs: last === undefined ? first : Math.min(2 * last.waitMs, longestWaitMs) });
      return true;
    },
    /** Waits begin when the wakes are on the queue, and end between two polls. */
    begin(zeros: readonly ZeroId[], at: EpochMs): void {
      for (const zero of zeros) {
        const { waitMs = firstWaitMs } = waits.get(idOf(zero)) ?? {};
        waits.set(idOf(zero), { until: at + waitMs - leastIntervalMs / 2, waitMs });
      }
    },
    forget(zeros: readonly ZeroId[]): void {
      for (const zero of zeros) waits.delete(idOf(zero));
    },
    end(zeros: readonly ZeroId[]): void {
      for (const zero of zeros) over.add(idOf(zero));
    },
    /** The longest of each namespace, in fair shares. */
    left(at: EpochMs): ZeroWaits | undefined {
      const left = [...waits]
        .filter(([id, { until }]) => !over.has(id) && until > at - forgottenMs)
        .map(([id, { until, waitMs }]) => [id, { until: Math.min(until, at + waitMs), waitMs }] as const)
        .sort(([, a], [, b]) => b.waitMs - a.waitMs || b.until - a.until);
      if (left.length === 0) return undefined;
      const pathOf = ([id]: readonly [string, Wait]) => [id.slice(0, hashLength), groupIn(id)];
      const kept = firstInShares(left, pathOf, { most: mostWaits, rotation: rotationAt(at) });
      const zeros = Object.fromEntries(kept);
      if (kept.length === left.length) return { zeros };
      const beyond = [...new Set(left.flatMap(([id]) => (Object.hasOwn(zeros, id) ? [] : [groupIn(id)])))];
      return { zeros, more: true, ...(beyond.length <= mostBeyond && { beyond }) };
    },
  };
}

const hashLength = 4;

/** Hashes of cluster, namespace and zero: keys may be long, and the lease item has many. */
function openIds(): (zero: ZeroId) => string {
  const groups = new Map<string, string>();
  return (zero) => {
    const path = [zero.cluster, namespaceOf(zero.key)];
    const name = JSON.stringify(path);
    const group = groups.get(name) ?? path.map((part) => hashed(part, hashLength)).join("");
    groups.set(name, group);
    return `${group}${hashed(zeroText(zero), 12)}`;
  };
}

function groupIn(id: string): string {
  return id.slice(0, 2 * hashLength);
}

function hashed(text: string, length: number): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, length);
}
