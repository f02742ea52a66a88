import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { humanDuration } from "../../../lib/k8s/human-duration";
import type { EpochMs } from "../../../lib/k8s/time";
import { columnWord, type HpaState, hpaStates, holdWords } from "../../../lib/model/hpa-states";
import type { FleetCluster, FleetRow } from "../../../lib/read/page/fleet-row";
import type { Output, Style } from "../../shell/output";
import { alignFor, cutText } from "../../shell/print/fit-columns";
import { formatTable } from "../../shell/print/get-row";
import { localTimes } from "../../shell/print/times";
import type { TopFleet, TopScope } from "./read-rows";

export interface TopView {
  readonly fleet: TopFleet;
  readonly now: EpochMs;
  readonly problem?: { readonly message: string; readonly since: EpochMs };
  readonly out: Pick<Output, "style">;
}

interface TopSize {
  readonly columns: number;
  readonly rows: number;
}

const styles: Readonly<Partial<Record<HpaState, Style>>> = {
  failing: "red",
  notOurZero: "red",
  atMax: "yellow",
  held: "yellow",
  scaling: "cyan",
};

/** Whole, for a pipe. */
export function topText(view: TopView): string {
  const { fleet, out } = view;
  const header = headerOf(fleet.scope);
  const rows = fleet.rows.map((row) => cellsOf(row, view));
  return `${headOf(view)
    .map(({ text, style }) => painted(out, text, style))
    .join("\n")}\n\n${formatTable(header, rows)}`;
}

/** `first` is the first row that is shown, as far as there are so many. */
export function topLines(
  view: TopView,
  { columns, rows: height }: TopSize,
  first: number,
): { readonly lines: readonly string[]; readonly first: number; readonly page: number } {
  const { fleet, out } = view;
  const head = headOf(view).slice(0, Math.max(1, height - 4));
  const besides = head.length + 2;
  const page = Math.max(1, height - besides - 1);
  const last = Math.max(0, fleet.rows.length - page);
  const start = Math.min(Math.max(0, first), last);
  const shown = fleet.rows.slice(start, start + page);
  const header = headerOf(fleet.scope);
  const table = formatTable(
    header,
    shown.map((row) => cellsOf(row, view)),
    alignFor({ columns }, header),
  ).split("\n");
  const state = (line: number) => shown[line - 1]?.state;
  const lines = [
    ...head.map(({ text, style }) => painted(out, cutText(text, columns), style)),
    "",
    ...table.slice(0, shown.length + 1).map((text, line) => {
      const own = state(line);
      return painted(out, text.trimEnd(), line === 0 ? "bold" : own && styles[own]);
    }),
    cutText(footOf(start, shown.length, fleet.rows.length), columns),
  ];
  return { lines: lines.slice(0, height), first: start, page };
}

function footOf(start: number, shown: number, all: number): string {
  const rows = shown < all ? `${start + 1} to ${start + shown} of ${all}; arrows and PgUp, PgDn move; ` : "";
  return `${rows}q ends`;
}

interface HeadLine {
  readonly text: string;
  readonly style?: Style;
}

const mostClusters = 3;

function headOf({ fleet, problem, now }: TopView): readonly HeadLine[] {
  const { rows, counts, clusters, readAt } = fleet;
  const times = localTimes(now);
  const old = now - readAt;
  const read = old < 2_000 ? "" : `, read ${humanDuration(old)} ago`;
  const hpas = `${rows.length} ${rows.length === 1 ? "HPA" : "HPAs"}`;
  const named = clusters.length === 1 ? `cluster ${clusters[0]?.cluster}` : `${clusters.length} clusters`;
  // Sorted by state, as they are counted.
  const states = [...counts].map(([state, count]) => `${count} ${hpaStates[state].label}`);
  const unhealthy = clusters.flatMap((cluster) => clusterProblem(cluster, now) ?? []);
  const hidden = unhealthy.length - mostClusters;
  const more = hidden > 0 ? [`and ${hidden} more clusters`] : [];
  return [
    { text: `${times.moment(now)}  ${hpas} in ${named}${read}` },
    { text: states.join(", ") || "No HPAs" },
    ...(problem === undefined ? [] : [`The table does not answer since ${sinceOf(problem.since)}: ${problem.message}`])
      .concat(unhealthy.slice(0, mostClusters), more)
      .map((text) => ({ text: escapeLine(text), style: "red" as const })),
  ].map((line) => ({ ...line, text: escapeLine(line.text) }));

  function sinceOf(at: EpochMs): string {
    return `${times.moment(at)} (${humanDuration(now - at)})`;
  }
}

function clusterProblem({ cluster, health, failure, slot }: FleetCluster, now: EpochMs): string | undefined {
  if (failure !== undefined) return `Cluster ${cluster} fails: ${failure}`;
  if (health === "missing") return `Cluster ${cluster} has no shards: the tick does not run`;
  if (health !== "late") return undefined;
  return `Cluster ${cluster} is late: its last slot ${slot === undefined ? "is unknown" : `began ${humanDuration(now - slot)} ago`}`;
}

function painted(out: TopView["out"], text: string, style: Style | undefined): string {
  return style === undefined ? text : out.style(style, text);
}

function headerOf({ clusters, namespace }: TopScope): readonly string[] {
  const where = [...(clusters.length > 1 ? ["CLUSTER"] : []), ...(namespace === undefined ? ["NAMESPACE"] : [])];
  return ["STATE", ...where, "NAME", "SIZE", "ASKS", "MIN", "MAX", "FOR", "WHY"];
}

function cellsOf(row: FleetRow, { fleet: { scope }, now }: TopView): readonly string[] {
  const { cluster, namespace, name, state, size, asks, min, max, since } = row;
  const number = (value: number | null | undefined) => (value === null || value === undefined ? "" : String(value));
  return [
    columnWord(state),
    ...(scope.clusters.length > 1 ? [cluster] : []),
    ...(scope.namespace === undefined ? [namespace] : []),
    name,
    ...[size, asks, min, max].map(number),
    since === undefined ? "" : humanDuration(now - since),
    whyOf(row, now),
  ];
}

function whyOf({ state, hold, reason, metrics }: FleetRow, now: EpochMs): string {
  const texts = [hold === undefined ? undefined : heldText(hold, now), reason].filter((text) => text !== undefined);
  if (texts.length > 0) return texts.join(": ");
  if (state === "notOurZero" || state === "paused" || state === "waiting") return hpaStates[state].means;
  const [metric] = metrics;
  if (metric === undefined) return "";
  const { name, current = "unknown", target, isAverage = false } = metric;
  return `${name}: ${current}/${target}${isAverage ? " a pod" : ""}`;
}

function heldText({ by, until }: NonNullable<FleetRow["hold"]>, now: EpochMs): string {
  return `${holdWords[by]}${until === undefined || until < now ? "" : `, ${humanDuration(until - now)} more`}`;
}
