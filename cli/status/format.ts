import { formatTable } from "../../lib/k8s/printing/get-row";
import { humanDuration } from "../../lib/k8s/printing/human-duration";
import { localTimes } from "../explain/times";
import type { Output } from "../output";
import { alignFor } from "../print/fit-columns";
import type { Overview, ShardLine } from "../../lib/read/overview";

/** Three tables: clusters, shards, failing HPAs. */
export function formatOverview(overview: Overview, { style, terminal }: Pick<Output, "style" | "terminal">): string {
  const { at, clusters, shards } = overview;
  const times = localTimes(at);
  const align = alignFor(terminal);
  const clusterRows = clusters.map(({ cluster, reachable, hpas, failing, paused, dryRun }) => {
    const answer =
      reachable.kind === "yes" ? "yes" : `${reachable.kind === "no" ? "no" : "not checked"}: ${reachable.message}`;
    return [cluster, ...[hpas, failing.length, paused, dryRun].map(String), answer];
  });
  const shardRows = shards.map((shard) => [
    shard.cluster,
    rangeOf(shard),
    String(shard.entries),
    shard.slot === 0 ? "never" : times.moment(shard.slot),
    shard.slot === 0 ? "" : humanDuration(at - shard.slot),
    shard.problem ?? "ok",
  ]);
  const failingRows = clusters.flatMap(({ cluster, failing }) =>
    failing.map(({ namespace, name, reason, message, since }) => {
      return [cluster, namespace, name, since === undefined ? "" : humanDuration(at - since), reason, message];
    }),
  );
  const parts = [
    formatTable(["CLUSTER", "HPAS", "FAILING", "PAUSED", "DRY-RUN", "REACHABLE"], clusterRows, align),
    shardRows.length === 0
      ? "No shards yet: the tick creates them within a minute.\n"
      : formatTable(["CLUSTER", "SHARD", "HPAS", "LAST SLOT", "AGO", "STATE"], shardRows, align),
    failingRows.length === 0
      ? `${style("green", "No HPA fails.")}\n`
      : `${style("red", `${failingRows.length} failing:`)}\n${formatTable(["CLUSTER", "NAMESPACE", "NAME", "FOR", "REASON", "MESSAGE"], failingRows, align)}`,
  ];
  return parts.join("\n");
}

function rangeOf({ from, to }: ShardLine): string {
  if (from === "" && to === null) return "all";
  if (to === null) return `from ${from}`;
  return from === "" ? `before ${to}` : `${from} to ${to}`;
}

/** The same as data, every moment in UTC. */
export function overviewJson({ at, clusters, shards }: Overview): object {
  const instant = (moment: number) => new Date(moment).toISOString();
  return {
    at: instant(at),
    clusters: clusters.map(({ failing, reachable, ...counts }) => ({
      ...counts,
      reachable: reachable.kind,
      ...(reachable.kind === "yes" ? {} : { message: reachable.message }),
      failing: failing.map(({ since, ...one }) => ({
        ...one,
        ...(since === undefined ? {} : { since: instant(since) }),
      })),
    })),
    shards: shards.map(({ slot, ...shard }) => ({
      ...shard,
      lastSlot: instant(slot),
      ageSeconds: Math.round((at - slot) / 1000),
    })),
  };
}
