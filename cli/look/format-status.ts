import { escapeLine } from "../../lib/k8s/escape-terminal";
import { formatTable } from "../shell/print/get-row";
import { humanDuration } from "../../lib/k8s/human-duration";
import type { Caller } from "../shell/advice/caller";
import { adviceText } from "../shell/advice/print";
import { advice } from "../shell/advice/table";
import { localTimes, type Times } from "../shell/print/times";
import type { Output } from "../shell/output";
import { alignFor } from "../shell/print/fit-columns";
import type { Overview, ShardLine } from "../../lib/read/overview";
import type { ShardHealth } from "../../lib/read/shard-health";

interface Paper extends Pick<Output, "style" | "terminal"> {
  readonly caller: Caller;
}

export function formatOverview(overview: Overview, { style, terminal, caller }: Paper): string {
  const { at, clusters, shards } = overview;
  const times = localTimes(at);
  const align = alignFor(terminal);
  const clusterRows = clusters.map(({ cluster, reachable, hpas, failing, paused, dryRun }) => {
    const answer =
      reachable.kind === "yes" ? "yes" : `${reachable.kind === "no" ? "no" : "not checked"}: ${reachable.message}`;
    return [cluster, ...[hpas, failing.length, paused, dryRun].map(String), answer];
  });
  const shardRows = [
    ...shards.map((shard) => [
      shard.cluster,
      rangeOf(shard),
      String(shard.entries),
      shard.slot === 0 ? "never" : times.moment(shard.slot),
      shard.slot === 0 ? "" : humanDuration(at - shard.slot),
      stateOf(shard, times),
    ]),
    ...clusters.flatMap(({ cluster, unsharded }) =>
      unsharded === undefined ? [] : [[cluster, "none", "", "never", "", unshardedText(unsharded, times)]],
    ),
  ];
  const failingRows = clusters.flatMap(({ cluster, failing }) =>
    failing.map(({ namespace, name, reason, message, since }) => {
      return [cluster, namespace, name, since === undefined ? "" : humanDuration(at - since), reason, message];
    }),
  );
  const parts = [
    formatTable(["CLUSTER", "HPAS", "FAILING", "PAUSED", "DRY-RUN", "REACHABLE"], clusterRows, align),
    formatTable(["CLUSTER", "SHARD", "HPAS", "LAST SLOT", "AGO", "STATE"], shardRows, align),
    failingRows.length === 0
      ? `${style("green", "No HPA fails.")}\n`
      : `${style("red", `${failingRows.length} failing:`)}\n${formatTable(["CLUSTER", "NAMESPACE", "NAME", "FOR", "REASON", "MESSAGE"], failingRows, align)}`,
  ];
  const asleep = clusters.flatMap(({ leftAtZero }) => leftAtZero);
  if (asleep.length > 0) parts.push(`${style("red", leftAtZeroText(asleep, adviceText(advice.wakeThem(), caller)))}\n`);
  return parts.join("\n");
}

const mostNamed = 5;

function leftAtZeroText(keys: readonly string[], how: string): string {
  const more = keys.length > mostNamed ? ` and ${keys.length - mostNamed} more` : "";
  const named = `${keys.slice(0, mostNamed).map(escapeLine).join(", ")}${more}`;
  const [are, wake] = keys.length === 1 ? ["HPA is", "does"] : ["HPAs are", "do"];
  return `${keys.length} ${are} at a zero that ebb did not make, and ${wake} not wake: ${named}; ${how}.`;
}

function stateOf(shard: ShardLine, times: Times): string {
  const { health } = shard;
  return health.kind === "notYet" ? notYetText(health.due, times) : (problemOf(shard) ?? "ok");
}

function notYetText(due: number, times: Times): string {
  return `not yet: its first slot is due by ${times.near(due)}`;
}

function unshardedText(health: ShardHealth, times: Times): string {
  return health.kind === "notYet" ? notYetText(health.due, times) : "the tick has not run since it was registered";
}

function problemOf({ health, behind, entries }: ShardLine): string | undefined {
  if (health.kind === "late" || health.kind === "fails") return health.failure ?? "late";
  return behind > 0 && health.kind === "inTime" ? `${behind} of ${entries} HPAs behind` : undefined;
}

function rangeOf({ from, to }: ShardLine): string {
  if (from === "" && to === null) return "all";
  if (to === null) return `from ${from}`;
  return from === "" ? `before ${to}` : `${from} to ${to}`;
}

/** As data, with moments in UTC. */
export function overviewJson({ at, clusters, shards }: Overview): object {
  const instant = (moment: number) => new Date(moment).toISOString();
  return {
    at: instant(at),
    clusters: clusters.map(({ failing, reachable, unsharded, namespaces: _, ...counts }) => ({
      ...counts,
      ...(unsharded?.kind === "notYet" && { firstSlotDue: instant(unsharded.due) }),
      reachable: reachable.kind,
      ...(reachable.kind === "yes" ? {} : { message: reachable.message }),
      failing: failing.map(({ since, ...one }) => ({
        ...one,
        ...(since === undefined ? {} : { since: instant(since) }),
      })),
    })),
    shards: shards.map(({ slot, health, behind, ...shard }) => {
      const problem = problemOf({ slot, health, behind, ...shard });
      return {
        ...shard,
        lastSlot: instant(slot),
        ageSeconds: Math.round((at - slot) / 1000),
        ...(problem !== undefined && { problem }),
        ...(health.kind === "notYet" && { firstSlotDue: instant(health.due) }),
      };
    }),
  };
}
