import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { matches, type Step } from "./page";
import { filesFolder } from "./pages";
import { runScript } from "./run-script";

/** How long an output on a page may take to appear: a few slots of the demo. */
const patienceMs = 45_000;

/** Between two looks: each starts a process, and what a slot brings may be ten seconds away. */
const firstWaitMs = 500;
const longestWaitMs = 4_000;

/** Commands that only read, and so may run again until the output appears. */
const looks = /^ebb (?:(?:get|describe|explain|status|doctor|diff|evaluate)\b|dry-run hpa \w+\n$)/;

/** What a reader has besides an empty home, an empty folder and Node. */
export interface Desk {
  /** The `ebb` that is on the path. */
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
  /** More folders for the path. */
  readonly path?: readonly string[];
  /** The arguments of `ebb start` in the other terminal; none: the demo. */
  readonly start?: readonly string[];
}

/** With ebb running in another terminal. */
export interface Reader {
  follow(step: Step): Promise<void>;
  leave(): Promise<void>;
}

export async function sitDown({ command, env: more = {}, path = [], start = [] }: Desk): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), "ebb-how-to-"));
  const bin = join(folder, "bin");
  const clone = join(folder, "clone");
  const work = join(clone, filesFolder);
  mkdirSync(bin);
  mkdirSync(work, { recursive: true });
  symlinkSync(command, join(bin, "ebb"));
  const env = {
    HOME: folder,
    PATH: [bin, ...path, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    NO_COLOR: "1",
    TZ: "UTC",
    ...more,
  };
  const demo = spawn("ebb", ["start", ...start], { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  demo.stdout.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  demo.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  await until(() => said.join("").includes("Ctrl-C") || demo.exitCode !== null);

  return {
    async follow(step) {
      if (step.kind === "file") return writeFileSync(join(work, step.name), step.text);
      const { script, output } = step;
      const deadline = Date.now() + patienceMs;
      for (let wait = firstWaitMs; ; wait = Math.min(2 * wait, longestWaitMs)) {
        const { got, status } = await runScript(script, { cwd: work, env });
        if (output === undefined ? status === 0 : matches(output, got)) return;
        if (Date.now() > deadline || !looks.test(script))
          throw new Error(
            `line ${step.line}: ${script}expected:\n${output ?? "exit status 0"}\ngot (${status}):\n${got}\nthe demo said:\n${said.join("")}`,
          );
        await sleep(wait);
      }
    },
    async leave() {
      await stop(demo);
      const left = readdirSync(clone).filter((name) => name !== filesFolder);
      rmSync(folder, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`the page leaves files in the clone: ${left.join(", ")}`);
    },
  };
}

async function until(met: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!met()) {
    if (Date.now() > deadline) throw new Error("the demo did not start");
    await sleep(50);
  }
}

async function stop(demo: ChildProcess): Promise<void> {
  if (demo.exitCode !== null) return;
  const exited = once(demo, "exit");
  demo.kill("SIGINT");
  const giveUp = setTimeout(() => demo.kill("SIGKILL"), 20_000);
  await exited;
  clearTimeout(giveUp);
}
