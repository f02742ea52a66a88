import type { EpochMs } from "../../k8s/time";
import type { SyncCounts } from "../../model/report";
import type { Reporter } from "../../model/ports";
import type { HpaResult, SyncContext } from "./turn";

type Counted = (outcome: SyncCounts["outcome"], counts?: Partial<SyncCounts>) => SyncCounts;

/** Reports the counts of one turn, whatever its outcome. `slot` is the slot, or the instant of a wake. */
export function countTurn(
  reporter: Reporter,
  { cluster, slot }: { readonly cluster: string; readonly slot: EpochMs },
  { startedAt, now }: { readonly startedAt: EpochMs } & Pick<SyncContext, "now">,
): Counted {
  return (outcome, counts = {}) => {
    const times = { lagMs: startedAt - slot, durationMs: now() - startedAt };
    const all: SyncCounts = { cluster, slot, outcome, hpas: 0, scaled: 0, failed: 0, behind: 0, ...times, ...counts };
    reporter.synced(all);
    return all;
  };
}

export function countsOf(results: readonly HpaResult[]): Pick<SyncCounts, "hpas" | "scaled" | "failed" | "behind"> {
  return {
    hpas: results.length,
    scaled: results.filter(({ scaled }) => scaled).length,
    failed: results.filter(({ warnings }) => warnings.length > 0).length,
    behind: results.filter(({ recorded }) => !recorded).length,
  };
}
