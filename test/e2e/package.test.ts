import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { version } from "../../package.json";
import { installAsKrew, krewManifest, packArchive } from "./servers/archive";
import { readYaml } from "../infra/read-template";
import { eventually } from "./servers/eventually";

/** The archive that is published, installed where nothing else is: by npm, and as krew does. */
const repository = resolve(__dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "ebb-package-"));
const prefix = join(folder, "prefix");
const installed = join(prefix, "lib/node_modules/ebb");
let archive: string;

/** Only PATH: nothing leads to the repository or to its node_modules. */
const env = { PATH: process.env["PATH"], HOME: folder, EBB_CONFIG: "/nowhere" };
const run = async (command: string, ...args: readonly string[]) =>
  (await promisify(execFile)(command, args, { cwd: folder, env })).stdout;

beforeAll(() => {
  archive = packArchive(folder);
  // Offline: an archive that needed anything else could not be installed.
  const args = ["install", "--global", "--offline", "--prefix", prefix, archive];
  execFileSync("npm", args, { cwd: folder, stdio: "pipe" });
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(["ebb", "kubectl-ebb"])("npm installs %s", async (name) => {
  expect(await run(join(prefix, "bin", name), "--version")).toBe(`${version}\n`);
  expect(await run(join(prefix, "bin", name), "--help")).toContain(`Usage: ${name.replace("-", " ")} `);
});

test("the installed command decides", async () => {
  const situation = join(installed, "examples/situation.jsonl");
  expect(await run(join(prefix, "bin/ebb"), "evaluate", situation)).toContain('"stage":"decide","replicas":5');
});

test("the installed command runs the demo, on the table that the archive brings", async () => {
  const demo = spawn(join(prefix, "bin/ebb"), ["start"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [demo.stdout, demo.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    await eventually("the demo scales", () => expect(output).toMatch(/ {2}0 → [1-9]/));
    demo.kill("SIGINT");
    expect(await once(demo, "exit")).toEqual([0, null]);
  } finally {
    demo.kill("SIGKILL");
  }
  expect(output).toContain("0 failures");
  expect(await run(join(prefix, "bin/ebb"), "get", "hpa")).toMatch(/^orders +Deployment\/orders /m);
});

test("the unpacked stack packages without a build", () => {
  // osls is the deployer's own.
  execFileSync(join(repository, "node_modules/.bin/osls"), ["package", "--package", "out"], {
    cwd: installed,
    env,
    stdio: "pipe",
  });
  const template = readFileSync(join(installed, "out/cloudformation-template-update-stack.json"), "utf8");
  expect(JSON.parse(template)).toMatchObject({ Outputs: { Version: { Value: version } } });
}, 60_000);

test("npm run package names a bundle for each function", () => {
  const said = execFileSync(process.execPath, ["scripts/package.mjs"], { cwd: repository, encoding: "utf8" });
  const bundles = /^functions: (.*)$/m.exec(said)?.[1]?.split(" ") ?? [];
  const { functions } = readYaml<{ readonly functions: object }>("serverless.yml");
  // Without notifyArn and metricsTokenArn, the stack has neither.
  const deployed = Object.keys(functions).filter((name) => !["notify", "metrics"].includes(name));
  expect(bundles).toEqual(deployed.map((name) => `.serverless/${name}.zip`));
  for (const bundle of bundles) expect(existsSync(join(repository, bundle))).toBe(true);
}, 120_000);

test("deploying the unpacked stack warns of nothing that its user cannot act on, on Node 20 as well", async () => {
  // The SDK asks for this Node's version. The port is one that nothing listens on: deploying ends at the first call.
  const preload = join(folder, "as-node-20.cjs");
  writeFileSync(preload, `Object.defineProperty(process, "version", { value: "v20.20.2" });\n`);
  const aws = { AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "y", AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
  const deploy = promisify(execFile)(join(repository, "node_modules/.bin/osls"), ["deploy"], {
    cwd: installed,
    env: { ...env, ...aws, NODE_OPTIONS: `--require ${preload}` },
  });
  const { stdout, stderr } = await deploy.catch((error: { readonly stdout: string; readonly stderr: string }) => error);
  expect(stdout + stderr).toContain("ECONNREFUSED");
  expect(stdout + stderr).not.toContain("Warning");
}, 60_000);

describe("krew", () => {
  test("the manifest names this version, the archive's address and its sha256", () => {
    const { spec } = krewManifest(archive);
    expect(spec.version).toBe(`v${version}`);
    for (const { uri, sha256 } of spec.platforms) {
      expect(uri).toBe(`https://ebb.example/ebb-${version}.tgz`);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  test("a malformed address is refused", () => {
    const args = ["scripts/krew.mjs", archive, "ebb.tgz"];
    expect(() => execFileSync(process.execPath, args, { cwd: repository, stdio: "pipe" })).toThrow(
      "krew: expected ARCHIVE and its https:// address",
    );
  });

  test("the plugin runs from krew's store", async () => {
    const plugin = installAsKrew(archive, join(folder, "krew"), join(folder, "krew/bin"));
    expect(await run(plugin, "--version")).toBe(`${version}\n`);
    expect(await run(plugin, "get", "--help")).toContain("Usage: kubectl ebb get");
  });
});
