import { Command } from "commander";
import type { ClusterEntry } from "../../lib/model/entry/entries";
import { isFault } from "../../lib/model/fault";
import type { Store, ShardContents } from "../../lib/model/ports/store";
import type { EpochMs } from "../../lib/k8s/time";
import type { Shard } from "../../lib/model/stored/state";
import type { Entry } from "../../lib/table/items/resource-items";
import { type LocateExternal, needsOf } from "../../lib/read/needs";
import { externalSource } from "../../lib/sync/observe/read-sources";
import { escapeLine } from "../../lib/k8s/printing/columns";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { Caller } from "../advice/caller";
import type { Written } from "../advice/rows/sources";
import { advice } from "../advice/table";
import { addGlobalOptions, globalOptions, refuseSecondCluster } from "../global-options";
import { examples } from "../help";
import { unknownCluster } from "../connect/choose-cluster";
import { reachFrom, type ReachedHere } from "../connect/reach";
import { createdAt } from "../../lib/read/found";
import { type Session, withSession } from "../session";
import type { Surroundings } from "../surroundings";
import { checkCluster } from "./check-cluster";
import { checkDecisions } from "./check-decisions";
import { checkEntries } from "./check-entries";
import { checkSchedule } from "./check-schedule";
import { checkSources } from "./check-sources";
import { checkTable } from "./check-table";
import { type Finding, fail, formatFinding, ok } from "./finding";
import { isForwarded } from "../../lib/sources/descriptions";

export interface Examination {
  readonly store: Pick<Store, "load">;
  readonly reach: ReachedHere;
  readonly shards: readonly Shard[];
  /** When each cluster was registered, by name; unknown for hand-written entries. */
  readonly registrations: ReadonlyMap<string, EpochMs>;
  /** The HPAs of this namespace alone. */
  readonly namespace: string | undefined;
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
}

/** Checks one cluster: entries, slots, access to it and to the metrics. Rejects with a Fault of the table. */
export async function examineCluster(
  entry: Entry<ClusterEntry>,
  examination: Examination,
): Promise<readonly Finding[]> {
  const { store, reach, shards, registrations, namespace, now, signal } = examination;
  const contents = await store.load({ cluster: entry.key, from: "", to: null }, signal);
  const { findings, usable } = checkEntries(entry.key, contents, namespace);
  const schedule = checkSchedule(entry, { shards, registeredAt: registrations.get(entry.key) }, now());
  if ("invalid" in entry) {
    const todo = advice.fixClusterEntry({ cluster: entry.key });
    return [fail("its entry is valid", entry.invalid, todo), ...findings, schedule];
  }
  const known = {
    entries: new Map(contents.sources.map((source) => [source.key, source])),
    sources: reach.sources,
  };
  const { spec } = entry.value;
  const mirrorsEvents = spec.options?.mirrorEvents === true;
  const locate: LocateExternal = (metric) => externalSource(metric, known);
  const needs = needsOf(usable, { locate, sources: reach.sources, mirrorsEvents, isForwarded });
  const invalid = needs.invalidSources.map(({ problem, namespace, name }) => {
    const todo = advice.noSource({ cluster: entry.key, namespace, name });
    return fail("every External metric has a source", problem, todo);
  });
  const [access, metrics] = await Promise.all([
    checkCluster(reach, { entry: entry.value, needs, hpas: usable, locate }, { now, signal }),
    checkSources(reach.sources, needs.sources, {
      now: now(),
      signal,
      cluster: { name: entry.key, api: () => reach.clusters.connect(entry.value, signal) },
      regions: reach.region,
      writtenIn: (metricName) => writtenIn(metricName, { cluster: entry.key, hpas: usable, sources: contents.sources }),
    }),
  ]);
  const reported = access.failing;
  const decisions = checkDecisions(usable, { cluster: entry.key, states: contents.states, reported, now: now() });
  return [...findings, schedule, ...access.findings, ...metrics, ...invalid, ...decisions];
}

/** The HPA whose metric's labels are parameters, and the entry that has the others. */
function writtenIn(
  metricName: string,
  { cluster, hpas, sources }: Pick<ShardContents, "sources"> & Usable & { readonly cluster: string },
): Written {
  const hpa = hpas.find(({ spec }) => spec.metrics?.some(({ external }) => external?.metric.name === metricName));
  const { namespace = "default", name = "" } = hpa?.metadata ?? {};
  const isEntry = sources.some(({ key }) => key === metricName);
  return {
    ...(hpa === undefined ? {} : { hpa: { cluster, namespace, name } }),
    ...(isEntry ? { source: { cluster, name: metricName } } : {}),
  };
}

