import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { parseAllDocuments } from "yaml";
import { validateHpa } from "../lib/api/validate-hpa";
import { dynamoClient } from "../lib/table/client";
import { putHpa, type Table } from "../local/entries";
import { demoFarEnds, realFarEnds, type FarEnds } from "../local/far-ends";
import { lineReporter } from "../local/line-reporter";
import { removeRunFile, writeRunFile } from "../local/run-file";
import { startLocal } from "../local/start";
import { openEmbeddedTable } from "../local/table/embedded-table";
import { printHpas } from "./get";

interface StartOptions {
  readonly directory: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster: string;
  readonly filename: readonly string[];
  readonly table?: string;
  readonly syncPeriod: number;
}

/** `ebb start`: everything on this machine. Without options the demo; with a kubeconfig a real cluster. */
export function startCommand(): Command {
  return new Command("start")
    .description("run ebb on this machine: a demo, or with --kubeconfig on a real cluster and real queues")
    .option("--directory <dir>", "where the table and the demo's state are kept", ".ebb")
    .option("--kubeconfig <file>", "act on the cluster of this kubeconfig instead of the demo's")
    .option("--context <name>", "the kubeconfig's context (default: its current one)")
    .option("--cluster <name>", "the cluster's name in the table", "default")
    .option("-f, --filename <file>", "put these HPAs (YAML or JSON) into the table first; repeatable", collect, [])
    .option(
      "--table <name>",
      "keep the table in DynamoDB, as the AWS settings of the environment say, instead of on disk",
    )
    .option("--sync-period <seconds>", "the cluster's sync period", seconds, 15)
    .action(run);
}

async function run(options: StartOptions): Promise<void> {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const embedded =
    options.table === undefined ? await openEmbeddedTable({ directory: join(options.directory, "table") }) : undefined;
  const table: Table = embedded ?? { client: dynamoClient(), table: options.table ?? "" };
  const farEnds = await openFarEnds(table, options);
  await putFiles(table, options);
  if (embedded !== undefined)
    await writeRunFile(options.directory, { pid: process.pid, endpoint: embedded.endpoint, table: embedded.table });

  const startedAt = Date.now();
  const reporter = lineReporter(print, { colour: process.stdout.isTTY });
  banner(print, options, farEnds, embedded?.endpoint);
  const local = startLocal(table, farEnds, reporter);
  const stopListening = onEnter(() => printHpas(table, print));

  await interrupted();
  stopListening();
  print("stopping");
  await local.stop();
  const { syncs, scalings, failures } = reporter.totals;
  print(
    `ran ${Math.round((Date.now() - startedAt) / 1000)} s: ${syncs} syncs, ${scalings} scalings, ${failures} failures`,
  );
  for (const line of farEnds.summary()) print(line);
  await farEnds.close();
  await removeRunFile(options.directory);
  if (embedded !== undefined) await embedded.close();
  print(`The table stays in ${options.table ?? options.directory}; start again to go on from it.`);
}

function openFarEnds(table: Table, options: StartOptions): Promise<FarEnds> {
  const { kubeconfig, context, cluster, syncPeriod } = options;
  if (kubeconfig === undefined) return demoFarEnds(table, options.directory);
  const controller = { syncPeriodSeconds: syncPeriod };
  return realFarEnds(table, { kubeconfig, cluster, controller, ...(context === undefined ? {} : { context }) });
}

/** @throws Error naming the file and the field; nothing is put unless every document of the files is valid. */
async function putFiles(table: Table, { filename, cluster, kubeconfig }: StartOptions): Promise<void> {
  const texts = await Promise.all(filename.map(async (file) => ({ file, text: await readFile(file, "utf8") })));
  const hpas = texts.flatMap(({ file, text }) =>
    parseAllDocuments(text).map((document) => {
      const [syntax] = document.errors;
      if (syntax !== undefined) throw new Error(`${file}: ${syntax.message}`);
      const json: unknown = document.toJS();
      const { errors, hpa } = validateHpa(json);
      if (hpa === undefined || errors.length > 0) throw new Error(`${file}: ${errors.join("; ")}`);
      return hpa;
    }),
  );
  for (const hpa of hpas) await putHpa(table, kubeconfig === undefined ? "demo" : cluster, hpa);
}

function banner(
  print: (line: string) => void,
  options: StartOptions,
  farEnds: FarEnds,
  endpoint: string | undefined,
): void {
  const isDemo = options.kubeconfig === undefined;
  print(
    isDemo
      ? "ebb is running on a simulated cluster and simulated queues."
      : `ebb is running on cluster "${options.cluster}".`,
  );
  print(`  cluster   kubectl --kubeconfig ${farEnds.kubeconfig} get deployments,pods`);
  print(
    `  table     ${endpoint === undefined ? `DynamoDB table ${options.table}` : `aws dynamodb --endpoint-url ${endpoint} --region us-east-1 scan --table-name ebb`}`,
  );
  print(`  HPAs      npm run -s ebb -- get hpa${process.stdin.isTTY ? ", or press Enter" : ""}`);
  print("  stop      Ctrl-C");
  print("");
}

/** Enter prints all HPAs at a glance. */
function onEnter(print: () => Promise<void>): () => void {
  if (!process.stdin.isTTY) return () => {};
  const listen = () => void print().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  process.stdin.on("data", listen);
  return () => {
    process.stdin.off("data", listen);
    process.stdin.pause();
  };
}

/** The first Ctrl-C (or SIGTERM) ends the run cleanly; a second one ends the process. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 3 || value > 3600)
    throw new InvalidArgumentError("expected whole seconds from 3 to 3600");
  return value;
}
