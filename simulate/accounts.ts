import { takeOverTime } from "../test/faults/world/globals";
import { seeded } from "./services/assumptions";
import type { Neighbour } from "./services/account";
import { readSdkSettings } from "./services/metrics-backend";
import { record, type Recording } from "./playback/recording";
import { defaults, production } from "./scenarios";
import { type AccountScenario, type Outcome, simulate } from "./system";

/**
 * Small accounts in virtual time: the real tick and sync where few functions may run at the same time, alone and with
 * neighbours. docs/deploy.md has the figures.
 */
const clusters = 40;
const hpas = 50;

/** Callers that want more than the account has, for 30 of 70 seconds. */
const bursts: Neighbour = { wants: 200, busyMs: 30_000, everyMs: 70_000, runsMs: 1_000, againMs: 100 };
/** So many all the time. */
const steady = (wants: number): Neighbour => ({ ...bursts, wants, busyMs: bursts.everyMs });

interface Case {
  readonly executions: number;
  readonly neighbour?: readonly [name: string, Neighbour];
  readonly stage?: "prod";
  readonly syncConcurrency?: number;
  readonly tickReserved?: number;
  readonly minutes?: number;
  /** What must hold. */
  readonly holds: (figures: Figures) => boolean;
}

const allSynced = ({ ticksLost, dead, missed }: Figures) => ticksLost === 0 && dead === 0 && missed === 0;
const ticksRun = ({ ticksLost, dead }: Figures) => ticksLost === 0 && dead === 0;
const noneDead = ({ dead }: Figures) => dead === 0;

const cases: readonly Case[] = [
  // The watcher and tick take executions that ten syncs at a time need.
  { executions: 10, holds: ticksRun },
  { executions: 10, syncConcurrency: 7, holds: allSynced },
  { executions: 10, syncConcurrency: 7, neighbour: ["wants 6", steady(6)], holds: ticksRun },
  { executions: 10, syncConcurrency: 7, neighbour: ["bursts", bursts], holds: ticksRun },
  { executions: 50, holds: allSynced },
  { executions: 50, syncConcurrency: 47, stage: "prod", holds: allSynced },
  { executions: 50, neighbour: ["wants 40", steady(40)], holds: ticksRun },
  { executions: 50, neighbour: ["bursts", bursts], holds: ticksRun },
  // Nothing is left for 20 minutes: longer than a message lives.
  { executions: 102, neighbour: ["wants 200", steady(200)], minutes: 20, holds: noneDead },
  { executions: 102, neighbour: ["wants 200", steady(200)], tickReserved: 2, minutes: 20, holds: ticksRun },
];

type Figures = ReturnType<typeof figuresOf>;

/** Without the first minute, in which functions start. */
function figuresOf({ slots, throttled, refused }: Omit<Outcome, "real">) {
  const warm = slots.slice(4);
  const sum = (of: (slot: (typeof warm)[number]) => number) => warm.reduce((total, slot) => total + of(slot), 0);
  const worst = (of: (slot: (typeof warm)[number]) => number) => Math.max(0, ...warm.map(of).filter(Number.isFinite));
  const planned = sum((slot) => slot.planned);
  return {
    missed: planned === 0 ? 100 : round((100 * (planned - sum((slot) => slot.finished))) / planned),
    lagP50: round(worst(({ p50 }) => p50)),
    lagP99: round(worst(({ p99 }) => p99)),
    refused: refused.invocations,
    ticksLost: throttled.ticksLost,
    tickWait: round(throttled.longestTickWaitMs / 1_000),
    expired: throttled.expired,
    dead: throttled.dead,
  };
}

const round = (value: number) => Math.round(value * 10) / 10;

function simulatedTime(): void {
  takeOverTime();
  const exact = Date.now;
  Object.assign(Date, { now: () => Math.floor(exact()) });
  Object.assign(Math, { random: seeded(1) });
}

async function run(
  recording: Recording,
  { executions, neighbour, stage, tickReserved = 0, minutes = 5, ...one }: Case,
) {
  const own = one.syncConcurrency === undefined ? {} : { syncConcurrency: one.syncConcurrency };
  const params = { ...(stage === "prod" ? production : defaults), ...own };
  const account: AccountScenario = {
    ...{ executions, tickReserved, isWatched: true },
    ...(neighbour !== undefined && { neighbour: neighbour[1] }),
  };
  const scenario = { clusters, params, recordings: [recording], realClusters: 0, minutes, account };
  const { real, ...outcome } = await simulate({ name: `${executions}`, ...scenario });
  const about = { executions, neighbour: neighbour?.[0] ?? "none", sync: params.syncConcurrency, tickReserved };
  return { about, figures: figuresOf(outcome), real };
}

async function main(): Promise<void> {
  await readSdkSettings();
  simulatedTime();
  const recording = await record("moving", hpas);
  const rows: object[] = [];
  for (const one of cases) {
    const { about, figures, real } = await run(recording, one);
    rows.push({ ...about, ...figures });
    if (!one.holds(figures)) fail(`${JSON.stringify(about)}: expected otherwise, got ${JSON.stringify(figures)}`);
    for (const each of real.different) fail(`${JSON.stringify(about)}: ${each}`);
  }
  console.table(rows);
}

function fail(text: string): void {
  console.error(text);
  process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
