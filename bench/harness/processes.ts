import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** Processes that the bench started, as Linux accounts for them in /proc. */

/** Of a second: the unit of CPU time in /proc, on every Linux. */
const ticks = 100;

/** The id of the bench's descendant that runs the program or the script of this name. */
export function processOf(name: string): number {
  const found = readdirSync("/proc")
    .map(Number)
    .find((pid) => pid > 0 && isDescendant(pid) && runs(pid, name));
  if (found === undefined) throw new Error(`expected a process of the bench that runs ${name}, found none`);
  return found;
}

function runs(pid: number, name: string): boolean {
  const [program = "", ...rest] = (read(`/proc/${pid}/cmdline`) ?? "").split("\0");
  const script = rest.find((argument) => !argument.startsWith("-")) ?? "";
  return [program, script].some((path) => basename(path) === name);
}

function isDescendant(pid: number): boolean {
  const parent = Number(statOf(pid)?.[1]);
  return parent === process.pid || (parent > 1 && isDescendant(parent));
}

/** Milliseconds of CPU time so far, of all threads. */
export function cpuMs(pid: number): number {
  const stat = statOf(pid);
  if (stat === undefined) throw new Error(`process ${pid} is gone`);
  return ((Number(stat[11]) + Number(stat[12])) * 1_000) / ticks;
}

/** The fields of /proc/PID/stat from the third on: the second is a name that may contain anything. */
function statOf(pid: number): readonly string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // it ended
  }
}
