import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  DynamoDBClient,
  ExecuteStatementCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { build } from "esbuild";
import { type EmbeddedTable, openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { openFiles } from "../../local/backends/table/files";
import { operations } from "../../local/backends/table/operations";
import { draftOf } from "../../local/backends/table/write-item";

let directory: string;
let table: EmbeddedTable | undefined;

beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), "ebb-operations-"))));
afterEach(async () => {
  await table?.close();
  table = undefined;
  await rm(directory, { recursive: true });
});

async function client(): Promise<DynamoDBClient> {
  table = await openEmbeddedTable({ directory });
  const { endpoint, credential: credentials } = table;
  return new DynamoDBClient({ endpoint, region: "us-east-1", credentials, maxAttempts: 1 });
}

test("an operation that is not there is refused by name, with what there is", async () => {
  const refused = (await client()).send(new ExecuteStatementCommand({ Statement: "SELECT * FROM ebb" }));
  await expect(refused).rejects.toMatchObject({
    name: "UnknownOperationException",
    message: expect.stringMatching(
      /^the local table has no DynamoDB_20120810\.ExecuteStatement; it has BatchGetItem, .*TransactWriteItems/,
    ) as unknown,
  });
});

test.each([
  ["nothing", ""],
  ["no JSON", "{"],
  ["no object", "[1]"],
  ["null", "null"],
  ["a text", '"x"'],
])("a body with %s is refused", async (_case, body) => {
  const dynamo = await client();
  // Before it is signed.
  dynamo.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { body: string; headers: Record<string, string> };
      request.body = body;
      request.headers["content-length"] = String(body.length);
      return next(args);
    },
    { step: "build", priority: "low" },
  );
  await expect(dynamo.send(new ScanCommand({ TableName: "ebb" }))).rejects.toMatchObject({
    name: "SerializationException",
  });
});

test("hostile names and keys are refused, and the table goes on", async () => {
  const dynamo = await client();
  const names = ["../../etc", "ebb~x", "constructor", "__proto__", "", "x".repeat(10_000)];
  for (const TableName of names) {
    await expect(dynamo.send(new ScanCommand({ TableName }))).rejects.toMatchObject({ $fault: "client" });
    const write = { Put: { TableName, Item: { pk: { S: "a" }, sk: { S: "b" } } } };
    await expect(dynamo.send(new TransactWriteItemsCommand({ TransactItems: [write] }))).rejects.toMatchObject({
      $fault: "client",
    });
  }
  for (const Item of [{}, { pk: { N: "1" }, sk: { S: "x" } }, { pk: { S: "" }, sk: { S: "x" } }])
    await expect(dynamo.send(new PutItemCommand({ TableName: "ebb", Item }))).rejects.toMatchObject({
      name: "ValidationException",
    });
  const odd = { pk: { S: "__proto__" }, sk: { S: "constructor" }, ["__proto__"]: { S: "x" }, toString: { S: "y" } };
  await dynamo.send(new PutItemCommand({ TableName: "ebb", Item: odd }));
  expect((await dynamo.send(new ScanCommand({ TableName: "ebb" }))).Count).toBe(1);
});

