import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../../../cli/set-up/start/start";
import { holdDirectory } from "../../../local/hold-directory";
import { stored } from "../../../local/directory";
import { readRunFile } from "../../../local/run-file";
import { openEmbeddedTable } from "../../../local/backends/table/embedded-table";
import { freePorts } from "../../e2e/servers/free-ports";
import { until } from "../../time/until";

let directory = "";
const umask = process.umask();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "ebb-start-"));
});

afterEach(() => {
  jest.restoreAllMocks();
  process.umask(umask);
  rmSync(directory, { recursive: true, force: true });
});

test("when the demo cannot be saved at the end, the table and the directory are closed all the same", async () => {
  jest.spyOn(process.stdout, "write").mockReturnValue(true);
  const run = startCommand({ interrupted: new AbortController().signal }).parseAsync(["--directory", directory], {
    from: "user",
  });
  const ended = expect(run).rejects.toThrow(stored.simulation);
  await until(async () => (await readRunFile(directory)) !== undefined);

  rmSync(join(directory, stored.simulation));
  mkdirSync(join(directory, stored.simulation));
  writeFileSync(join(directory, stored.simulation, "in-the-way"), "");
  process.emit("SIGTERM");
  await ended;

  const table = await openEmbeddedTable({ directory: join(directory, stored.table) });
  await table.close();
  const held = await holdDirectory(directory);
  await held.close();
  expect(await readRunFile(directory)).toBeUndefined();
});

test("--metrics-port serves what the run's shards record, with the folder's token, until the run ends", async () => {
  let printed = "";
  jest.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  const [port = 0] = await freePorts(1);
  const args = ["--directory", directory, "--metrics-port", String(port)];
  const run = startCommand({ interrupted: new AbortController().signal }).parseAsync(args, { from: "user" });
  const scrape = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, connection: "close" };
    return await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
  };
  await until(() => printed.includes("Metrics: "));
  const file = join(directory, "metrics-token");
  expect(printed).toContain(`Metrics: http://127.0.0.1:${port}/metrics (bearer token in ${file})\n`);
  expect((await scrape("another")).status).toBe(401);
  const answer = await scrape(readFileSync(file, "utf8").trim());
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("# TYPE ebb_shard_hpas gauge")]);
  process.emit("SIGTERM");
  await run;
  await expect(scrape("another")).rejects.toThrow();
});

test("Ctrl-C before the demo is loaded: nothing is opened", async () => {
  await startCommand({ interrupted: AbortSignal.abort() }).parseAsync(["--directory", directory], { from: "user" });
  expect(readdirSync(directory)).toEqual([]);
});
