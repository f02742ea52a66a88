import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as compose from "../../../compose";
import { closeAll } from "../../../lib/async/closing";
import { type Fault, isFault } from "../../../lib/model/fault";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { whenFree } from "../../../local/backends/table/when-free";
import { stored } from "../../../local/directory";
import type { LocalCredential } from "../../../local/guard/signature";
import { type HeldDirectory, holdDirectory } from "../../../local/hold-directory";
import { readRunFile, removeRunFile } from "../../../local/run-file";
import type { LocalTable } from "../../../local/start";
import { requireRegion } from "../../shell/connect/open-table";
import { failure } from "../../shell/failure";
import { defaultRegion } from "../../shell/settings";

export const wallClock = { now: () => Date.now(), pause: (ms: number) => pause(ms) };

export async function holdTable({ table, kubeconfig, directory }: TableOptions): Promise<HeldDirectory | undefined> {
  if (table !== undefined && kubeconfig !== undefined) return undefined;
  return whenFree(async () => {
    try {
      return await holdDirectory(directory);
    } catch (error) {
      if (isFault(error, "conflict") && (await readRunFile(directory)) !== undefined) throw failure(error.message);
      throw error;
    }
  }, wallClock);
}

interface TableOptions {
  readonly table?: string;
  readonly kubeconfig?: string;
  readonly directory: string;
}

interface OpenTable {
  readonly table: LocalTable;
  readonly endpoint?: string;
  /** Resolves when the table on disk can no longer be written. */
  readonly failed?: Promise<Fault>;
  readonly close: () => Promise<void>;
}

export async function openStartTable(
  { table: name, directory }: TableOptions,
  credential: LocalCredential,
): Promise<OpenTable> {
  if (name !== undefined) {
    const table = compose.openTable(name, inRegion());
    await requireRegion(table, "AWS_REGION, AWS_DEFAULT_REGION or an AWS_PROFILE that has one");
    return { table, close: () => Promise.resolve() };
  }
  const embedded = await whenFree(
    () => openEmbeddedTable({ directory: join(directory, stored.table), credential }),
    wallClock,
  );
  const { client, table, endpoint, watch, failed } = embedded;
  return {
    table: { client, name: table, watch },
    ...{ endpoint, failed },
    close: () => closeAll([() => removeRunFile(directory), () => embedded.close()]),
  };
}

/** The SDK does not read AWS_DEFAULT_REGION. */
export function inRegion(): { readonly region?: string } {
  const region = defaultRegion(process.env);
  return region === undefined ? {} : { region };
}