test("a write drafts its item and its index entries, and writes them as one", async () => {
  const files = await openFiles(directory);
  const { store } = files;
  const definition = {
    ...{ TableName: "indexed", BillingMode: "PAY_PER_REQUEST" },
    AttributeDefinitions: ["a", "b"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: [{ AttributeName: "a", KeyType: "HASH" }],
    GlobalSecondaryIndexes: [
      {
        ...{ IndexName: "by-b", KeySchema: [{ AttributeName: "b", KeyType: "HASH" }] },
        Projection: { ProjectionType: "ALL" },
      },
    ],
  };
  await operations["CreateTable"]?.(files, definition);
  const batches: number[] = [];
  const write = jest.spyOn(store.db, "batch");
  write.mockImplementation((writes) => {
    batches.push(writes.length);
    return Promise.resolve();
  });
  const Item = { a: { S: "1" }, b: { S: "2" } };
  // A table becomes ACTIVE after its creation was answered.
  const put = async (): Promise<void> => {
    await operations["PutItem"]?.(files, { TableName: "indexed", Item });
  };
  while (batches.length === 0) await put().catch(() => undefined);
  expect(batches).toEqual([2]);
  write.mockRestore();
  await files.close();
});

test("after a write that failed nothing is written, whatever the disk says later", async () => {
  const files = await openFiles(directory);
  const write = jest.spyOn(files.store.db, "batch");
  const full = Object.assign(new Error("IO error: 000004.log: No space left on device"), { code: "LEVEL_IO_ERROR" });
  write.mockRejectedValueOnce(full);
  const { writes } = draftOf(files.store);
  const sentence = `${directory}: the disk is full: free some space, then run the command again; what was saved until now is still there`;
  await expect(files.write(writes)).rejects.toMatchObject({ kind: "unreachable", message: sentence });
  await expect(files.write(writes)).rejects.toThrow(sentence);
  await expect(operations["DeleteTable"]?.(files, { TableName: "ebb" })).rejects.toThrow(sentence);
  expect(write).toHaveBeenCalledTimes(1);
  expect((await files.failed).message).toBe(sentence);
  write.mockRestore();
  await files.close();
});

describe("killed in the middle of transactions", () => {
  const root = join(__dirname, "../..");
  const script = join(root, ".cache/test/operations-child.cjs");
  let child: ChildProcess;

  beforeAll(async () => {
    await build({
      stdin: { contents: childSource, resolveDir: root, loader: "ts" },
      ...{
        outfile: script,
        bundle: true,
        platform: "node",
        external: ["dynalite", "classic-level"],
        logLevel: "error",
      },
    });
  });
  afterEach(() => child.kill("SIGKILL"));

  test.each([1, 2, 5, 17, 40])(
    "after %s of them the table has each whole, in the table and in its index",
    async (many) => {
      child = spawn(process.execPath, [script, directory], { stdio: ["ignore", "pipe", "inherit"] });
      let confirmed = 0;
      for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
        confirmed = Number(line);
        if (confirmed >= many) break;
      }
      child.kill("SIGKILL");
      await once(child, "exit");
      const dynamo = await client();
      const { Items = [] } = await dynamo.send(new ScanCommand({ TableName: "ebb" }));
      const numbers = Items.map(({ number }) => Number(number?.N));
      // All ten items of a transaction have its number, and no transaction that was confirmed is missing.
      expect(new Set(numbers).size).toBe(1);
      expect(numbers).toHaveLength(10);
      expect(numbers[0]).toBeGreaterThanOrEqual(confirmed);
      const indexed = await dynamo.send(
        new QueryCommand({
          ...{ TableName: "ebb", IndexName: "by-kind", KeyConditionExpression: "sk = :sk" },
          ExpressionAttributeValues: { ":sk": { S: `turn-${(numbers[0] ?? 0) % 2}` } },
        }),
      );
      expect(indexed.Count).toBe(10);
      const other = await dynamo.send(
        new QueryCommand({
          ...{ TableName: "ebb", IndexName: "by-kind", KeyConditionExpression: "sk = :sk" },
          ExpressionAttributeValues: { ":sk": { S: `turn-${((numbers[0] ?? 0) + 1) % 2}` } },
        }),
      );
      expect(other.Count).toBe(0);
    },
  );
});

/** Each transaction moves ten items to the other sort key, and gives them its number. */
const childSource = `
  import { openEmbeddedTable } from "./local/backends/table/embedded-table";
  import { commandOf } from "./lib/aws/http/json-client";
  const Transact = commandOf("TransactWriteItems");
  async function main() {
    const { client } = await openEmbeddedTable({ directory: process.argv[2]! });
    for (let number = 1; ; number += 1) {
      const key = (item: number, turn: number) => ({ pk: { S: "item-" + item }, sk: { S: "turn-" + (turn % 2) } });
      const TransactItems = Array.from({ length: 10 }, (_, item) => [
        { Put: { TableName: "ebb", Item: { ...key(item, number), number: { N: String(number) } } } },
        { Delete: { TableName: "ebb", Key: key(item, number + 1) } },
      ]).flat();
      await client.send(new Transact({ TransactItems }));
      console.log(number);
    }
  }
  void main();
`;
