import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { CreateTableCommand, DescribeTableCommand, type DynamoClient } from "../../lib/aws/json/dynamodb-commands";
import { sdkErrorOf } from "../../lib/aws/fault";
import { ClassicLevel } from "classic-level";
import dynalite from "dynalite";
import { Fault } from "../../lib/model/fault";
import { dynamoClient } from "../../lib/table/client";
import { tableDefinition } from "../../lib/table/items/keys";
import { type LocalCredential, newCredential } from "../guard/credential";
import { guarded, type Listener } from "../guard/guarded";
import { makeFolder } from "../guard/make-folder";
import { localRegion } from "../guard/signature";
import { type EntryListener, watchEntries } from "./watch-entries";
import { compareDocuments } from "./compare-documents";

export interface EmbeddedTableOptions {
  /** The directory of the table's files, created if missing. Only one process at a time can use it. */
  readonly directory: string;
  /** Default 0: a free port. */
  readonly port?: number;
  /** What its clients sign with. Default: a random one. */
  readonly credential?: LocalCredential;
}

export interface EmbeddedTable {
  /** http://127.0.0.1:<port>, also for `aws dynamodb --endpoint-url`. */
  readonly endpoint: string;
  /** The server refuses requests that are signed with another, or not at all. */
  readonly credential: LocalCredential;
  /** The table's name. */
  readonly table: string;
  readonly client: DynamoClient;
  /** Reports every HPA entry that changes from now on. @returns a function that ends the watch. */
  readonly watch: (listener: EntryListener) => Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export const embeddedTableName = "ebb";

/**
 * A DynamoDB on this machine: dynalite over LevelDB files, with the table in it. On loopback, for clients that sign.
 *
 * @throws Fault conflict when another process holds the directory, unreachable when the port is taken.
 */
export async function openEmbeddedTable(options: EmbeddedTableOptions): Promise<EmbeddedTable> {
  const { directory } = options;
  await makeFolder(directory, 0o700);
  await refuseLocked(directory);
  const found = await open(options);
  if (found) return found;
  // A process was killed between CREATING and ACTIVE. The table holds no item, and nothing will finish it.
  await ClassicLevel.destroy(directory);
  const created = await open(options);
  if (created) return created;
  throw new Fault(
    "timeout",
    `${directory}: the table was created and did not become ACTIVE in ${(polls * pollMs) / 1000} s`,
  );
}

/** undefined, and closed again, if the table stays CREATING. */
async function open(options: EmbeddedTableOptions): Promise<EmbeddedTable | undefined> {
  const table = await serve(options);
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

async function serve({
  directory,
  port = 0,
  credential = newCredential(),
}: EmbeddedTableOptions): Promise<EmbeddedTable> {
  compareDocuments();
  const server = dynalite({ path: directory, createTableMs: 0 });
  const hearers = guard(server, credential);
  try {
    await listen(server, port);
  } catch (cause) {
    // Only a listening server closes its files.
    await listen(server, 0);
    await closed(server);
    throw new Fault("unreachable", `127.0.0.1:${port}: cannot listen for the table: ${reasonOf(cause)}`, { cause });
  }
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = dynamoClient({ endpoint, region: localRegion, credentials: credential });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    client.destroy();
    return (closing ??= closed(server));
  };
  const watch = (listener: EntryListener) => watchEntries(hearers, { client, name: embeddedTableName }, listener);
  return { endpoint, credential, table: embeddedTableName, client, watch, close };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

/**
 * Lets only the table's own clients through. dynalite itself answers every web page and checks no signature, and it
 * throws a client's broken connection as an uncaught exception. It gets each request once it is complete.
 *
 * @returns what hears each request before dynalite answers it.
 */
function guard(server: Server, credential: LocalCredential): Set<Listener> {
  const [answer] = server.listeners("request") as RequestListener[];
  if (answer === undefined) throw new Error("dynalite: expected a server with a request listener, got none");
  const hearers = new Set<Listener>();
  const listener = guarded({ service: "dynamodb", credential }, (request, response, body) => {
    for (const hear of hearers) hear(request, response, body);
    const { headers, method, url } = request;
    const complete = Object.assign(Readable.from(body.length === 0 ? [] : [body]), { headers, method, url });
    answer(complete as unknown as IncomingMessage, response);
  });
  server.removeAllListeners("request");
  server.on("request", listener);
  return hearers;
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
async function createTable(client: DynamoClient): Promise<boolean> {
  if ((await status(client)) === undefined) await create(client);
  for (let poll = 0; poll < polls; poll++) {
    if ((await status(client)) === "ACTIVE") return true;
    await wait(pollMs);
  }
  return false;
}

async function create(client: DynamoClient): Promise<void> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(embeddedTableName)));
  } catch (error) {
    // The SDK's retry arrives after its first attempt succeeded.
    if (sdkErrorOf(error).name !== "ResourceInUseException") throw error;
  }
}

async function status(client: DynamoClient): Promise<string | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: embeddedTableName }));
    return Table?.TableStatus;
  } catch (error) {
    if (sdkErrorOf(error).name === "ResourceNotFoundException") return undefined;
    throw error;
  }
}

function reasonOf(cause: unknown): string {
  const { message, cause: deeper } = cause as { message?: string; cause?: { message?: string } };
  return deeper?.message ?? message ?? String(cause);
}
