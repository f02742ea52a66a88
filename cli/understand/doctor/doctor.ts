import { Command } from "commander";
import type { ClusterEntry } from "../../../lib/model/entry/entries";
import { isFault } from "../../../lib/model/fault";
import type { Table } from "../../../lib/table/reads";
import type { Entry, ShardContents, Store } from "../../../lib/model/ports/store";
import type { EpochMs } from "../../../lib/k8s/time";
import type { PollerLease } from "../../../lib/model/stored/idle";
import type { Shard } from "../../../lib/model/stored/shard";
import { namespaceOf } from "../../../lib/model/hpa-key";
import type { Entries } from "../../../lib/model/ports/entries";
import { type LocateExternal, requiredPermissionsOf } from "../../../lib/read/required-permissions";
import { externalSource } from "../../../lib/readings/read-sources";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import type { Advice } from "../../../lib/model/advice";
import type { Caller } from "../../shell/advice/caller";
import { advice } from "../../shell/advice/table";
import { addGlobalOptions, globalOptions, refuseSecondCluster } from "../../shell/global-options";
import { examples } from "../../shell/help";
import { unknownCluster, missingNamespace } from "../../shell/connect/choose-cluster";
import { connectionsFrom, type LocalConnections } from "../../shell/connect/connections";
import { demoStopped, type StoppedRun } from "../../shell/connect/stopped-run";
import { failure } from "../../shell/failure";
import { type Session, withSession } from "../../shell/session";
import type { CliEnvironment } from "../../shell/environment";
import { checkSchedule } from "./check-schedule";
import { checkAccount } from "./check-account";
import { checkCluster } from "./check-cluster";
import { checkDecisions } from "./check-decisions";
import { checkEntries, checkNames } from "./check-entries";
import { checkSources, writtenIn } from "./check-sources";
import { checkTable } from "./check-table";
import { checkPoller } from "./check-poller";
import { type Finding, fail, formatFinding, ok, countFindings } from "./finding";
import { isForwarded } from "../../../lib/sources/descriptions";

interface Examination {
  readonly store: Pick<Store, "load" | "idle">;
  /** Absent: a poller on this machine, which reads as sync does. */
  readonly poller?: { readonly lease: PollerLease | undefined };
  readonly entries: Pick<Entries, "list">;
  readonly connections: LocalConnections;
  readonly shards: readonly Shard[];
  readonly namespace: string | undefined;
  readonly now: () => EpochMs;
  readonly signal: AbortSignal;
}

interface Examined {
  readonly findings: readonly Finding[];
  readonly namespaces: readonly string[];
}

async function examineCluster(entry: Entry<ClusterEntry>, examination: Examination): Promise<Examined> {
  const { store, entries, signal } = examination;
  const cluster = entry.key;
  const [contents, own, sources] = await Promise.all([
    store.load({ cluster, from: "", to: null }, signal),
    entries.list("Cluster", { cluster }, signal),
    entries.list("MetricSource", { cluster }, signal),
  ]);
  const named = checkNames([...own, ...sources]);
  const namespaces = [...new Set(contents.hpas.map(({ key }) => namespaceOf(key)))];
  return { findings: await examine(entry, { contents, named }, examination), namespaces };
}

interface Read {
  readonly contents: ShardContents;
  readonly named: readonly Finding[];
}

async function examine(
  entry: Entry<ClusterEntry>,
  { contents, named }: Read,
  { store, connections, shards, poller, namespace, now, signal }: Examination,
): Promise<readonly Finding[]> {
  const { findings: ofEntries, usable } = checkEntries(entry.key, contents, namespace);
  const findings = [...ofEntries, ...named];
  const { stopped } = connections;
  if (stopped !== undefined && stopped.demo === entry.key)
    return [...findings, fail("its slots are run", `${demoStopped}, so nothing is synced`, advice.startDemo(stopped))];
  const schedule = checkSchedule(entry, { shards, start: startOf(entry, stopped) }, now());
  if ("invalid" in entry) {
    const todo = advice.fixClusterEntry({ cluster: entry.key });
    return [fail("its entry is valid", entry.invalid, todo), ...findings, schedule];
  }
  const known = {
    entries: new Map(contents.sources.map((source) => [source.key, source])),
    sources: connections.sources,
  };
  const { spec } = entry.value;
  const mirrorsEvents = spec.options?.mirrorEvents === true;
  const locate: LocateExternal = (metric) => externalSource(metric, known);
  const required = requiredPermissionsOf(usable, { locate, sources: connections.sources, mirrorsEvents, isForwarded });
  const invalid = required.invalidSources.map(({ problem, namespace, name }) => {
    const todo = advice.noSource({ cluster: entry.key, namespace, name });
    return fail("every External metric has a source", problem, todo);
  });
  const watched = { entry: entry.value, hpas: usable, states: contents.states, locate, sources: connections.sources };
  const [access, metrics, polling] = await Promise.all([
    checkCluster(connections, { entry: entry.value, required, hpas: usable, locate }, { now, signal }),
    checkSources(connections.sources, required.sources, {
      now: now(),
      signal,
      cluster: { name: entry.key, api: () => connections.clusters.connect(entry.value, signal) },
      regions: connections.region,
      entry: entry.value,
      writtenIn: (metricName) => writtenIn(metricName, { cluster: entry.key, hpas: usable, sources: contents.sources }),
    }),
    poller === undefined ? [] : checkPoller(watched, { ...poller, store, shards, now: now(), signal }),
  ]);
  const reported = access.failing;
  const decisions = checkDecisions(usable, { cluster: entry.key, states: contents.states, reported, now: now() });
  return [...findings, schedule, ...access.findings, ...metrics, ...invalid, ...decisions, ...polling];
}

