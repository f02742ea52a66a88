import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { failure, failureText, serverFailure } from "../../cli/shell/failure";
import { addGlobalOptions, globalOptions } from "../../cli/shell/global-options";
import { openNamedTable } from "../../cli/shell/connect/open-table";
import { resolveSettings } from "../../cli/shell/settings";
import { openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { writeRunFile } from "../../local/run-file";
import { version } from "../../package.json";
import { ebb } from "./run-ebb";

interface Printed {
  readonly exitCode: number;
  readonly stdout: unknown;
  readonly stderr: unknown;
}

test.each<[string, readonly string[], Printed]>([
  ["an unknown verb", ["gett"], { exitCode: 1, stdout: "", stderr: expect.stringContaining("unknown command 'gett'") }],
  [
    "an unknown option, with where to look",
    ["get", "hpa", "--tabel", "t"],
    { exitCode: 1, stdout: "", stderr: expect.stringContaining("See 'ebb get --help' for usage.") },
  ],
  [
    "a value that is not among the choices",
    ["get", "hpa", "--color", "pink"],
    { exitCode: 1, stdout: "", stderr: expect.stringContaining("Allowed choices are auto, always, never.") },
  ],
  ["--version", ["--version"], { exitCode: 0, stdout: `${version}\n`, stderr: "" }],
  ["--help", ["--help"], { exitCode: 0, stdout: expect.stringContaining("Usage: ebb"), stderr: "" }],
  ["nothing at all", [], { exitCode: 0, stdout: expect.stringContaining("Usage: ebb"), stderr: "" }],
  [
    "a failure",
    ["get", "hpa", "--context", "x"],
    { exitCode: 1, stdout: "", stderr: expect.stringMatching(/^error: context "x" does not exist in /) },
  ],
  ["an error of the table's", ["get", "hpa"], { exitCode: 1, stdout: "", stderr: "error: this test has no table\n" }],
])("%s", async (_, args, expected) => {
  expect(await ebb(args)).toEqual(expected);
});

test("as a plugin, its name in messages is kubectl's", async () => {
  const { stdout } = await ebb(["get", "--help"], { name: "kubectl ebb" });
  expect(stdout).toContain("Usage: kubectl ebb get");
  expect(stdout).toContain("\n  kubectl ebb get hpa -n shop\n");
});

test.each<[string, readonly string[], object]>([
  ["after the verb", ["verb", "--table", "t", "-n", "x"], { table: "t", namespace: "x" }],
  ["before the verb", ["--table", "t", "-n", "x", "verb"], { table: "t", namespace: "x" }],
  ["on both sides, the nearer to the end wins", ["--table", "a", "verb", "--table", "b"], { table: "b" }],
])("global options come %s", async (_, args, expected) => {
  const heard: object[] = [];
  const verb = addGlobalOptions(new Command("verb")).action((_options, command: Command) => {
    heard.push(globalOptions(command));
  });
  const program = addGlobalOptions(new Command("ebb")).enablePositionalOptions().addCommand(verb);
  await program.parseAsync(args, { from: "user" });
  expect(heard).toEqual([expected]);
});

test.each<[string, unknown, string]>([
  ["a failure", failure("it is so"), "error: it is so"],
  ["one that says error itself", failure("error: it is so"), "error: it is so"],
  [
    "the API server's words",
    serverFailure("NotFound", 'clusters.ebb.dev "x" not found'),
    'Error from server (NotFound): clusters.ebb.dev "x" not found',
  ],
  ["anything thrown", "odd", "error: odd"],
])("reported to the user: %s", (_, error, text) => {
  expect(failureText(error)).toBe(text);
});

describe("the table on this machine", () => {
  const directory = mkdtempSync(join(tmpdir(), "ebb-open-"));
  afterAll(() => rm(directory, { recursive: true }));
  const settings = (name: string) => resolveSettings({ directory: join(directory, name) }, { EBB_CONFIG: "/nowhere" });

  test("is not found if nobody made one, and the command makes none", async () => {
    await expect(openNamedTable(await settings("none"))).rejects.toThrow(
      /^no table is chosen, and .* has none: choose one with --table, /,
    );
    await expect(rm(join(directory, "none"))).rejects.toThrow("ENOENT");
  });

  test("is reached through the running ebb, or its files", async () => {
    const own = join(directory, "own");
    const embedded = await openEmbeddedTable({ directory: join(own, "table") });
    const { endpoint, credential } = embedded;
    const kubeconfig = { file: join(own, "kubeconfig") };
    await writeRunFile(own, { pid: process.pid, endpoint, table: embedded.table, credential, kubeconfig });
    const running = await openNamedTable(await settings("own"));
    expect(Number((await running.table.client.config.endpoint()).port)).toBe(Number(new URL(embedded.endpoint).port));
    await running.close();
    await rm(join(own, "running.json"));
    // It waits for the one that holds the files.
    const waiting = openNamedTable(await settings("own"));
    await embedded.close();
    const files = await waiting;
    expect(files.table.name).toBe("ebb");
    await files.close();
  });
});
