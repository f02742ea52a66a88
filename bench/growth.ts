import { peakMemory } from "../test/small-heap/peak-memory";
import { runBench } from "./harness/backend-process";
import type { Fleet, Side } from "./harness/fleet";
import { lightBackends, onLightBackends } from "./harness/light-cluster";
import { cpuMs } from "./harness/processes";
import { judge, measureUntil, writeReport } from "./harness/report";

/**
 * What a round costs ebb as a fleet grows: 10 to 10,000 HPAs that follow queues, and 500 HPAs with 0 to 100,000 pods.
 * Shards are as the tick makes them, and synced one after another, as by as many functions.
 */
export interface GrowthPoint {
  /** HPAs or pods. */
  readonly count: number;
  /** Milliseconds of CPU time for a round. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The most that the process held, in MB. */
  readonly megabytes: number;
}

export interface GrowthCurve {
  readonly what: "HPAs" | "pods";
  /** Each run has every point, in order. */
  readonly runs: readonly (readonly GrowthPoint[])[];
  /** How much more one HPA or pod costs at the last point than at `middle`, by run. */
  readonly ratios: readonly number[];
  readonly middle: number;
}

interface Plan {
  readonly what: GrowthCurve["what"];
  readonly counts: readonly number[];
  /** Of `counts`: where the cost of one more is no longer that of a round. */
  readonly middle: number;
  readonly fleetOf: (count: number) => Fleet;
}

const hpas: Plan = {
  what: "HPAs",
  counts: [10, 100, 1_000, 10_000],
  middle: 1_000,
  fleetOf: (count) => ({
    ...{ name: `${count} External`, count, periodSeconds: 15 },
    namespaces: Math.max(1, count / 1_000), // a shard each: the tick splits at namespaces
  }),
};
const podHpas = 500;
/** 10 namespaces, a shard each: the tick splits at namespaces. */
const pods: Plan = {
  what: "pods",
  counts: [0, 1_000, 10_000, 100_000],
  middle: 10_000,
  fleetOf: (count) => ({
    ...{ name: `${count} pods`, count: podHpas, pods: count / podHpas, periodSeconds: 15 },
    ...{ namespaces: 10, perShard: podHpas / 10 },
  }),
};

/** Machines are shared: linear growth is at most this much more for each one, in the best of three runs. */
const mostRatio = 1.25;
const runs = 3;

async function measure(fleet: Fleet): Promise<Omit<GrowthPoint, "count">> {
  const size = Math.max(fleet.count, (fleet.count * (fleet.pods ?? 0)) / 10);
  // Small fleets need more rounds until V8 has compiled a round, and until /proc's 10 ms say something.
  const rounds = Math.min(40, Math.max(2, Math.ceil(2_000 / size)));
  const warmUps = Math.min(60, Math.max(2, Math.ceil(6_000 / size)));
  return onLightBackends(fleet, { shardsAtOnce: 1 }, async (ebb) => {
    await repeat(warmUps, ebb);
    const before = cpuMs(ebb.pid);
    const startedAt = performance.now();
    await repeat(rounds, ebb);
    const wallMs = (performance.now() - startedAt) / rounds;
    return { cpuMs: (cpuMs(ebb.pid) - before) / rounds, wallMs, megabytes: peakMemory(ebb.pid) };
  });
}

async function repeat(rounds: number, ebb: Side): Promise<void> {
  for (let round = 0; round < rounds; round++) await ebb.round();
}

async function grow({ what, middle, fleetOf }: Plan, counts: readonly number[]): Promise<GrowthCurve> {
  const measureAll = async () => {
    const points: GrowthPoint[] = [];
    for (const count of counts) {
      const point = { count, ...(await measure(fleetOf(count))) };
      points.push(point);
      const { cpuMs: cpu, wallMs, megabytes } = point;
      console.log(`${count} ${what}: ${cpu.toFixed(1)} ms of CPU a round, ${wallMs.toFixed(0)} ms, ${megabytes} MB`);
    }
    return points;
  };
  const all = await measureUntil(runs, measureAll, (points) => ratioOf(points, middle) <= mostRatio);
  return { what, runs: all, ratios: all.map((points) => ratioOf(points, middle)), middle };
}

/** Cost of one at the last point, beside that at `middle`. */
function ratioOf(points: readonly GrowthPoint[], middle: number): number {
  const each = (point: GrowthPoint | undefined) => (point === undefined ? NaN : point.cpuMs / point.count);
  return each(points.at(-1)) / each(points.find(({ count }) => count === middle));
}

async function main(): Promise<void> {
  const isFull = process.argv.includes("--full");
  // The quick form's last point is as far from its middle as it takes to see a square: three times.
  const quick = { hpas: [100, 1_000, 3_000], pods: [0, 10_000, 30_000] };
  const curves = [
    await grow(hpas, isFull ? hpas.counts : quick.hpas),
    await grow(pods, isFull ? pods.counts : quick.pods),
  ];
  for (const { what, ratios, middle } of curves)
    judge(`${what}: one costs, beside one of ${middle}`, Math.min(...ratios), mostRatio, " times");
  writeReport("growth", { form: isFull ? "full" : "quick", curves, mostRatio });
}

runBench(main, lightBackends);
