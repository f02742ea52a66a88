import { createServer, type Server } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { ClassicLevel } from "classic-level";
import { closeOnFailure } from "../../../lib/async/closing";
import { sdkErrorOf } from "../../../lib/aws/fault";
import { CreateTableCommand, DescribeTableCommand, type DynamoClient } from "../../../lib/aws/http/dynamodb-commands";
import { errorText, Fault } from "../../../lib/model/fault";
import { dynamoClient } from "../../../lib/table/client";
import { tableDefinition } from "../../../lib/table/items/keys";
import { type LocalCredential, newCredential, localRegion } from "../../guard/signature";
import { guarded, type Listener } from "../../guard/guarded";
import { listenOnLoopback } from "../../guard/loopback";
import { makeFolder } from "../../guard/private-files";
import { answer } from "./operations";
import { openFiles, type TableFiles } from "./files";
import { type EntryListener, watchEntries } from "./watch-entries";

export interface EmbeddedTableOptions {
  /** Created if missing. Only one process at a time can use it. */
  readonly directory: string;
  readonly port?: number;
  readonly credential?: LocalCredential;
}

export interface EmbeddedTable {
  /** Also for `aws dynamodb --endpoint-url`. */
  readonly endpoint: string;
  readonly credential: LocalCredential;
  readonly table: string;
  readonly client: DynamoClient;
  /** Reports every changed HPA entry from now on. @returns a function that ends the watch. */
  readonly watch: (listener: EntryListener) => Promise<() => Promise<void>>;
  /** Resolves when the first write failed. Then the table refuses every write. */
  readonly failed: Promise<Fault>;
  close(): Promise<void>;
}

export const embeddedTableName = "ebb";

/**
 * dynalite over LevelDB files, on loopback, for signed requests.
 *
 * @throws Fault "conflict" when another process has the directory open, "unreachable" when the port is taken.
 */
export async function openEmbeddedTable(options: EmbeddedTableOptions): Promise<EmbeddedTable> {
  const { directory } = options;
  await makeFolder(directory, 0o700);
  const found = await open(options);
  if (found) return found;
  // A process was killed between CREATING and ACTIVE. The table is empty, and nothing will finish it.
  await ClassicLevel.destroy(directory);
  const created = await open(options);
  if (created) return created;
  throw new Fault(
    "timeout",
    `${directory}: the table was created and did not become ACTIVE in ${(polls * pollMs) / 1000} s`,
  );
}

async function open(options: EmbeddedTableOptions): Promise<EmbeddedTable | undefined> {
  const files = await openFiles(options.directory);
  return closeOnFailure(async (closing) => {
    closing.add(() => files.close());
    const table = await serve(files, options);
    closing.add(() => table.close());
    if (await createTable(table.client)) return table;
    await closing.close();
    return undefined;
  });
}

async function serve(
  files: TableFiles,
  { port = 0, credential = newCredential() }: EmbeddedTableOptions,
): Promise<EmbeddedTable> {
  const hearers = new Set<Listener>();
  const answering = new Set<Promise<void>>();
  const server = createServer(
    guarded({ service: "dynamodb", credential }, (request, response, body) => {
      for (const hear of hearers) hear(request, response, body);
      const answered = answer(files, request, response, body).finally(() => answering.delete(answered));
      answering.add(answered);
    }),
  );
  const own = await listenOnLoopback(server, port).catch((cause: unknown) => {
    throw new Fault("unreachable", `127.0.0.1:${port}: cannot listen for the table: ${errorText(cause)}`, { cause });
  });
  const endpoint = `http://127.0.0.1:${own}`;
  const client = dynamoClient({ endpoint, region: localRegion, credentials: credential });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    client.destroy();
    // Without its connection, a request goes on: dynalite throws out of a timer if the files are closed by then. It
    // may lose its answer, though.
    return (closing ??= closed(server)
      .then(() => (answering.size === 0 ? undefined : Promise.race([Promise.all(answering), wait(lastAnswersMs)])))
      .then(() => files.close()));
  };
  const watch = (listener: EntryListener) => watchEntries(hearers, { client, name: embeddedTableName }, listener);
  return { endpoint, credential, table: embeddedTableName, client, watch, failed: files.failed, close };
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

const lastAnswersMs = 500;

const polls = 80;
const pollMs = 25;

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
