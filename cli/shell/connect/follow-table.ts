import { sdkErrorOf } from "../../../lib/aws/fault";
import type { DynamoClient } from "../../../lib/aws/json/dynamodb-commands";
import type { Table } from "../../../lib/table/reads";

export interface OpenedTable {
  readonly table: Table;
  readonly close: () => Promise<void>;
}

/**
 * A running `ebb start` may end while a command works. A refused request then goes to the files, or to the next run.
 */
export function followTable(first: OpenedTable, reopen: () => Promise<OpenedTable>): OpenedTable {
  const opened = [first];
  let current = Promise.resolve(first);

  const send: DynamoClient["send"] = async (command, options) => {
    const used = current;
    try {
      return await (await used).table.client.send(command, options);
    } catch (error) {
      if (sdkErrorOf(error).code !== "ECONNREFUSED") throw error;
      // The first refused request reopens the table for the others.
      if (current === used)
        current = reopen().then((next) => {
          opened.push(next);
          return next;
        });
      return (await current).table.client.send(command, options);
    }
  };
  const destroy = (): void => opened.forEach(({ table }) => table.client.destroy());
  return {
    table: { ...first.table, client: { ...first.table.client, send, destroy } },
    async close() {
      for (const each of opened) await each.close();
    },
  };
}