function startOf(entry: Entry<ClusterEntry>, stopped: StoppedRun | undefined): Advice | undefined {
  if (stopped === undefined || "invalid" in entry) return undefined;
  const { auth, options } = entry.value.spec;
  if (!("file" in auth)) return undefined;
  const { file, context } = auth;
  const { directory } = stopped;
  return advice.startOwn({
    cluster: entry.key,
    ...{ file, context, directory, syncPeriodSeconds: options?.syncPeriodSeconds },
  });
}

const notes = `
Each line begins with its result:
  ok    it works
  FAIL  it is certainly wrong, and the line says what to do
  --    not checked: it cannot be known from this machine, or with your
        credentials; the functions use their own. The line says how to know it
  ..    not yet: it is too young, and the line says from when on it is checked
The last line counts all but ok.
Exit codes: 0 nothing is FAIL; 1 something is, or the command itself failed.`;

export function doctorCommand(environment: CliEnvironment): Command {
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
    withSession(environment, self, (session) => {
      refuseSecondCluster(cluster, globalOptions(self));
      return run(session, cluster, globalOptions(self).namespace);
    }),
  );
  return addGlobalOptions(command);
}

/** @returns the exit code */
async function run(session: Session, named: string | undefined, namespace: string | undefined): Promise<number> {
  const { settings, store, entries, table, out, signal, now } = session;
  const ofTable = settings.table === undefined ? embedded(settings.directory) : checkDeployment(table, signal);
  const known = await readKnown(session).catch(async (error: unknown) => {
    // The table's own findings say more than the first read that failed.
    const findings = await ofTable;
    if (!isFault(error) || !findings.some(({ kind }) => kind === "fail")) throw error;
    return { findings };
  });
  if ("findings" in known) {
    printSection(out, { title: "table", ...known }, await session.callerFor([]));
    return conclude(out, known.findings);
  }
  const { all, shards, lease } = known;
  const chosen = named ?? settings.cluster;
  const clusters = all.filter(({ key }) => chosen === undefined || key === chosen);
  if (chosen !== undefined && clusters.length === 0) throw await unknownCluster(chosen, session);

  const connections = await connectionsFrom(settings, now);
  try {
    const poller = settings.table === undefined ? {} : { poller: { lease } };
    const examination = { store, entries, connections, shards, ...poller, namespace, now, signal };
    const checking = Promise.all([ofTable, ...clusters.map((entry) => examineCluster(entry, examination))]);
    const [tableFindings, ...examined] = await out.during("checking", checking);
    const caller = await session.callerFor(clusters.map((entry) => ("value" in entry ? entry.value : undefined)));
    printSection(out, { title: "table", findings: tableFindings }, caller);
    clusters.forEach(({ key }, index) =>
      printSection(out, { title: `cluster ${key}`, findings: examined[index]?.findings ?? [] }, caller),
    );
    if (all.length === 0) out.note("No clusters are registered yet.");
    const known = [...new Set(examined.flatMap(({ namespaces }) => namespaces))];
    const missing = namespace === undefined ? undefined : missingNamespace(namespace, known);
    if (missing !== undefined) throw failure(missing);
    return conclude(out, [...tableFindings, ...examined.flatMap((one) => one.findings)]);
  } finally {
    connections.close();
  }
}

interface Known extends Pick<Examination, "shards"> {
  readonly all: readonly Entry<ClusterEntry>[];
  readonly lease: PollerLease | undefined;
}

async function readKnown({ store, signal }: Session): Promise<Known> {
  const [all, shards, lease] = await Promise.all([
    store.clusters(signal),
    store.shards(signal),
    store.pollerLease(signal),
  ]);
  return { all, shards, lease };
}

/** @returns the exit code */
function conclude(out: Session["out"], findings: readonly Finding[]): number {
  out.note(countFindings(findings));
  return findings.some(({ kind }) => kind === "fail") ? 1 : 0;
}

async function checkDeployment(table: Table, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings = await checkTable(table, signal);
  if (findings.length < 2) return findings;
  return [...findings, ...(await checkAccount(table, signal))];
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
