import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DescribeTableCommand } from "../../lib/aws/http/dynamodb-commands";
import { ClassicLevel } from "classic-level";
import { build } from "esbuild";
import { openStore } from "../../lib/table/store";
import {
  type EmbeddedTable,
  embeddedTableName,
  type EmbeddedTableOptions,
  openEmbeddedTable,
} from "../../local/backends/table/embedded-table";
import { noLimit } from "../time/no-limit";

const signal = noLimit();
const root = join(__dirname, "../..");
const script = join(root, ".cache/test/embedded-table-child.cjs");
const shard = { cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 3 };

let directory: string;
const opened: EmbeddedTable[] = [];
const children: ChildProcess[] = [];

async function open(options: Partial<EmbeddedTableOptions> = {}): Promise<EmbeddedTable> {
  const table = await openEmbeddedTable({ directory, ...options });
  opened.push(table);
  return table;
}

const storeOf = ({ client, table }: EmbeddedTable) => openStore({ client, table, now: () => 0 });

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "ebb-table-"));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await Promise.all(opened.splice(0).map((table) => table.close()));
  await rm(directory, { recursive: true });
});

test("a directory that is not there is made, with an ACTIVE table in it, on loopback", async () => {
  const table = await open({ directory: join(directory, "deep", "table") });
  const { Table } = await table.client.send(new DescribeTableCommand({ TableName: table.table }));
  expect(Table).toMatchObject({ TableStatus: "ACTIVE", GlobalSecondaryIndexes: [{ IndexName: "by-kind" }] });
  expect(table.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test("written items survive a restart, closing is clean, and so is closing twice", async () => {
  const first = await open();
  await storeOf(first).createShard(shard, signal);
  await first.close();
  await first.close();
  expect(await storeOf(await open()).shard(shard, signal)).toEqual(shard);
});

test("closing lets requests end that nobody waits for any more, however far they are", async () => {
  for (let ticks = 0; ticks < 30; ticks++) {
    const table = await open();
    const load = storeOf(table).load({ cluster: "prod", from: "", to: "\uffff" }, signal);
    const ended = Promise.allSettled([load]);
    for (let tick = 0; tick < ticks; tick++) await new Promise((resolve) => setImmediate(resolve));
    await table.close();
    await ended;
  }
});

test("a second opening of a directory in use is refused with what to do", async () => {
  await open();
  await expect(openEmbeddedTable({ directory })).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringMatching(
      /: process \d+ \(`.*`\) holds this table: wait for it, stop it, or give this one a directory of its own$/,
    ) as unknown,
  });
});

test("a port in use is refused, and the directory is free again", async () => {
  const other = await mkdtemp(join(directory, "other-"));
  const port = Number(new URL((await open({ directory: other })).endpoint).port);
  await expect(openEmbeddedTable({ directory, port })).rejects.toMatchObject({
    kind: "unreachable",
    message: expect.stringContaining(`127.0.0.1:${port}`) as string,
  });
  await open();
});

test("a directory that is a file is refused", async () => {
  const file = join(directory, "file");
  await writeFile(file, "");
  await expect(openEmbeddedTable({ directory: file })).rejects.toThrow(/file/);
});

test("a client that breaks off in the middle of a request ends nothing", async () => {
  const table = await open();
  const socket = connect(Number(new URL(table.endpoint).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
  // The request has arrived once a later one on another connection is answered.
  await storeOf(table).shards(signal);
  socket.resetAndDestroy();
  await once(socket, "close");
  expect(await storeOf(table).createShard(shard, signal)).toBe(true);
});

describe("beside another process", () => {
  beforeAll(async () => {
    await build({
      stdin: { contents: childSource, resolveDir: root, loader: "ts" },
      outfile: script,
      bundle: true,
      platform: "node",
      external: ["dynalite", "classic-level"],
      logLevel: "error",
    });
  });

  /** Opens the table, writes a shard, prints the outcome, and keeps running. */
  async function startChild(): Promise<{ child: ChildProcess; said: string }> {
    const child = spawn(process.execPath, [script, directory], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    const lines = createInterface({ input: child.stdout });
    const [said] = (await once(lines, "line", { signal })) as [string];
    return { child, said };
  }

  test("a table held by another process is refused", async () => {
    expect((await startChild()).said).toBe("true");
    await expect(openEmbeddedTable({ directory })).rejects.toMatchObject({ kind: "conflict" });
  }, 30_000);

  test("writes that were confirmed before a kill survive", async () => {
    const { child, said } = await startChild();
    expect(said).toBe("true");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await storeOf(await open()).shard(shard, signal)).toEqual(shard);
  }, 30_000);
});

test("a table whose creation was cut short is created again", async () => {
  await (await open()).close();
  const files = new ClassicLevel<string, object>(directory, { valueEncoding: "json" });
  const key = `table~${embeddedTableName}`;
  const cutShort = { ...(await files.get(key)), TableStatus: "CREATING" };
  await files.put(key, cutShort);
  await files.close();
  expect(await storeOf(await open()).createShard(shard, signal)).toBe(true);
}, 20_000);

const childSource = `
  import { openStore } from "./lib/table/store";
  import { openEmbeddedTable } from "./local/backends/table/embedded-table";
  async function main() {
    const { client, table } = await openEmbeddedTable({ directory: process.argv[2]! });
    const store = openStore({ client, table, now: () => 0 });
    console.log(await store.createShard(${JSON.stringify(shard)}, new AbortController().signal));
  }
  void main();
`;
