import { chmod, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newCredential } from "../../local/guard/signature";
import { readRunFile, removeRunFile, type RunFile, writeRunFile } from "../../local/run-file";
import { type EmbeddedTable, openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { planted } from "../canaries/watch-writes";

let directory: string;
let embedded: EmbeddedTable;
let run: RunFile;

beforeAll(async () => {
  embedded = await openEmbeddedTable({ directory: await mkdtemp(join(tmpdir(), "ebb-run-table-")) });
});
afterAll(() => embedded.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "ebb-run-"));
  const { endpoint, table, credential } = embedded;
  run = { pid: process.pid, endpoint, table, credential, kubeconfig: { file: "/home/me/.kube/config" } };
});
afterEach(() => rm(directory, { recursive: true }));

test("the run file of a process that is gone does not count", async () => {
  await writeRunFile(directory, run);
  expect(await readRunFile(directory)).toMatchObject({ pid: process.pid });
  await writeRunFile(directory, { ...run, pid: 2 ** 22 + 1 });
  expect(await readRunFile(directory)).toBeUndefined();
  expect(await readRunFile(join(directory, "nowhere"))).toBeUndefined();
});

test("it is its user's alone, also in place of one that was not, and goes with the run", async () => {
  for (const name of ["running.json", "running.json.new", "aws-credentials"])
    await writeFile(join(directory, name), "{}", { mode: 0o666 });
  await writeRunFile(directory, run);
  expect(await readRunFile(directory)).toEqual(run);
  const modes = await Promise.all(
    (await readdir(directory)).map(async (name) => [name, (await stat(join(directory, name))).mode & 0o777]),
  );
  expect(modes.sort()).toEqual([
    ["aws-credentials", 0o600],
    ["running.json", 0o600],
  ]);
  await removeRunFile(directory);
  expect(await readdir(directory)).toEqual([]);
});

test("a link that somebody planted is replaced, not followed", async () => {
  const victim = join(directory, "victim");
  await writeFile(victim, "mine");
  for (const name of ["running.json", "running.json.new"]) await symlink(victim, join(directory, name));
  await writeRunFile(directory, run);
  expect(await readRunFile(directory)).toEqual(run);
  expect((await stat(victim)).size).toBe(4);
});

test.each<[string, () => Promise<unknown>, RegExp]>([
  [
    "a file that others may write",
    () => chmod(join(directory, "running.json"), 0o666),
    /running\.json: .*only you can write/,
  ],
  ["a folder that others may write", () => chmod(directory, 0o777), /ebb-run-\w+: .*only you can write/],
  [
    "a link",
    async () => {
      await rm(join(directory, "running.json"));
      planted(join(directory, "other"));
      await writeFile(join(directory, "other"), JSON.stringify(run));
      await symlink("other", join(directory, "running.json"));
    },
    /running\.json: expected a file, got a symbolic link/,
  ],
])("%s is refused: it may say what somebody else wants", async (_case, plant, message) => {
  await writeRunFile(directory, run);
  await plant();
  await expect(readRunFile(directory)).rejects.toMatchObject({ kind: "forbidden" });
  await expect(readRunFile(directory)).rejects.toThrow(message);
});

describe("a stale one", () => {
  let other: Server;
  let asked: string[];
  let answer: string;
  beforeEach(async () => {
    [asked, answer] = [[], ""];
    other = createServer((request, response) => {
      asked.push(`${request.method} ${request.headers.authorization ?? ""}`);
      response.end(answer);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
  });
  afterEach(() => new Promise((resolve) => other.close(resolve)));
  const elsewhere = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

  test.each<[string, () => Partial<RunFile>]>([
    ["whose port another program has", () => ({ endpoint: elsewhere() })],
    ["whose port nobody has", () => ({ endpoint: "http://127.0.0.1:1" })],
    ["of an earlier start of the same port", () => ({ credential: newCredential() })],
    ["that names another machine", () => ({ endpoint: elsewhere().replace("127.0.0.1", "localhost.example") })],
  ])("%s does not count", async (_case, stale) => {
    await writeRunFile(directory, { ...run, ...stale() });
    expect(await readRunFile(directory)).toBeUndefined();
    expect(asked.every((line) => line === "GET ")).toBe(true);
  });

  test("of an older version does not count", async () => {
    const { pid, endpoint, table } = run;
    await writeFile(join(directory, "running.json"), JSON.stringify({ pid, endpoint, table }), { mode: 0o600 });
    expect(await readRunFile(directory)).toBeUndefined();
  });
});