interface Usable {
  readonly hpas: readonly HorizontalPodAutoscaler[];
}

const notes = `
Each line says ok, or what to do. The checks run on this machine with your
credentials; the functions use their own.
Exit codes: 0 all is well; 1 something needs attention.`;

/** `ebb doctor [CLUSTER]`: checks everything that has to work. */
export function doctorCommand(surroundings: Surroundings): Command {
  const command = new Command("doctor")
    .description("Check everything that has to work: table, schedule, entries, clusters, rights, metrics.")
    .argument("[cluster]", "only this cluster")
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples([
        ["Does everything work?", "ebb doctor"],
        ["One cluster, and what the HPAs of one namespace need", "ebb doctor prod -n shop"],
      ]),
    );
  command.action((cluster: string | undefined, _options: object, self: Command) =>
    withSession(surroundings, self, (session) => {
      refuseSecondCluster(cluster, globalOptions(self));
      return run(session, cluster, globalOptions(self).namespace);
    }),
  );
  return addGlobalOptions(command);
}

/** @returns the exit code. */
async function run(session: Session, named: string | undefined, namespace: string | undefined): Promise<number> {
  const { settings, store, table, out, signal, now } = session;
  const ofTable = settings.table === undefined ? embedded(settings.directory) : checkTable(table, signal);
  const known = await readKnown(session).catch(async (error: unknown) => {
    // What is wrong with the table says more than the first read that failed for it.
    const findings = await ofTable;
    if (!isFault(error) || !findings.some(({ kind }) => kind === "fail")) throw error;
    return { findings };
  });
  if ("findings" in known) {
    printSection(out, { title: "table", ...known }, await session.callerFor([]));
    return conclude(out, known.findings);
  }
  const { entries, shards, registrations } = known;
  const chosen = named ?? settings.cluster;
  const clusters = entries.filter(({ key }) => chosen === undefined || key === chosen);
  if (chosen !== undefined && clusters.length === 0) throw await unknownCluster(chosen, session);

  const reach = await reachFrom(settings, now);
  try {
    const examination = { store, reach, shards, registrations, namespace, now, signal };
    // All checks run at once; the report keeps this order.
    const sections = [
      { title: "table", findings: ofTable },
      ...clusters.map((entry) => ({ title: `cluster ${entry.key}`, findings: examineCluster(entry, examination) })),
    ];
    const all = await out.during("checking", Promise.all(sections.map(({ findings }) => findings)));
    const caller = await session.callerFor(clusters.map((entry) => ("value" in entry ? entry.value : undefined)));
    sections.forEach(({ title }, index) => printSection(out, { title, findings: all[index] ?? [] }, caller));
    if (entries.length === 0) out.note("No clusters are registered yet.");
    return conclude(out, all.flat());
  } finally {
    reach.close();
  }
}

interface Known extends Pick<Examination, "shards" | "registrations"> {
  readonly entries: readonly Entry<ClusterEntry>[];
}

async function readKnown(session: Session): Promise<Known> {
  const { store, signal } = session;
  const [entries, shards, registrations] = await Promise.all([
    store.clusters(signal),
    store.shards(signal),
    readRegistrations(session),
  ]);
  return { entries, shards, registrations };
}

async function readRegistrations({ entries, signal }: Session): Promise<ReadonlyMap<string, number>> {
  const clusters = await entries.list("Cluster", {}, signal);
  return new Map(
    clusters.flatMap(({ ref, document }) => {
      const at = Date.parse(createdAt(document) ?? "");
      return Number.isNaN(at) ? [] : [[ref.name, at] as const];
    }),
  );
}

function embedded(directory: string): Promise<readonly Finding[]> {
  return Promise.resolve([ok(`the table in ${directory} answers`)]);
}

interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}

function printSection(out: Session["out"], { title, findings }: Section, caller: Caller): void {
  out.write(`${out.style("bold", escapeLine(title))}\n`);
  for (const finding of findings) {
    out.write(`  ${formatFinding(finding, { style: (style, text) => out.style(style, text), caller })}\n`);
  }
}

function conclude(out: Session["out"], findings: readonly Finding[]): number {
  const count = (wanted: Finding["kind"]) => findings.filter(({ kind }) => kind === wanted).length;
  const [failed, unchecked] = [count("fail"), count("skipped")];
  const well = unchecked === 0 ? "All is well." : `All that was checked is well; ${unchecked} not checked (--).`;
  out.note(failed === 0 ? well : `${failed} ${failed === 1 ? "thing needs" : "things need"} attention.`);
  return failed === 0 ? 0 : 1;
}
