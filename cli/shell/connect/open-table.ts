import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as compose from "../../../compose";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import type { Table } from "../../../lib/table/reads";
import { openPrivateFolder } from "../../../local/guard/private-files";
import { localRegion } from "../../../local/guard/signature";
import { stored } from "../../../local/directory";
import { readRunFile } from "../../../local/run-file";
import { whenFree } from "../../../local/backends/table/when-free";
import { failure } from "../failure";
import type { Settings } from "../settings";
import { sdkErrorOf } from "../../../lib/aws/fault";
import type { DynamoClient } from "../../../lib/aws/http/dynamodb-commands";

/**
 * In DynamoDB (or at AWS_ENDPOINT_URL), in a running `ebb start`, or in its files. @throws Failure without any of these
 */
export async function openNamedTable(settings: Settings): Promise<OpenedTable> {
  const { table, directory, region, profile } = settings;
  if (table !== undefined) {
    const chosen = compose.openTable(table, { ...(region && { region }), ...(profile && { profile }) });
    await requireRegion(chosen);
    return opened(chosen);
  }
  if (settings.ambiguous !== undefined)
    throw failure(
      `${settings.ambiguous.join(" and ")} have a table each: choose one with --directory, or by its cluster with --cluster`,
    );
  const open = () =>
    whenFree(() => openLocalTable(directory), {
      now: () => Date.now(),
      pause: (ms) => pause(ms),
      waiting: (reason) => process.stderr.write(`waiting: ${escapeLine(reason)}\n`),
    });
  return followTable(await open(), open);
}

/** `ebb start` locks the files before it is reachable, so each attempt looks for both. */
async function openLocalTable(directory: string): Promise<OpenedTable> {
  const running = await readRunFile(directory);
  if (running !== undefined) {
    const { endpoint, credential: credentials } = running;
    return opened(compose.openTable(running.table, { endpoint, region: localRegion, credentials }));
  }
  const files = join(directory, stored.table);
  if (!(await exists(files))) {
    const ways = "choose one with --table, EBB_TABLE or a context, or run `ebb start` to create one";
    throw failure(`no table is chosen, and ${directory} has none: ${ways}`);
  }
  // LevelDB has no option for permissions and writes new files on each opening.
  process.umask(0o077);
  await openPrivateFolder(directory, Object.values(stored));
  const { openEmbeddedTable } = await import("../../../local/backends/table/embedded-table");
  const embedded = await openEmbeddedTable({ directory: files });
  return { table: { client: embedded.client, name: embedded.table }, close: () => embedded.close() };
}

const regionWays = "--region, AWS_REGION, AWS_DEFAULT_REGION or a profile that has one";

/** The SDK's own error suggests no fix. @throws Failure */
export async function requireRegion({ client }: Pick<Table, "client">, ways = regionWays): Promise<void> {
  try {
    await client.config.region();
  } catch (cause) {
    throw Object.assign(failure(`no AWS region is set for the table: choose one with ${ways}`), { cause });
  }
}

function opened(table: Table): OpenedTable {
  return {
    table,
    close() {
      table.client.destroy();
      return Promise.resolve();
    },
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

export interface OpenedTable {
  readonly table: Table;
  readonly close: () => Promise<void>;
}

/** `ebb start` may end while a command works. A refused request then goes to the files, or to the next run. */
export function followTable(first: OpenedTable, reopen: () => Promise<OpenedTable>): OpenedTable {
  const opened = [first];
  let current = Promise.resolve(first);
  let isClosed = false;

  const send: DynamoClient["send"] = async (command, options) => {
    const used = current;
    try {
      return await (await used).table.client.send(command, options);
    } catch (error) {
      if (isClosed || sdkErrorOf(error).code !== "ECONNREFUSED") throw error;
      if (current === used)
        current = reopen().then(async (next) => {
          opened.push(next);
          if (isClosed) await next.close();
          return next;
        });
      return (await current).table.client.send(command, options);
    }
  };
  const destroy = (): void => opened.forEach(({ table }) => table.client.destroy());
  return {
    table: { ...first.table, client: { ...first.table.client, send, destroy } },
    /** From then on a request opens no table: nobody would close it. */
    async close() {
      isClosed = true;
      for (const each of opened) await each.close();
    },
  };
}
