import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { toItem } from "../../lib/table/attributes";
import type { Table } from "../../lib/table/reads";
import { openEmbeddedTable } from "../../local/table/embedded-table";

export interface TableFixture {
  readonly table: Table;
  /** Writes an item as a person would, by hand. */
  put(item: object): Promise<void>;
  close(): Promise<void>;
}

/** A table of its own on this machine, empty. */
export async function openTableFixture(): Promise<TableFixture> {
  const directory = mkdtempSync(join(tmpdir(), "ebb-cli-"));
  const embedded = await openEmbeddedTable({ directory });
  const table = { client: embedded.client, name: embedded.table };
  return {
    table,
    async put(item) {
      await table.client.send(new PutItemCommand({ TableName: table.name, Item: toItem(item) }));
    },
    async close() {
      await embedded.close();
      await rm(directory, { recursive: true });
    },
  };
}
