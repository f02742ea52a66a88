import type { ClusterEntry } from "../../../lib/model/entry/entries";
import { humanDuration } from "../../../lib/k8s/human-duration";
import type { Advice } from "../../../lib/model/advice";
import type { EpochMs } from "../../../lib/k8s/time";
import type { Shard } from "../../../lib/model/stored/shard";
import { shardHealth, type ShardHealth } from "../../../lib/read/shard-health";
import type { Entry } from "../../../lib/model/ports/store";
import { advice } from "../../shell/advice/table";
import { localTimes } from "../../shell/print/times";
import { type Finding, fail, notYet, ok } from "./finding";

const what = "its shards are synced in time";

interface Seen {
  readonly shards: readonly Shard[];
  readonly start: Advice | undefined;
}

export function checkSchedule(entry: Entry<ClusterEntry>, { shards, start }: Seen, now: EpochMs): Finding {
  const own = shards.filter(({ cluster }) => cluster === entry.key);
  const known = own.length === 0 ? [undefined] : own;
  const health = known.map((shard) => shardHealth(shard, entry, now));
  const late = health.filter(({ kind }) => kind === "late");
  const isMissing = health.some(({ kind }) => kind === "missing");
  if (start !== undefined && (isMissing || late.length > 0))
    return fail(what, "ebb start has ended, so nothing is synced", start);
  if (isMissing)
    return fail(what, "it has no shards: the tick has not run since it was registered", advice.startTick());
  const [failure] = health.flatMap((one) => ("failure" in one ? (one.failure ?? []) : []));
  if (failure !== undefined) return fail(what, failure, advice.fixShards({ cluster: entry.key }));
  if (late.length > 0) return fail(what, lateText(health, now), advice.startFunctions());
  const [due] = health.flatMap((one) => (one.kind === "notYet" ? [one.due] : [])).sort((a, b) => b - a);
  if (due !== undefined) return notYet(what, `its first slot is due by ${localTimes(now).near(due)}`);
  const behind = own.reduce((sum, shard) => sum + Object.keys(shard.behind).length, 0);
  return behind > 0 ? fail(what, `${behind} HPAs are behind`, advice.giveTime()) : ok(what);
}

function lateText(health: readonly ShardHealth[], now: EpochMs): string {
  const late = health.filter((one) => one.kind === "late");
  const finished = late.flatMap(({ lastSlot }) => lastSlot ?? []).sort((a, b) => a - b);
  const [oldest] = finished;
  const never = late.length - finished.length;
  const since =
    oldest === undefined || never > 0
      ? `${never} never finished a slot`
      : `the last slot was ${humanDuration(now - oldest)} ago`;
  return `${late.length} of ${health.length} are late, ${since}`;
}
