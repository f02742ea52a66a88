import { readFileSync } from "node:fs";

/**
 * The most memory that a process ever held, in MB, as Linux accounts for it. (The `maxRSS` of a process begins with
 * what its parent had at the fork.)
 */
export function peakMemory(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kilobytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))?.[1]);
  if (kilobytes > 0) return Math.round(kilobytes / 1024);
  throw new Error(`${file}: expected VmHWM in kB`);
}
