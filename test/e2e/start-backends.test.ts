import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * `ebb start` and its demo end in every way that a process can end. Whatever the way, the next start goes on: the
 * consumers at zero are ebb's own and wake, and the messages are processed. Each mostly waits for a burst of its demo,
 * so they run at once.
 */
const directories: string[] = [];
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "ebb-e2e-ends-"));
  directories.push(directory);
  return join(directory, ".ebb");
}

interface Run {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Waits for a line of the output, after so many others. @returns its number */
  until(pattern: RegExp, after?: number): Promise<number>;
  ended(): Promise<readonly unknown[]>;
}

function follow(child: ChildProcess): Run {
  children.push(child);
  const lines: string[] = [];
  let rest = "";
  const hear = (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  const exit = once(child, "exit");
  return {
    child,
    lines,
    async until(pattern, after = 0) {
      for (;;) {
        const found = lines.findIndex((line, index) => index >= after && pattern.test(line));
        if (found >= 0) return found;
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`expected ${String(pattern)} before the end, got:\n${lines.join("\n")}`);
        await sleep(20);
      }
    },
    ended: () => exit,
  };
}

function start(directory: string): Run {
  return follow(spawn(process.execPath, ["dist/ebb.js", "start", "--directory", directory]));
}

const running = /stop {6}Ctrl-C/;
const scaled = / → /;
const woken = /\/(orders|invoices) {2}0 → [1-9]/;
const asleep = /\/(orders|invoices) {2}[1-9]\d* → 0/;

/** The consumers that go to zero also leave it again, and nothing is left behind. */
async function goesOn(directory: string): Promise<void> {
  const run = start(directory);
  const atZero = await run.until(/Deployment\/orders {2}[1-9]\d* → 0/);
  const awake = await run.until(/Deployment\/orders {2}0 → [1-9]/, atZero);
  await run.until(/Deployment\/orders {2}[1-9]\d* → 0/, awake);
  run.child.kill("SIGINT");
  expect(await run.ended()).toEqual([0, null]);
  const [, sent, processed] = /queue orders: (\d+) messages sent, (\d+) processed/.exec(run.lines.join("\n")) ?? [];
  expect(Number(sent)).toBeGreaterThan(60);
  expect(Number(processed)).toBeGreaterThanOrEqual(60);
}

/** When a run is killed: so many milliseconds after a line of its output, or after its start. */
const moments: readonly (readonly [stage: string, kills: readonly (readonly [RegExp | undefined, number])[]])[] = [
  [
    "while it starts",
    [
      [undefined, 150],
      [undefined, 600],
      [running, 0],
      [running, 1_800],
    ],
  ],
  [
    "while a burst comes",
    [
      [scaled, 0],
      [scaled, 20],
      [scaled, 60],
      [scaled, 700],
    ],
  ],
  [
    "while its consumers fall asleep",
    [
      [asleep, 0],
      [asleep, 30],
    ],
  ],
];

test.concurrent.each(moments)(
  "killed again and again %s",
  async (_, kills) => {
    const directory = newDirectory();
    for (const [line, afterMs] of kills) {
      const run = start(directory);
      if (line !== undefined) await run.until(line);
      await sleep(afterMs);
      run.child.kill("SIGKILL");
      await run.ended();
    }
    await goesOn(directory);
  },
  300_000,
);

test.concurrent.each(["SIGHUP", "SIGTERM", "SIGINT"] as const)("%s ends it cleanly", async (signal) => {
  const directory = newDirectory();
  const run = start(directory);
  await run.until(woken);
  run.child.kill(signal);
  // A closing terminal's shell repeats it.
  if (signal === "SIGHUP") run.child.kill(signal);
  expect(await run.ended()).toEqual([0, null]);
  expect(run.lines.join("\n")).toContain("the next start continues from it");
  expect(existsSync(join(directory, "running.json"))).toBe(false);
  expect(statSync(join(directory, "simulation.journal")).size).toBe(0);
});

/** A terminal of its own, which closes when the line "close" comes. */
const terminal = `
import os, pty, sys
pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b""
while b"Ctrl-C" not in seen:
    seen += os.read(master, 65536)
print("running", flush=True)
sys.stdin.readline()
os.close(master)
print("closed", os.waitpid(pid, 0)[1], flush=True)
`;

test.concurrent("a terminal that closes ends it cleanly, too", async () => {
  const directory = newDirectory();
  const command = [process.execPath, "dist/ebb.js", "start", "--directory", directory];
  const run = follow(spawn("python3", ["-c", terminal, ...command]));
  await run.until(/^running$/);
  await sleep(3_000);
  run.child.stdin?.write("close\n");
  // It ends by the signal: Node aborts if it exits by itself without its terminal.
  await run.until(/^closed 1$/);
  expect(existsSync(join(directory, "running.json"))).toBe(false);
  expect(statSync(join(directory, "simulation.journal")).size).toBe(0);
});

test.concurrent("a reader that goes away ends it cleanly, too", async () => {
  const directory = newDirectory();
  const command = `"${process.execPath}" dist/ebb.js start --directory "${directory}" | head -n 1`;
  const run = follow(spawn("bash", ["-c", `set -o pipefail; ${command}; echo status $?`]));
  await run.until(/^status 0$/);
  expect(existsSync(join(directory, "running.json"))).toBe(false);
});

test.concurrent(
  "everything in its directory is its user's alone; a second start there is refused and breaks nothing",
  async () => {
    const directory = newDirectory();
    const run = start(directory);
    await run.until(woken);
    const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => join(directory, name));
    expect(paths.length).toBeGreaterThan(8);
    for (const path of [directory, ...paths]) expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);

    const second = start(directory);
    expect(await second.ended()).toEqual([1, null]);
    expect(second.lines.join("\n")).toContain(`process ${run.child.pid} (\`ebb start\`) uses this directory`);
    const got = follow(spawn(process.execPath, ["dist/ebb.js", "get", "hpa", "--directory", directory]));
    await got.until(/^orders /);
    run.child.kill("SIGTERM");
    expect(await run.ended()).toEqual([0, null]);
  },
);
