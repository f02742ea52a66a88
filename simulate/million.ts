import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { takeOverTime } from "../test/faults/world/globals";
import { seeded } from "./services/assumptions";
import type { Load } from "./load";
import { readSdkSettings } from "./services/metrics-backend";
import { record, type Recording } from "./playback/recording";
import { writeReport } from "./report";
import { cloudwatch, type Named, needed, run, situations, sweep } from "./scenarios";
import { simulate } from "./system";

/**
 * A whole deployment in virtual time: the real tick, the real sync, and services with the limits that AWS publishes.
 * Without `--full`: 20 clusters of 100 HPAs. With it: up to a million HPAs, and docs/plots.
 */
function simulatedTime(): void {
  takeOverTime();
  const exact = Date.now;
  // Services take fractions of a millisecond; clocks show whole ones.
  Object.assign(Date, { now: () => Math.floor(exact()) });
  Object.assign(Math, { random: seeded(1) });
}

async function small(): Promise<void> {
  const recording = await record("moving, a tenth on CloudWatch", 100);
  // So few calls that CloudWatch throttles some, as it does at a million.
  const params = { ...needed, metricCalls: 4 };
  const { slots, real, refused } = await simulate({
    ...{ name: "small", clusters: 20, params, recordings: [recording] },
    ...{ realClusters: 2, minutes: 2 },
  });
  console.table(
    slots.map(({ slot, ...figures }) => ({ slot: new Date(slot).toISOString().slice(11, 19), ...figures })),
  );
  if (slots.length !== 8 || slots.some(({ planned, finished }) => planned !== 20 || finished !== 20))
    fail("expected 8 slots of 20 shards, all finished");
  if (refused.metricCalls === 0) fail("expected calls that CloudWatch throttles, got none");
  check([{ name: "small", real }]);
}

const folder = ".cache/million";
const fileOf = (name: string) => `${folder}/${name.replaceAll(" ", "-")}.json`;

/**
 * Each case's figures stay in a file, so that several processes can share the cases: `--case="burst 1000000 needed"`,
 * and then `--report`.
 */
async function full(names: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const recorded = new Map<Load["name"], readonly Recording[]>();
  async function recordingsOf(load: Load["name"]): Promise<readonly Recording[]> {
    const known = recorded.get(load);
    if (known !== undefined) return known;
    const recordings: Recording[] = [];
    // Shards that work too long are split.
    for (const hpas of [1_000, 500, 250]) recordings.push(await record(load, hpas));
    recorded.set(load, recordings);
    return recordings;
  }
  for (const name of names) {
    const one = cases.find((each) => caseOf(each) === name);
    if (one === undefined) throw new Error(`--case: expected one of ${cases.map(caseOf).join(", ")}, got ${name}`);
    writeFileSync(fileOf(name), JSON.stringify(await run(recordingsOf, one)));
  }
}

function report(): void {
  const files = cases.map((one) => fileOf(caseOf(one))).filter((file) => existsSync(file));
  const runs = files.map((file) => JSON.parse(readFileSync(file, "utf8")) as Named);
  console.table(writeReport(runs, `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, Node ${process.version}`));
  check(runs.map(({ name, outcome }) => ({ name, real: outcome.real })));
}

const cases = [...sweep, ...situations, ...cloudwatch].toSorted((a, b) => b.hpas - a.hpas);
const caseOf = ({ name, hpas, params }: Pick<Named, "name" | "hpas" | "params">) => `${name} ${hpas} ${params}`;

type Compared = { readonly name: string; readonly real: Named["outcome"]["real"] };

/** The real sync and its recording send the same requests wherever both ran the same slot. */
function check(runs: readonly Compared[]): void {
  const slots = runs.reduce((sum, { real }) => sum + real.slots, 0);
  const same = runs.reduce((sum, { real }) => sum + real.same, 0);
  console.log(`${same} of ${slots} slots of the real sync sent the requests of their recording`);
  if (slots === 0) fail("expected slots of the real sync to compare, got none");
  for (const { name, real } of runs) for (const each of real.different) fail(`${name}: ${each}`);
}

function fail(text: string): void {
  console.error(text);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const asked = process.argv.flatMap((argument) => /^--case=(.*)$/.exec(argument)?.[1] ?? []);
  const isFull = process.argv.includes("--full");
  if (process.argv.includes("--report")) return report();
  await readSdkSettings();
  simulatedTime();
  if (asked.length > 0) return full(asked);
  if (!isFull) return small();
  await full(cases.map(caseOf));
  report();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
