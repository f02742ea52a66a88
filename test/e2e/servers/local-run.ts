import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** An `ebb start` of the demo in a directory. */
export interface LocalRun {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves with the process's exit code and signal. */
  readonly ended: Promise<readonly unknown[]>;
}

/** Resolves once others can reach it, or once it ended. */
export async function startLocalRun(directory: string, node = process.execPath): Promise<LocalRun> {
  const child = spawn(node, ["dist/ebb.js", "start", "--directory", directory]);
  const lines: string[] = [];
  const ended = once(child, "close");
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (line.includes("Ctrl-C")) resolve();
      });
  });
  await Promise.race([ready, ended]);
  return { child, lines, ended };
}

/** How others reach it. */
export function runFileOf(directory: string): {
  readonly endpoint: string;
  readonly sqs: { readonly endpoint: string };
} {
  return JSON.parse(readFileSync(join(directory, "running.json"), "utf8")) as never;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end, beside others. */
export async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

export const runEbb = (...args: readonly string[]): Promise<Ended> => run(process.execPath, ["dist/ebb.js", ...args]);
