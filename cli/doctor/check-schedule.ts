import type { ClusterEntry } from "../../lib/model/entry/entries";
import { humanDuration } from "../../lib/k8s/printing/human-duration";
import type { EpochMs } from "../../lib/k8s/time";
import type { Shard } from "../../lib/model/stored/state";
import { syncPeriodMs } from "../../lib/model/entry/options";
import type { Entry } from "../../lib/table/items/resource-items";
import { isLate } from "../../lib/read/hpa-facts";
import { advice } from "../advice/table";
import { type Finding, fail, ok, skipped } from "./finding";

/** The next tick, and the time it takes. */
const firstTickMs = 90_000;

/** Whether the cluster's shards are synced in time: the proof that schedule, queue and functions are alive. */
export function checkSchedule(
  entry: Entry<ClusterEntry>,
  { shards, registeredAt }: { readonly shards: readonly Shard[]; readonly registeredAt: EpochMs | undefined },
  now: EpochMs,
): Finding {
  const what = "its shards are synced in time";
  const own = shards.filter(({ cluster }) => cluster === entry.key);
  if (own.length === 0) {
    if (registeredAt !== undefined && now - registeredAt < firstTickMs)
      return skipped(what, "it has just been registered; the next tick creates its first shard, within a minute");
    return fail(what, "it has no shards: the tick has not run since it was registered", advice.startTick());
  }
  const failed = own.find(({ failure }) => failure !== undefined);
  if (failed?.failure !== undefined) return fail(what, failed.failure, advice.fixShards({ cluster: entry.key }));
  const periodMs = syncPeriodMs("value" in entry ? entry.value.spec.options : undefined);
  const late = own.filter((shard) => isLate(shard, periodMs, now));
  const [oldest] = late.toSorted((a, b) => a.slot - b.slot);
  if (oldest !== undefined) {
    const since = oldest.slot === 0 ? "never" : `${humanDuration(now - oldest.slot)} ago`;
    const why = `${late.length} of ${own.length} are late, the last slot was ${since}`;
    return fail(what, why, advice.startFunctions());
  }
  const behind = own.reduce((sum, shard) => sum + Object.keys(shard.behind).length, 0);
  if (behind > 0) {
    return fail(what, `${behind} HPAs are behind`, advice.giveTime());
  }
  return ok(what);
}
