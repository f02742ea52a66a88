import { getHeapStatistics } from "node:v8";
import type { Command } from "commander";
import { storeOn } from "../../compose";
import { closeAfter } from "../../lib/async/closing";
import type { Entries } from "../../lib/model/ports/entries";
import { openEntries } from "../../lib/table/entries";
import type { Table } from "../../lib/table/reads";
import type { TableStore } from "../../lib/table/store";
import type { ClusterEntry } from "../../lib/model/entry/entries";
import { type Caller, callerOf, callerWith } from "./advice/caller";
import { globalOptions } from "./global-options";
import { openOutput, type Output } from "./output";
import { type ClusterChoice, chooseCluster } from "./connect/choose-cluster";
import { resolveSettings, type Settings } from "./settings";
import type { CliEnvironment } from "./environment";

export interface Session extends ClusterChoice {
  readonly settings: Settings;
  readonly table: Table;
  readonly entries: Entries;
  readonly store: TableStore;
  readonly out: Output;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly pause: CliEnvironment["pause"];
  readonly callerFor: (clusters: readonly (ClusterEntry | undefined)[]) => Promise<Caller>;
}

/** `run` may return the exit code. */
export async function withSession(
  environment: CliEnvironment,
  command: Command,
  run: (session: Session) => Promise<number | void>,
): Promise<void> {
  const { now, pause, env, interrupted: signal } = environment;
  const options = globalOptions(command);
  const settings = await resolveSettings(options, env);
  const { table, close } = await environment.openTable(settings);
  await closeAfter(async (closing) => {
    closing.add(close);
    const store = storeOn(table, { now, loadMemory: memoryOfLoad, moreMemory });
    const out = openOutput(environment, options.color);
    const entries = openEntries(table);
    const choice = chooseCluster(settings, { store, entries, signal });
    const caller = callerOf(command, settings, env);
    const directory = settings.table === undefined ? settings.directory : undefined;
    const callerFor = (clusters: Parameters<Session["callerFor"]>[0]) =>
      callerWith(caller, { entries: clusters, directory }, env);
    const session = { settings, table, entries, store, out, signal, now, pause, callerFor, ...choice };
    const code = await run(session);
    if (code !== undefined) environment.exitWith(code);
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    environment.exitWith(interruptedExit);
  });
}

const moreMemory = "give the command more memory, such as with NODE_OPTIONS=--max-old-space-size=8192";

/** Up to four loads run at once, and need room for their output. */
function memoryOfLoad(): number {
  const { heap_size_limit: most, used_heap_size: used } = getHeapStatistics();
  return Math.max(0, most - used) / 6;
}

/** 128 + SIGINT. */
const interruptedExit = 130;
