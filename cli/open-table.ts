import { access } from "node:fs/promises";
import { join } from "node:path";
import { dynamoClient } from "../lib/table/client";
import type { Table } from "../lib/table/reads";
import { readRunFile } from "../local/run-file";
import { openEmbeddedTable } from "../local/table/embedded-table";
import { failure } from "./failure";
import type { Settings } from "./config/settings";

export interface OpenedTable {
  readonly table: Table;
  readonly close: () => Promise<void>;
}

/**
 * The table that the settings name: in DynamoDB (AWS_ENDPOINT_URL and the like are the SDK's to honour), in a running `ebb start`, or
 * in the files that one left behind. @throws Failure when none is named and none is here.
 */
export async function openTable(settings: Settings): Promise<OpenedTable> {
  const { table, directory, region, profile } = settings;
  if (table !== undefined) {
    return opened({ client: dynamoClient({ ...given("region", region), ...given("profile", profile) }), name: table });
  }
  const running = await readRunFile(directory);
  if (running !== undefined) {
    const credentials = { accessKeyId: "embedded", secretAccessKey: "embedded" };
    const client = dynamoClient({ endpoint: running.endpoint, region: "us-east-1", credentials });
    return opened({ client, name: running.table });
  }
  const files = join(directory, "table");
  if (!(await exists(files))) {
    const ways = "name one by --table, EBB_TABLE or a context, or make one here by `ebb start`";
    throw failure(`no table: none is named, and there is none in ${directory}; ${ways}`);
  }
  const embedded = await openEmbeddedTable({ directory: files });
  return { table: { client: embedded.client, name: embedded.table }, close: () => embedded.close() };
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

function given<Name extends string>(name: Name, value: string | undefined): { readonly [name in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [name in Name]: string });
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
