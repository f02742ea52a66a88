import { readFile } from "node:fs/promises";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import type { GivenKubeconfig } from "../../../lib/cluster/auth/given-kubeconfig";
import { isPaused, readOperations } from "../../../lib/model/entry/annotations";
import { validateHpaEntry } from "../../../lib/model/entry/validate-hpa-entry";
import { openEntries } from "../../../lib/table/entries";
import type { Table } from "../../../lib/table/reads";
import { unreadable } from "../../shell/input/read-inputs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import { stored } from "../../../local/directory";
import { demoCluster, hasTable, homeDirectory } from "../../../local/stored-tables";
import { readRunFile } from "../../../local/run-file";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { whenFree } from "../../../local/backends/table/when-free";
import { failure } from "../../shell/failure";
import { globalOptions } from "../../shell/global-options";

export interface ActingOn {
  readonly cluster: string;
  readonly kubeconfig: GivenKubeconfig;
  readonly dryRun: boolean;
}

export type StartRow = readonly [name: string, text: string];

export async function actsOn(table: Table, { cluster, kubeconfig, dryRun }: ActingOn): Promise<readonly StartRow[]> {
  const { context, server } = await contextOf(kubeconfig);
  const targets = await targetsOf(table, cluster);
  const count = `${targets.length} target${targets.length === 1 ? "" : "s"}`;
  const all = targets.length === 0 ? "" : `: ${listed(targets)}`;
  const writes = dryRun
    ? `no scale (dry run): it decides and records for ${count}${all}`
    : `the scale of ${targets.length === 0 ? "what your HPAs target; there is no HPA yet" : count}${all}`;
  return [
    ["acts on", `context ${escapeLine(context)}, ${escapeLine(server)} (${kubeconfig.file})`],
    ["writes", writes],
  ];
}

async function contextOf({ file, context }: GivenKubeconfig) {
  const { readKubeconfig } = await import("../../../lib/cluster/auth/kubeconfig-auth");
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw unreadable(file, error);
  });
  return readKubeconfig({ text, where: file, file, ...(context !== undefined && { context }) });
}

const limitMs = 30_000;

async function targetsOf(table: Table, cluster: string): Promise<readonly string[]> {
  const now = Date.now();
  const entries = await openEntries(table).list("HorizontalPodAutoscaler", { cluster }, AbortSignal.timeout(limitMs));
  return entries.flatMap(({ ref, document }) => {
    const { hpa } = validateHpaEntry(document);
    const operations = hpa && readOperations(hpa.metadata);
    if (operations === undefined || "errors" in operations || operations.dryRun || isPaused(operations, now)) return [];
    const { kind, name } = hpa?.spec.scaleTargetRef ?? {};
    return [`${ref.namespace ?? ""}/${kind}/${name}`];
  });
}

const mostListed = 10;

function listed(targets: readonly string[]): string {
  const more = targets.length > mostListed ? `, and ${targets.length - mostListed} more` : "";
  return targets.slice(0, mostListed).map(escapeLine).join(", ") + more;
}

interface Given {
  readonly kubeconfig?: string;
  readonly cluster: string;
}

/** Refuses options without an effect. @throws Failure that says where they belong */
export function refuseUnused(command: Command, { kubeconfig, cluster }: Given): void {
  const before = command.parent === null ? [] : Object.keys(globalOptions(command.parent));
  const [early] = command.parent?.options.filter((option) => before.includes(option.attributeName())) ?? [];
  if (early !== undefined)
    throw failure(`${early.long}: \`ebb start\` takes its options after its name; see \`ebb start --help\``);
  const isGiven = (option: string) => command.getOptionValueSource(option) === "cli";
  if (kubeconfig === undefined) {
    if (isGiven("context")) throw failure("--context chooses a context of --kubeconfig: name the kubeconfig, too");
    if (isGiven("cluster") && cluster !== demoCluster)
      throw failure("--cluster names a cluster of your own: add its --kubeconfig");
    if (isGiven("syncPeriod")) throw failure("--sync-period is of a cluster of your own: add its --kubeconfig");
  }
}

/** An earlier version kept a cluster in the demo's table. A new table would not know its zeros. @throws Failure */
export async function refuseSecondTable(directory: string, cluster: string): Promise<void> {
  if ((await hasTable(directory)) || !(await hasTable(homeDirectory))) return;
  if ((await readRunFile(homeDirectory)) !== undefined) return;
  const embedded = await whenFree(() => openEmbeddedTable({ directory: join(homeDirectory, stored.table) }), {
    now: () => Date.now(),
    pause: (ms) => pause(ms),
  });
  try {
    const entries = openEntries({ client: embedded.client, name: embedded.table });
    const known = await entries.list("Cluster", { cluster }, AbortSignal.timeout(30_000));
    if (known.length === 0) return;
  } finally {
    await embedded.close();
  }
  throw failure(
    `the table in ${homeDirectory} already has the cluster "${cluster}": ` +
      `continue with it by --directory ${homeDirectory}, or begin a new table by --directory ${directory}`,
  );
}
