import { isFault } from "../../model/fault";
import type { ShardWork } from "../../model/stored/counters";
import { withWork } from "../../model/stored/counters";
import { unchangedRecord } from "../../model/stored/queue-index";
import type { Shard } from "../../model/stored/shard";
import type { HpaResult } from "../hpa/hpa-result";
import { actionOf, type SizeChange } from "../hpa/hpa-work";
import type { SyncPorts } from "../ports";
import { confirmedIn } from "../slot/confirmed";

interface SlotWork {
  readonly results: readonly HpaResult[];
  readonly requests: ReadonlyMap<string, number>;
  readonly lagMs: number;
  readonly ranMs: number;
  readonly periodMs: number;
  readonly restingAtZero: number;
}

export function workOfSlot({ results, requests, lagMs, ranMs, periodMs, restingAtZero }: SlotWork): ShardWork {
  const atZero = restingAtZero + results.filter(({ recorded, work }) => recorded && work?.isAtZero === true).length;
  const { totals, times } = workOfHpas(results);
  return {
    totals: [...totals, ...requests, ["zero", atZero * periodMs]],
    times: [...times, ["lag", lagMs], ["run", ranMs]],
  };
}

function workOfHpas(results: readonly HpaResult[]): ShardWork {
  return {
    totals: results.flatMap((result) => scalingsOf(result).map((one) => [`scaled ${directionOf(one)}`, 1] as const)),
    times: results.flatMap((result) => {
      const { scaled, scaling, tookMs = 0, work } = result;
      const action = scaled && scaling !== undefined ? actionOf(scaling) : "none";
      const metrics = work?.metrics ?? [];
      return [
        [`sync ${action} ${errorOf(result)}`, tookMs] as const,
        ...metrics.map(
          ({ type, action, isFailed, ms }) =>
            [`metric ${action} ${isFailed ? "internal" : "none"} ${type}`, ms] as const,
        ),
      ];
    }),
  };
}

function scalingsOf({ recorded, scaled, scaling, work }: HpaResult): readonly SizeChange[] {
  const found = recorded && work?.found !== undefined ? [work.found] : [];
  return scaled && scaling !== undefined ? [...found, scaling] : found;
}

function directionOf({ from, to }: SizeChange): string {
  if (from === 0) return "from_zero";
  return to === 0 ? "to_zero" : to > from ? "up" : "down";
}

function errorOf({ recorded, warnings }: HpaResult): "none" | "spec" | "internal" {
  if (warnings.some(({ reason }) => reason === "InvalidEntry")) return "spec";
  return warnings.length > 0 || !recorded ? "internal" : "none";
}

const tries = 3;

/** A wake finishes no slot, so it adds its scalings itself. One that found an earlier one applied adds no sync. */
export async function addScalings(
  { store, reporter, history }: Pick<SyncPorts, "store" | "reporter" | "history">,
  { shard, results }: { readonly shard: Shard | undefined; readonly results: readonly HpaResult[] },
  signal: AbortSignal,
): Promise<void> {
  const scaled = results.filter((result) => scalingsOf(result).length > 0);
  if (history === undefined || scaled.length === 0) return;
  const { totals } = workOfHpas(scaled);
  const { times } = workOfHpas(scaled.filter((result) => result.scaled));
  try {
    let current = shard;
    for (let attempt = 1; attempt <= tries && current !== undefined; attempt++) {
      if (await store.replaceShard(current, countedShard(current, { totals, times }), signal)) return;
      current = await store.shard(current, signal);
    }
  } catch (error) {
    if (!isFault(error)) throw error;
    const { cluster = "", slot = 0 } = shard ?? {};
    reporter.failed({ cluster, reason: "ScalingsNotCounted", message: error.message, at: slot });
  }
}

function countedShard(shard: Shard, work: ShardWork): Shard {
  const version = shard.version + 1;
  const confirmed = confirmedIn(shard);
  return {
    ...{ ...shard, version, ...unchangedRecord(shard, version), counters: withWork(shard.counters, work) },
    ...(confirmed && { confirmed: { ...confirmed, version } }),
  };
}
