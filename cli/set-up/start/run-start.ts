import { join } from "node:path";
import type { Command } from "commander";
import * as compose from "../../../compose";
import { closeAfter } from "../../../lib/async/closing";
import type { Fault } from "../../../lib/model/fault";
import type { Table } from "../../../lib/table/reads";
import { stored } from "../../../local/directory";
import { putHpa } from "../../../local/entries";
import { demoBackends, realBackends, type Backends } from "../../../local/backends";
import { type LocalCredential, newCredential, localRegion } from "../../../local/guard/signature";
import { lineReporter } from "../../../local/line-reporter";
import { brokenCommand } from "../../../local/terminal-lines";
import { clusterDirectory, demoCluster, homeDirectory } from "../../../local/stored-tables";
import { writeRunFile } from "../../../local/run-file";
import { type LocalTable, startLocal } from "../../../local/start";
import { prices } from "../../../lib/model/prices";
import { pause as pauseUnlessAborted } from "../../../lib/async/within-time";
import { openEntries } from "../../../lib/table/entries";
import { dashboardLine, pageFiles } from "../../look/dashboard/dashboard";
import { openMetrics } from "../../look/metrics/serve-metrics";
import { type Dashboard, serveDashboard } from "../../look/dashboard/serve";
import { byName, callerWith } from "../../shell/advice/caller";
import { readHpas } from "../../write/documents/read-given";
import { requireFile } from "../../shell/input/read-inputs";
import { wrapText } from "../../shell/print/fit-columns";
import { actsOn, type StartRow, refuseSecondTable, refuseUnused } from "./acts-on";
import { holdTable, inRegion, openStartTable, wallClock } from "./start-table";
import { printHpas, stopRequested, ebbCommand, leaveClosedTerminal, onEnter, terminalColumns } from "./terminal";
import { openOutput } from "../../shell/output";

export interface GivenOptions extends Omit<StartOptions, "directory"> {
  readonly directory?: string;
}

interface StartOptions {
  readonly directory: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster: string;
  readonly filename?: readonly string[];
  readonly table?: string;
  readonly syncPeriod: number;
  readonly dryRun?: boolean;
  readonly metricsPort?: number;
}

export async function runStart(given: GivenOptions, command: Command): Promise<void> {
  refuseUnused(command, given);
  const { kubeconfig, cluster } = given;
  const home = kubeconfig === undefined ? homeDirectory : clusterDirectory(cluster);
  const options = { ...given, directory: given.directory ?? home };
  if (given.directory === undefined && kubeconfig !== undefined && given.table === undefined)
    await refuseSecondTable(home, cluster);
  if (kubeconfig !== undefined) await requireFile(kubeconfig);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const asked = stopRequested();
  // Nothing that this process writes is for other users. LevelDB has no option for it.
  process.umask(0o077);
  const hpas = await readHpas(options.filename ?? [], process.stdin);
  await closeAfter(async (closing) => {
    closing.add(leaveClosedTerminal);
    const held = await holdTable(options);
    if (held?.wasOpen) print(`${options.directory} and what ebb keeps in it are now yours alone (mode 0700).`);
    closing.add(() => held?.close());
    const credential = newCredential();
    const { table, endpoint, failed, close } = await openStartTable(options, credential);
    closing.add(close);
    const backends = await openBackends(table, options, credential);
    closing.add(() => backends.close());
    if (endpoint !== undefined) await tellOthers(options, { table, endpoint, credential, backends });
    for (const hpa of hpas) await putHpa(table, clusterName(options), hpa);

    const { dryRun = false } = options;
    const acting = { cluster, kubeconfig: backends.kubeconfig, dryRun };
    const rows = kubeconfig === undefined ? [] : await actsOn(table, acting);
    const dashboard = await openDashboard(table, options);
    closing.add(() => dashboard.close());
    const { metricsPort: port, directory: folder } = options;
    const metrics = port === undefined ? undefined : await openMetrics(table, { folder, port, now: wallClock.now });
    closing.add(() => metrics?.close());
    banner(print, options, {
      kubeconfig: backends.kubeconfig.file,
      endpoint,
      rows,
      dashboard: dashboard.url,
      metrics: metrics?.line,
    });
    const ended = Promise.race([asked, ...[failed, backends.failed].filter((one) => one !== undefined)]);
    await runUntil(ended, table, { ...backends, dryRun }, print);
    print(`The table stays in ${options.table ?? options.directory}; the next start continues from it.`);
  });
}

