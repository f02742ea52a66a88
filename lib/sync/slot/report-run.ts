import { cutText } from "../../k8s/go-text";
import type { HpaKey } from "../../model/hpa-key";
import type { EpochMs } from "../../k8s/time";
import type { ShardContents } from "../../model/ports/store";
import type { SyncCounts, Reporter } from "../../model/report";
import type { HpaResult } from "../hpa/hpa-result";
import type { SyncContext } from "../ports";

type Counted = (outcome: SyncCounts["outcome"], counts?: Partial<SyncCounts>) => SyncCounts;

/** `slot`: the slot, or the instant of a wake. */
export function countRun(
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

export interface News {
  readonly results: readonly HpaResult[];
  readonly knownLagging: Readonly<Record<string, EpochMs>>;
  readonly at: EpochMs;
}

/** HPAs with the same new failure share a line. */
export function reportNews(reporter: Reporter, cluster: string, { results, knownLagging, at }: News): void {
  const byText = new Map<
    string,
    { readonly key: HpaKey; readonly reason: string; readonly message: string; hpas: number }
  >();
  for (const { key, news, recorded, recovered } of results) {
    if (recovered) reporter.recovered({ cluster, key });
    if (news === undefined || (!recorded && Object.hasOwn(knownLagging, key))) continue;
    const { reason, message } = news;
    const same = byText.get(`${reason} ${message}`);
    if (same === undefined) byText.set(`${reason} ${message}`, { key, reason, message, hpas: 1 });
    else same.hpas += 1;
  }
  for (const { key, reason, message, hpas } of byText.values()) {
    reporter.failed(hpas === 1 ? { cluster, key, reason, message, at } : { cluster, hpas, reason, message, at });
  }
}

/** In the SHARD item; a thousand states may be unreadable. */
const longestFailure = 4_096;

/** Never overwritten: the HPA halts until somebody fixes the item. */
export function describeBroken({ brokenStates }: ShardContents): string | undefined {
  const broken = Object.entries(brokenStates).map(([key, why]) => `STATE#${key}: ${why}`);
  return broken.length === 0 ? undefined : cutText(broken.join("; "), longestFailure);
}
