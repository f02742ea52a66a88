import { spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { putCluster } from "../../local/entries";
import { stored } from "../../local/directory";
import { openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { type BuiltCommand, buildCommand } from "../how-to/build-command";

/** The command as its own process: what a shell sees. */

const folder = mkdtempSync(join(tmpdir(), "ebb-process-"));
afterAll(() => rmSync(folder, { recursive: true }));

let built: BuiltCommand;
beforeAll(() => {
  built = buildCommand();
}, 60_000);

interface Given {
  readonly stdin?: string;
  /** A file that stdout goes to. */
  readonly stdout?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

async function ebb(args: readonly string[], { stdin = "", stdout, env }: Given = {}) {
  const child = spawn(process.execPath, [built.command, ...args], {
    stdio: ["pipe", stdout === undefined ? "pipe" : openSync(stdout, "w"), "pipe"],
    env: { ...process.env, ...built.env, EBB_CONFIG: "/nowhere", ...env },
    cwd: folder,
  });
  const texts = { stdout: "", stderr: "" };
  child.stdout?.on("data", (data: Buffer) => (texts.stdout += data.toString()));
  child.stderr?.on("data", (data: Buffer) => (texts.stderr += data.toString()));
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin);
  const exitCode = await new Promise((resolve) => child.on("close", resolve));
  return { ...texts, exitCode };
}

const isLinux = process.platform === "linux";
const onLinux = isLinux ? test : test.skip;

onLinux.each([["--help"], ["rbac", "--help"], ["completion", "bash"], ["validate", "hpa.yaml"]])(
  "ebb %s > /dev/full says that the output is lost",
  async (...args) => {
    writeFileSync(join(folder, "hpa.yaml"), hpa);
    const { stderr, exitCode } = await ebb(args, { stdout: "/dev/full" });
    expect(stderr).toBe("error: the output cannot be written: ENOSPC: no space left on device, write\n");
    expect(exitCode).toBe(1);
  },
);

onLinux("a folder that cannot be created is an error, not a process that no signal ends", async () => {
  const { stderr, exitCode } = await ebb(["start", "--directory", "/proc/x"]);
  expect(stderr).toBe(
    "error: the folder \"/proc/x\" cannot be created: ENOENT: no such file or directory, mkdir '/proc/x'\n",
  );
  expect(exitCode).toBe(1);
});

describe("what ebb start would ignore is an error", () => {
  test.each([
    [["start", "--cluster", "prod"], "--cluster names a cluster of your own: add its --kubeconfig"],
    [["start", "--sync-period", "30"], "--sync-period is of a cluster of your own: add its --kubeconfig"],
    [["--table", "ebb", "start"], "--table: `ebb start` takes its options after its name; see `ebb start --help`"],
  ])("ebb %s", async (args, message) => {
    expect(await ebb(args)).toEqual({ stdout: "", stderr: `error: ${message}\n`, exitCode: 1 });
  });
});

describe("ebb start --kubeconfig where an earlier version kept the cluster in the demo's table", () => {
  beforeAll(async () => {
    const embedded = await openEmbeddedTable({ directory: join(folder, ".ebb", stored.table) });
    const table = { client: embedded.client, name: embedded.table };
    await putCluster(table, "default", { auth: { type: "kubeconfig", file: "/nowhere" } });
    await embedded.close();
  });
  afterAll(() => rmSync(join(folder, ".ebb"), { recursive: true }));

  test("is refused, with both ways to go on", async () => {
    expect(await ebb(["start", "--kubeconfig", "gone"])).toEqual({
      stdout: "",
      stderr:
        'error: the table in .ebb already has the cluster "default": continue with it by --directory .ebb, or begin a new table by --directory .ebb/clusters/default\n',
      exitCode: 1,
    });
  });

  test.each([
    ["the old table", ["--directory", ".ebb"]],
    ["a new table", ["--directory", ".ebb/clusters/default"]],
    ["another cluster", ["--cluster", "other"]],
  ])("%s is not refused: the next error is that the kubeconfig is not there", async (_, args) => {
    const { stderr, exitCode } = await ebb(["start", "--kubeconfig", "gone", ...args]);
    expect([stderr, exitCode]).toEqual(['error: the path "gone" does not exist\n', 1]);
  });
});

test.each([
  [["get", "hpa", "--table", "ebb"]],
  [["apply", "-f", "-", "--table", "ebb"]],
  [["start", "--table", "ebb"]],
])("ebb %s without an AWS region says how to choose one", async (args) => {
  const home = { HOME: folder, AWS_CONFIG_FILE: undefined, AWS_SHARED_CREDENTIALS_FILE: undefined };
  const env = { ...home, AWS_REGION: undefined, AWS_DEFAULT_REGION: "", AWS_PROFILE: undefined, EBB_REGION: undefined };
  expect(await ebb(args, { env })).toEqual({
    stdout: "",
    stderr:
      args[0] === "start"
        ? "error: no AWS region is set for the table: choose one with AWS_REGION, AWS_DEFAULT_REGION or an AWS_PROFILE that has one\n"
        : "error: no AWS region is set for the table: choose one with --region, AWS_REGION, AWS_DEFAULT_REGION or a profile that has one\n",
    exitCode: 1,
  });
});

test("ebb start --context without --kubeconfig does not run the demo", async () => {
  expect(await ebb(["start", "--context", "prod"])).toEqual({
    stdout: "",
    stderr: "error: --context chooses a context of --kubeconfig: name the kubeconfig, too\n",
    exitCode: 1,
  });
});

const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }, maxReplicas: 3 }
`;
const missing = 'error: the path "nope" does not exist\n';
const isFolder = `error: the path "${folder}" is a folder: expected a file\n`;
const valid = "horizontalpodautoscaler.autoscaling/web valid\n";

test.each<[string, readonly string[], Given, object]>([
  ["evaluate -", ["evaluate", "-"], { stdin: "{}\n" }, { stderr: "", exitCode: 1 }],
  ["evaluate of a missing file", ["evaluate", "nope"], {}, { stdout: "", stderr: missing, exitCode: 1 }],
  ["evaluate of a folder", ["evaluate", folder], {}, { stdout: "", stderr: isFolder, exitCode: 1 }],
  ["validate of a missing file", ["validate", "nope"], {}, { stdout: "", stderr: missing, exitCode: 1 }],
  ["validate --jsonl of a missing file", ["validate", "--jsonl", "nope"], {}, { stderr: missing, exitCode: 1 }],
  ["validate --jsonl of a folder", ["validate", "--jsonl", folder], {}, { stderr: isFolder, exitCode: 1 }],
  ["validate -", ["validate", "-"], { stdin: hpa }, { stdout: valid, stderr: "", exitCode: 0 }],
])("%s", async (_, args, given, expected) => {
  expect(await ebb(args, given)).toMatchObject(expected);
});

test("validate takes a folder, and counts objects of other kinds", async () => {
  const manifests = mkdtempSync(join(folder, "manifests-"));
  writeFileSync(join(manifests, "hpa.yaml"), hpa);
  writeFileSync(join(manifests, "service.yaml"), "apiVersion: v1\nkind: Service\nmetadata: { name: a }\n");
  writeFileSync(join(manifests, "README.md"), "not read");
  expect(await ebb(["validate", manifests])).toEqual({
    stdout: valid,
    stderr: `${manifests}: skipped 1 object of another kind: 1 Service\n`,
    exitCode: 0,
  });
});
