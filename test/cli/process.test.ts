import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The command as its own process: what a shell sees. */

const folder = mkdtempSync(join(tmpdir(), "ebb-process-"));
const root = join(__dirname, "../..");
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  const bundle = `import { bundleCommand } from "./scripts/bundles.mjs"; await bundleCommand(${JSON.stringify(folder)});`;
  execFileSync(process.execPath, ["--input-type=module", "--eval", bundle], { cwd: root });
}, 60_000);

interface Given {
  readonly stdin?: string;
  /** A file that stdout goes to. */
  readonly stdout?: string;
}

async function ebb(args: readonly string[], { stdin = "", stdout }: Given = {}) {
  const child = spawn(process.execPath, [join(folder, "ebb.js"), ...args], {
    stdio: ["pipe", stdout === undefined ? "pipe" : openSync(stdout, "w"), "pipe"],
    env: { ...process.env, NODE_PATH: join(root, "node_modules"), EBB_CONFIG: "/nowhere" },
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
