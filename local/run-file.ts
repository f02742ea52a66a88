import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** How another command reaches a running ebb on this machine: `ebb get` reads the table that `ebb start` holds. */
export interface RunFile {
  readonly pid: number;
  readonly endpoint: string;
  readonly table: string;
  /** Where a demo's queues are. Absent: in AWS. */
  readonly sqs?: { readonly endpoint: string; readonly region: string };
}

const pathIn = (directory: string) => join(directory, "running.json");

export async function writeRunFile(directory: string, run: RunFile): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(pathIn(directory), `${JSON.stringify(run)}\n`);
}

export async function removeRunFile(directory: string): Promise<void> {
  await rm(pathIn(directory), { force: true });
}

/** undefined if no ebb runs there. The file of a killed process does not count. */
export async function readRunFile(directory: string): Promise<RunFile | undefined> {
  let text: string;
  try {
    text = await readFile(pathIn(directory), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const run = JSON.parse(text) as RunFile;
  return isAlive(run.pid) ? run : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