async function runUntil(
  ended: Promise<Fault | void>,
  table: LocalTable,
  backends: Backends & { readonly dryRun: boolean },
  print: (line: string) => void,
): Promise<void> {
  const startedAt = Date.now();
  const out = openOutput(process);
  const reporter = lineReporter(print, { columns: terminalColumns, paint: (style, text) => out.style(style, text) });
  const local = startLocal(table, backends, reporter);
  const stopListening = onEnter(() => printHpas(table, out));
  const fault = await ended;
  stopListening();
  print("stopping");
  await local.stop();
  if (fault !== undefined) throw fault;
  const { syncs, scalings, failures } = reporter.totals;
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  print(`ran ${seconds} s: ${syncs} syncs, ${scalings} scalings, ${failures} failures`);
  for (const line of backends.summary()) print(line);
}

interface Run {
  readonly table: Table;
  readonly endpoint: string;
  readonly credential: LocalCredential;
  readonly backends: Backends;
}

async function tellOthers({ directory }: StartOptions, { table, endpoint, credential, backends }: Run): Promise<void> {
  const { kubeconfig } = backends;
  const sqs = backends.sqs === undefined ? {} : { sqs: backends.sqs };
  await writeRunFile(directory, { pid: process.pid, endpoint, table: table.name, credential, kubeconfig, ...sqs });
}

function clusterName({ kubeconfig, cluster }: StartOptions): string {
  return kubeconfig === undefined ? demoCluster : cluster;
}

function openBackends(table: Table, options: StartOptions, credential: LocalCredential): Promise<Backends> {
  const { kubeconfig, context, cluster, syncPeriod } = options;
  if (kubeconfig === undefined) return demoBackends(table, options.directory, credential);
  const controller = { syncPeriodSeconds: syncPeriod };
  return realBackends(table, {
    kubeconfig,
    cluster,
    controller,
    aws: inRegion(),
    ...(context === undefined ? {} : { context }),
  });
}

interface Reached {
  readonly kubeconfig: string;
  readonly endpoint: string | undefined;
  readonly rows: readonly StartRow[];
  readonly dashboard: string;
  readonly metrics: string | undefined;
}

function banner(print: (line: string) => void, options: StartOptions, reached: Reached): void {
  const { kubeconfig, endpoint, rows, dashboard, metrics } = reached;
  const isDemo = options.kubeconfig === undefined;
  const row = (name: string, command: string) =>
    brokenCommand(`  ${name.padEnd(10)}`, command, terminalColumns()).forEach(print);
  const how = options.dryRun === true ? " in a dry run" : "";
  print(
    `ebb is running${how} on ${isDemo ? "a simulated cluster and simulated queues" : `cluster "${options.cluster}"`}.`,
  );
  for (const [name, text] of rows)
    wrapText(text, Math.max(40, terminalColumns() - 12)).forEach((line, at) =>
      print(`  ${(at === 0 ? name : "").padEnd(10)}${line}`),
    );
  row("cluster", `kubectl --kubeconfig ${kubeconfig} get deployments,pods`);
  if (endpoint === undefined) print(`  table     ${options.table} in DynamoDB`);
  else row("table", `${awsCommand(options.directory)} dynamodb --endpoint-url ${endpoint} scan --table-name ebb`);
  const where = tableFlags(options)
    .map((word) => ` ${word}`)
    .join("");
  row("HPAs", `${ebbCommand(process.env)} get hpa${where}${process.stdin.isTTY ? ", or press Enter" : ""}`);
  print("  stop      Ctrl-C");
  print(dashboardLine(dashboard));
  if (metrics !== undefined) print(metrics);
  print("");
}

function tableFlags({ table, directory }: StartOptions): readonly string[] {
  if (table !== undefined) return ["--table", table];
  return directory === homeDirectory ? [] : ["--directory", directory];
}

async function openDashboard(table: LocalTable, options: StartOptions): Promise<Dashboard> {
  const [now, isPaid, dollarsPerHour] = [() => Date.now(), options.table !== undefined, prices.vcpuHour];
  const caller = { ebb: ebbCommand(process.env).split(" "), flags: tableFlags(options), awsFlags: [], kubectl: byName };
  const directory = isPaid ? undefined : options.directory;
  const callerFor = (clusters: Parameters<typeof callerWith>[1]["entries"]) =>
    callerWith(caller, { entries: clusters, directory }, process.env);
  const [store, entries, files] = [compose.storeOn(table, { now }), openEntries(table), await pageFiles()];
  const history = compose.openHistoryReader(table, now);
  return serveDashboard({
    store,
    entries,
    history,
    now,
    pause: pauseUnlessAborted,
    callerFor,
    files,
    port: 0,
    isPaid,
    dollarsPerHour,
  });
}

function awsCommand(directory: string): string {
  return `AWS_SHARED_CREDENTIALS_FILE=${join(directory, stored.awsCredentials)} aws --profile ebb --region ${localRegion}`;
}
