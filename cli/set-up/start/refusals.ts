import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import { openEntries } from "../../../lib/table/entries";
import { stored } from "../../../local/directory";
import { demoCluster, hasTable, homeDirectory } from "../../../local/stored-tables";
import { readRunFile } from "../../../local/run-file";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { whenFree } from "../../../local/backends/table/when-free";
import { failure } from "../../shell/failure";
import { globalOptions } from "../../shell/global-options";

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
