import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ended, type LocalRun, runEbb, startLocalRun } from "./servers/local-run";

/** The directory of `ebb start`: many commands at once on its table, and a disk that is full. */
const home = mkdtempSync(join(tmpdir(), "ebb-e2e-directory-"));
const directory = join(home, ".ebb");
const hpaFile = (name: string, maxReplicas: number) => {
  const file = join(home, `${name}-${maxReplicas}.yaml`);
  const target = `{ apiVersion: apps/v1, kind: Deployment, name: ${name} }`;
  const text = `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: { name: ${name} }\nspec: { scaleTargetRef: ${target}, maxReplicas: ${maxReplicas} }\n`;
  writeFileSync(file, text);
  return file;
};
const ebb = (...args: readonly string[]) => runEbb(...args, "--directory", directory);

beforeAll(async () => {
  const run = await startLocalRun(directory);
  run.child.kill("SIGINT");
  expect(await run.ended).toEqual([0, null]);
});
afterAll(() => rmSync(home, { recursive: true }));

const stack = /\n\s+at .*:\d+/;
function expectAllWell(all: readonly Ended[], allowed: readonly number[] = [0]): void {
  for (const { code, out, err } of all) {
    expect(err).not.toMatch(stack);
    expect(allowed.includes(code ?? -1) ? "" : `${code}: ${out}${err}`).toBe("");
  }
}

test("eight commands at once on a stopped table all succeed", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `web-${index}`);
  expectAllWell(await Promise.all(names.map((name) => ebb("apply", "-f", hpaFile(name, 6)))));
  const { out } = await ebb("get", "hpa", "-o", "name");
  expect(names.filter((name) => !out.includes(`/${name}\n`))).toEqual([]);
});

test("a command that fails while it reads lets go of the table", async () => {
  for (let time = 0; time < 3; time++) {
    const { code, err } = await ebb("adopt", "hpa", "web-0");
    expect(err).toContain("the demo is stopped");
    expect(err).not.toMatch(stack);
    expect(code).toBe(1);
  }
  expectAllWell([await ebb("get", "hpa")]);
});

test("get, apply, diff and delete at once, while `ebb start` begins and ends: each succeeds", async () => {
  const mixed = () => [
    ebb("get", "hpa"),
    ebb("apply", "-f", hpaFile("web-0", 7)),
    ebb("diff", "-f", hpaFile("web-1", 9)),
    ebb("delete", "hpa", "web-none", "--ignore-not-found"),
  ];
  const first = mixed();
  const run = await startLocalRun(directory);
  const second = mixed();
  run.child.kill("SIGINT");
  const third = mixed();
  // A difference is exit status 1.
  expectAllWell(await Promise.all([...first, ...second, ...third]), [0, 1]);
  expect(await run.ended).toEqual([0, null]);
});

const runs: LocalRun[] = [];
async function start(where: string): Promise<LocalRun> {
  const run = await startLocalRun(where);
  runs.push(run);
  return run;
}
afterAll(() => runs.forEach(({ child }) => child.kill("SIGKILL")));

/** Until nothing fits, whatever the run writes meanwhile. */
function fill(disk: string): void {
  const filler = openSync(join(disk, "filler"), "w");
  try {
    for (const block = Buffer.alloc(4_096); ;) writeSync(filler, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(filler);
  }
}

const size = "12m";
const isRoot = process.getuid?.() === 0;

test("a full disk ends `ebb start` with a sentence; with space again everything is there", async () => {
  if (!isRoot) throw new Error("expected to run as root: a small disk has to be mounted");
  const disk = join(home, "disk");
  execFileSync("mkdir", [disk]);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk]);
  try {
    const small = join(disk, ".ebb");
    const run = await start(small);
    const applied = await runEbb("apply", "-f", hpaFile("kept", 6), "--directory", small);
    expect(applied.code).toBe(0);
    fill(disk);
    const [code] = await run.ended;
    expect(code).toBe(1);
    const output = run.lines.join("\n");
    expect(run.lines.at(-1)).toMatch(
      /^error: .*\/\.ebb\/.*: the disk is full: free some space, then run the command again/,
    );
    expect(output).not.toMatch(stack);
    expect(readdirSync(small).filter((name) => name.endsWith(".new"))).toEqual([]);

    // On the full disk, other commands and the next start say the same.
    for (const { code: refused, err } of [
      await runEbb("apply", "-f", hpaFile("refused", 6), "--directory", small),
      await runEbb("start", "--directory", small),
    ]) {
      expect([refused, err]).toEqual([
        1,
        expect.stringMatching(/^error: .*the disk is full: free some space[^\n]*\n$/),
      ]);
    }

    rmSync(join(disk, "filler"));
    const { out } = await runEbb("get", "hpa", "-A", "--directory", small);
    for (const name of ["kept", "orders", "invoices"]) expect(out).toContain(name);
    const again = await start(small);
    expect(again.lines.join("\n")).toContain("Ctrl-C");
    again.child.kill("SIGINT");
    expect(await again.ended).toEqual([0, null]);
  } finally {
    // Also while a run that should have ended still has it.
    execFileSync("umount", ["-l", disk]);
  }
});
