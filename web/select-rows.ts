import type { FleetRow } from "../lib/read/page/fleet-row";
import { hpaStates, type HpaState } from "../lib/read/page/words";
import type { Choice, HpaName, SourceName } from "./place";

export interface Listed {
  readonly id: string;
  readonly row: FleetRow;
  /** In lower case. */
  readonly text: string;
}

export function idOf({ cluster, namespace, name }: HpaName): string {
  return JSON.stringify([cluster, namespace, name]);
}

export function listed(row: FleetRow): Listed {
  const { cluster, namespace, name, target = "", sources } = row;
  const text = [name, namespace, cluster, target, ...sources].join("\n").toLowerCase();
  return { id: idOf(row), row, text };
}

const urgency = Object.fromEntries(Object.keys(hpaStates).map((state, index) => [state, index])) as Readonly<
  Record<HpaState, number>
>;

export function selectRows(all: readonly Listed[], choice: Choice): readonly Listed[] {
  const chosen = matching(all, choice);
  const compare = orders[choice.sort];
  chosen.sort((a, b) => compare(a.row, b.row) || byName(a.row, b.row));
  return choice.reversed ? chosen.reverse() : chosen;
}

/** Every word of the search is in the row's names. */
function matching(all: readonly Listed[], choice: Choice): Listed[] {
  const { states, cluster, namespace, source } = choice;
  const words = choice.search.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen: Listed[] = [];
  for (const one of all) {
    const { row, text } = one;
    if (states.length > 0 && !states.includes(row.state)) continue;
    if (cluster !== "" && row.cluster !== cluster) continue;
    if (namespace !== "" && row.namespace !== namespace) continue;
    if (source !== "" && !row.sources.includes(source)) continue;
    if (words.every((word) => text.includes(word))) chosen.push(one);
  }
  return chosen;
}

/** Not by the reader's language, which takes ten times as long. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byName(a: FleetRow, b: FleetRow): number {
  return compareTexts(a.name, b.name) || compareTexts(a.namespace, b.namespace) || compareTexts(a.cluster, b.cluster);
}

const orders: Readonly<Record<Choice["sort"], (a: FleetRow, b: FleetRow) => number>> = {
  attention: (a, b) => urgency[a.state] - urgency[b.state],
  name: byName,
  size: (a, b) => (b.size ?? -1) - (a.size ?? -1),
  since: (a, b) => (b.since ?? 0) - (a.since ?? 0),
};

export interface Counts {
  readonly byState: Readonly<Record<HpaState, number>>;
  readonly namespaces: readonly string[];
  readonly sources: readonly string[];
}

/** Of the rows that the other filters leave. */
export function countRows(all: readonly Listed[], choice: Choice): Counts {
  const byState = Object.fromEntries(Object.keys(hpaStates).map((state) => [state, 0])) as Record<HpaState, number>;
  const [namespaces, sources] = [new Set<string>(), new Set<string>()];
  for (const { row } of all) {
    namespaces.add(row.namespace);
    for (const source of row.sources) sources.add(source);
  }
  for (const { row } of matching(all, { ...choice, states: [] })) byState[row.state] += 1;
  return { byState, namespaces: [...namespaces].sort(), sources: [...sources].sort() };
}

export interface SourceQuery {
  /** As rows and histories name it: "queue", or "queue(name=orders)". */
  readonly metric: string;
  readonly readers: readonly FleetRow[];
}

/** What HPAs ask the source, the most frequent first. Those that read nothing now come last of a query's readers. */
export function queriesOf(all: Iterable<Listed>, { cluster, name }: SourceName): readonly SourceQuery[] {
  const queries = new Map<string, FleetRow[]>();
  for (const { row } of all) {
    if (row.cluster !== cluster || !row.sources.includes(name)) continue;
    for (const { name: metric } of row.metrics) {
      if (metric !== name && !metric.startsWith(`${name}(`)) continue;
      const readers = queries.get(metric);
      if (readers === undefined) queries.set(metric, [row]);
      else if (readers.at(-1) !== row) readers.push(row);
    }
  }
  const isIdle = ({ state }: FleetRow) => Number(state === "paused" || state === "waiting");
  return [...queries]
    .map(([metric, rows]) => ({ metric, readers: rows.sort((a, b) => isIdle(a) - isIdle(b) || byName(a, b)) }))
    .sort((a, b) => b.readers.length - a.readers.length || compareTexts(a.metric, b.metric));
}
