import { escapeLine } from "../../lib/k8s/escape-terminal";
import { formatTable } from "../shell/print/get-row";
import { humanDuration } from "../../lib/k8s/human-duration";
import type { Caller } from "../shell/advice/caller";
import { adviceText } from "../shell/advice/print";
import { advice } from "../shell/advice/table";
import { localTimes, type Times } from "../shell/print/times";
import type { Output } from "../shell/output";
import { alignFor } from "../shell/print/fit-columns";
import { columnWord, type HpaState, willNotWake } from "../../lib/model/hpa-states";
import { type Overview, type ShardLine, takeOverview } from "../../lib/read/overview";
import type { ShardHealth } from "../../lib/read/shard-health";
import { Command, Option } from "commander";
import { toJson } from "../shell/print/to-json";
import { toYaml } from "../shell/print/to-yaml";
import { examples } from "../shell/help";
import { addGlobalOptions, globalOptions } from "../shell/global-options";
import { missingNamespace, unknownCluster } from "../shell/connect/choose-cluster";
import { demoStopped } from "../shell/connect/stopped-run";
import { probeCluster, connectionsFrom } from "../shell/connect/connections";
import { type Session, withSession } from "../shell/session";
import type { CliEnvironment } from "../shell/environment";

interface Paper extends Pick<Output, "style" | "terminal"> {
  readonly caller: Caller;
}

export function formatOverview(overview: Overview, { style, terminal, caller }: Paper): string {
  const { at, clusters, shards } = overview;
  const times = localTimes(at);
  const align = alignFor(terminal);
  const clusterRows = clusters.map(({ cluster, reachable, hpas, failing, states }) => {
    const answer =
      reachable.kind === "yes" ? "yes" : `${reachable.kind === "no" ? "no" : "not checked"}: ${reachable.message}`;
    return [cluster, ...[hpas, failing.length, ...counted.map((state) => states[state] ?? 0)].map(String), answer];
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
    formatTable(
      ["CLUSTER", "HPAS", ...(["failing", ...counted] as const).map(columnWord), "REACHABLE"],
      clusterRows,
      align,
    ),
    formatTable(["CLUSTER", "SHARD", "HPAS", "LAST SLOT", "AGO", "STATE"], shardRows, align),
    failingRows.length === 0
      ? `${style("green", "No HPA fails.")}\n`
      : `${style("red", `${failingRows.length} failing:`)}\n${formatTable(["CLUSTER", "NAMESPACE", "NAME", "FOR", "REASON", "MESSAGE"], failingRows, align)}`,
  ];
  const asleep = clusters.flatMap(({ leftAtZero }) => leftAtZero);
  if (asleep.length > 0) parts.push(`${style("red", leftAtZeroText(asleep, adviceText(advice.wakeThem(), caller)))}\n`);
  return parts.join("\n");
}

const counted = ["atMax", "held", "paused", "dryRun"] as const satisfies readonly HpaState[];
const mostNamed = 5;

function leftAtZeroText(keys: readonly string[], how: string): string {
  const more = keys.length > mostNamed ? ` and ${keys.length - mostNamed} more` : "";
  const named = `${keys.slice(0, mostNamed).map(escapeLine).join(", ")}${more}`;
  const hpas = keys.length === 1 ? "HPA" : "HPAs";
  return `${keys.length} ${hpas} ${willNotWake}: ${named}; ${how}.`;
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

export function overviewJson({ at, clusters, shards }: Overview): object {
  const instant = (moment: number) => new Date(moment).toISOString();
  return {
    at: instant(at),
    clusters: clusters.map(({ failing, reachable, unsharded, namespaces: _, ...counts }) => ({
      ...counts,
      ...{ paused: counts.states.paused ?? 0, dryRun: counts.states.dryRun ?? 0 },
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

interface Options {
  readonly output?: "json" | "yaml";
  readonly namespace?: string;
}

/** Exits with 0 in any case, unlike `ebb doctor`. */
export function statusCommand(environment: CliEnvironment): Command {
  const command = new Command("status")
    .description(
      "Show whether clusters answer and shards are synced in time, and which HPAs fail. `ebb doctor` says what to do.",
    )
    .addOption(new Option("-o, --output <format>", "as data").choices(["json", "yaml"]))
    .addHelpText(
      "after",
      examples([
        ["Is everything in order?", "ebb status"],
        ["The HPAs of one namespace", "ebb status -n shop"],
        ["One cluster alone", "ebb status --cluster prod"],
        ["The HPAs that fail, for a script", "ebb status -o json"],
      ]),
    );
  command.action((options: Options, self: Command) =>
    withSession(environment, self, (session) => run(session, { ...options, ...globalOptions(self) })),
  );
  return addGlobalOptions(command);
}

async function run(session: Session, { output, namespace }: Options): Promise<void> {
  const { settings, store, out, now, signal, pause } = session;
  const connections = await connectionsFrom(settings, now);
  try {
    const probe = (entry: Parameters<typeof probeCluster>[1]) => probeCluster(connections, entry, { signal, pause });
    const taking = takeOverview({ cluster: settings.cluster, namespace }, { store, probe, now, signal });
    const overview = await out.during("checking the clusters", taking);
    if (settings.cluster !== undefined && overview.clusters.length === 0)
      throw await unknownCluster(settings.cluster, session);
    if (output !== undefined) return out.write((output === "json" ? toJson : toYaml)(overviewJson(overview), out));
    if (overview.clusters.length === 0) return out.note("No clusters found.");
    const { stopped } = connections;
    if (stopped !== undefined && overview.clusters.some(({ cluster }) => cluster === stopped.demo)) {
      const start = adviceText(advice.startDemo(stopped), await session.callerFor([]));
      out.print(`${demoStopped}, so nothing is synced: ${start}.`);
    }
    const missing = namespace === undefined ? undefined : missingNamespace(namespace, namespacesIn(overview));
    if (missing !== undefined) out.print(missing);
    out.write(formatOverview(overview, { ...out, caller: await session.callerFor([]) }));
  } finally {
    connections.close();
  }
}

function namespacesIn({ clusters }: Overview): readonly string[] {
  return [...new Set(clusters.flatMap(({ namespaces }) => namespaces))];
}
