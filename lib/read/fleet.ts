import { minuteMs, type EpochMs } from "../k8s/time";
import type { HpaKey } from "../model/hpa-key";
import type { HistoryReader } from "../model/ports/history";
import type { Store } from "../model/ports/store";
import { type HistorySample, type RosterHpa, sampleIn } from "../model/stored/history";
import { holdsKey, laggingSince } from "../model/stored/last-observed";
import type { Shard } from "../model/stored/shard";

export interface FleetHpa {
  readonly cluster: string;
  readonly key: HpaKey;
  readonly spec: RosterHpa;
  /** null: not known, or too old to be shown as of now. */
  readonly sample: HistorySample | null;
}

export interface Fleet {
  readonly shards: readonly Shard[];
  readonly hpas: readonly FleetHpa[];
}

/** Prometheus drops a series after as long. */
const staleMs = 5 * minuteMs;

/** All HPAs as the last minutes left them. Rejects with a Fault. */
export async function readFleet(
  { store, history }: { readonly store: Pick<Store, "shards">; readonly history: Pick<HistoryReader, "lastMinutes"> },
  now: EpochMs,
  signal: AbortSignal,
): Promise<Fleet> {
  const shards = await store.shards(signal);
  const kept = shards.flatMap(({ cluster, history: record }) =>
    (record ?? { last: [] }).last.map((ref) => ({ cluster, ...ref })),
  );
  const minutes = await history.lastMinutes(kept, signal);
  const hpas = shards.flatMap((shard) => {
    const last = shard.history?.last ?? [];
    const found = minutes.filter(
      ({ cluster, minute }) =>
        cluster === shard.cluster && last.some(({ from, slot }) => from === minute.from && slot === minute.slot),
    );
    return found.flatMap(({ minute, roster }) =>
      roster.keys.flatMap((key, position): readonly FleetHpa[] => {
        const spec = roster.hpas[position];
        const isHeld = holdsKey(shard, key) && holdsKey({ ...minute, cluster: shard.cluster }, key);
        if (spec === undefined || !isHeld) return [];
        const isNow = isFresh(shard, now) && laggingSince(shard, key) === undefined;
        return [{ cluster: shard.cluster, key, spec, sample: isNow ? sampleIn(minute.columns, position) : null }];
      }),
    );
  });
  return { shards, hpas };
}

export function isFresh({ history }: Shard, now: EpochMs): boolean {
  return history !== undefined && history.lost === undefined && now - history.seen < staleMs;
}
