import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { CreateTableCommand, DescribeTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { ResourceInUseException, ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { ClassicLevel } from "classic-level";
import dynalite from "dynalite";
import { Fault } from "../../lib/model/fault";
import { dynamoClient } from "../../lib/table/client";
import { tableDefinition } from "../../lib/table/items/keys";
import { type EntryListener, watchEntries } from "./watch-entries";
import { compareDocuments } from "./compare-documents";

export interface EmbeddedTableOptions {
  /** The directory of the table's files, created if missing. Only one process at a time can use it. */
  readonly directory: string;
  /** Default 0: a free port. */
  readonly port?: number;
}

export interface EmbeddedTable {
  /** http://127.0.0.1:<port>, also for `aws dynamodb --endpoint-url`. */
  readonly endpoint: string;
  /** The table's name. */
  readonly table: string;
  readonly client: DynamoDBClient;
  /** Reports every HPA entry that changes from now on. @returns a function that ends the watch. */
  readonly watch: (listener: EntryListener) => Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export const embeddedTableName = "ebb";

/** dynalite accepts any. Without these, the SDK would look for real ones. */
const credentials = { accessKeyId: "embedded", secretAccessKey: "embedded" };

/**
 * A DynamoDB on this machine: dynalite over LevelDB files, loopback only, with the table in it.
 *
 * @throws Fault conflict when another process holds the directory, unreachable when the port is taken.
 */
export async function openEmbeddedTable(options: EmbeddedTableOptions): Promise<EmbeddedTable> {
  const { directory } = options;
  await mkdir(directory, { recursive: true });
  await refuseLocked(directory);
  const found = await open(options);
  if (found) return found;
  // A process was killed between CREATING and ACTIVE. The table holds no item, and nothing will finish it.
  await ClassicLevel.destroy(directory);
  const anew = await open(options);
  if (anew) return anew;
  throw new Fault(
    "timeout",
    `${directory}: the table was created and did not become ACTIVE in ${(polls * pollMs) / 1000} s`,
  );
}

/** undefined, and closed again, if the table stays CREATING. */
async function open({ directory, port = 0 }: EmbeddedTableOptions): Promise<EmbeddedTable | undefined> {
  const table = await serve(directory, port);
  try {
    if (await createTable(table.client)) return table;
  } catch (error) {
    await table.close();
    throw error;
  }
  await table.close();
  return undefined;
}

/** dynalite opens its files late and throws where nothing can catch it. So this first tries to open them. */
async function refuseLocked(directory: string): Promise<void> {
  const probe = new ClassicLevel(directory);
  try {
    await probe.open();
    await probe.close();
  } catch (cause) {
    const code = (cause as { cause?: { code?: string } }).cause?.code;
    if (code === "LEVEL_LOCKED") {
      const hint = "stop the other one, or give this one a directory of its own";
      throw new Fault("conflict", `${directory}: another running ebb holds this table: ${hint}`, { cause });
    }
    throw new Fault("unreachable", `${directory}: the table's files cannot be opened: ${reasonOf(cause)}`, { cause });
  }
}

async function serve(directory: string, port: number): Promise<EmbeddedTable> {
  compareDocuments();
  const server = dynalite({ path: directory, createTableMs: 0 });
  surviveAbortedRequests(server);
  try {
    await listen(server, port);
  } catch (cause) {
    // Only a listening server closes its files.
    await listen(server, 0);
    await closed(server);
    throw new Fault("unreachable", `127.0.0.1:${port}: cannot listen for the table: ${reasonOf(cause)}`, { cause });
  }
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = dynamoClient({ endpoint, region: "us-east-1", credentials });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    client.destroy();
    return (closing ??= closed(server));
  };
  const watch = (listener: EntryListener) => watchEntries(server, { client, name: embeddedTableName }, listener);
  return { endpoint, table: embeddedTableName, client, watch, close };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

/** dynalite throws a client's broken connection as an uncaught exception, which would end this process. */
function surviveAbortedRequests(server: Server): void {
  const [answer] = server.listeners("request") as RequestListener[];
  if (answer === undefined) throw new Error("dynalite: expected a server with a request listener, got none");
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response) => {
    answer(request, response);
    request.removeAllListeners("error");
    // The client is gone and sees the error on its side, so there is nothing to answer.
    request.on("error", () => response.destroy());
  });
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.close((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

const polls = 80;
const pollMs = 25;

/** True once the table is ACTIVE; false if it stays CREATING. */
async function createTable(client: DynamoDBClient): Promise<boolean> {
  if ((await status(client)) === undefined) await create(client);
  for (let poll = 0; poll < polls; poll++) {
    if ((await status(client)) === "ACTIVE") return true;
    await wait(pollMs);
  }
  return false;
}

async function create(client: DynamoDBClient): Promise<void> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(embeddedTableName)));
  } catch (error) {
    // The SDK's retry arrives after its first attempt succeeded.
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}

async function status(client: DynamoDBClient): Promise<string | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: embeddedTableName }));
    return Table?.TableStatus;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

function reasonOf(cause: unknown): string {
  const { message, cause: deeper } = cause as { message?: string; cause?: { message?: string } };
  return deeper?.message ?? message ?? String(cause);
}
