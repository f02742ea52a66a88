import { type ApiServer, startApiServer } from "../../test/e2e/servers/api-server";
import { startAwsBackend } from "../harness/aws-backend";
import { createFleet, grantEbb } from "./cluster";
import { startEbb } from "../harness/ebb";
import type { Fleet, Load, Side } from "../harness/fleet";
import { measure, type Measured } from "./measure";
import { type MetricsApi, serveMetrics } from "./metrics-api";
import { type Memory, type Pair, runScaling, runStill, settle, type Sides } from "./runs";
import { startUpstream } from "./upstream";

export type Situation = "steady" | "moving" | "scaling";

export interface FleetRuns {
  readonly fleet: Fleet;
  readonly pairs: Readonly<Record<Situation, readonly Pair[]>>;
  /** The scale writes of a round in which everything scales, and nothing else. */
  readonly writesAlone: readonly Measured[];
  /** A steady round of upstream's controller with the limits that it has by default. */
  readonly byDefault?: Measured;
  /** Upstream's controller without limits on its requests, with as many HPAs at a time as it has by default: five. */
  readonly fiveAtOnce?: Readonly<Record<"steady" | "moving", Measured>>;
  /** The most that each process held in the first rounds. */
  readonly memory: Memory;
}

export interface Plan {
  readonly fleet: Fleet;
  readonly runs: number;
  readonly scaling: boolean;
  readonly byDefault: boolean;
  readonly fiveAtOnce: boolean;
}

/** To standard error, so that the figures can be kept without it. */
function progress(what: string): void {
  console.error(`${String(Math.round(performance.now() / 1_000)).padStart(5)} s  ${what}`);
}

const lifted = { queriesPerSecond: 100_000, syncs: 50 };

/** Servers of its own for each fleet. Runs take turns, so that a busy machine slows both sides. */
export async function runFleet(plan: Plan): Promise<FleetRuns> {
  const { fleet } = plan;
  const ending: (() => unknown)[] = [];
  try {
    progress(`${fleet.name}: starting the API server`);
    const apiServer = await startApiServer();
    ending.push(() => apiServer.stop());
    await grantEbb(apiServer);
    const metrics = await serveMetrics(apiServer, fleet);
    ending.push(() => metrics.stop());
    const aws = await startAwsBackend();
    ending.push(() => aws.stop());
    progress(`${fleet.name}: creating ${fleet.count} Deployments`);
    await createFleet(apiServer, fleet);
    const ebb = await startEbb(apiServer, { aws, metrics }, fleet, { shardsAtOnce: 1 });
    ending.push(() => ebb.stop());
    const { periodSeconds } = fleet;
    const start = () => startUpstream(apiServer, { metrics, fleet }, { ...lifted, periodSeconds });
    return await runAll({ apiServer, fleet, ebb, startUpstream: start }, plan, metrics);
  } finally {
    for (const end of ending.reverse()) await end();
  }
}

async function runAll(sides: Sides, plan: Plan, metrics: MetricsApi): Promise<FleetRuns> {
  const { apiServer, fleet } = sides;
  const pairs: Record<Situation, Pair[]> = { steady: [], moving: [], scaling: [] };
  const writesAlone: Measured[] = [];
  let load: Load = { moves: 0, grown: 0 };
  progress(`${fleet.name}: first rounds`);
  const memory = await settle(sides, load);
  for (let run = 0; run < plan.runs; run++) {
    progress(`${fleet.name}: steady and moving, run ${run + 1} of ${plan.runs}`);
    const still = await runStill(sides, load);
    pairs.steady.push(still.steady);
    pairs.moving.push(still.moving);
    load = still.load;
  }
  for (let run = 0; plan.scaling && run < plan.runs; run++) {
    progress(`${fleet.name}: scaling, run ${run + 1} of ${plan.runs}`);
    const grown = await runScaling(sides, load);
    pairs.scaling.push(grown.scaling);
    writesAlone.push(grown.writesAlone);
    load = grown.load;
  }
  if (plan.fiveAtOnce) progress(`${fleet.name}: upstream, five HPAs at a time`);
  const fiveAtOnce = plan.fiveAtOnce ? await measureFiveAtOnce(sides, metrics, load) : undefined;
  if (plan.byDefault) progress(`${fleet.name}: upstream with its default limits`);
  const byDefault = plan.byDefault ? await measureDefaults(apiServer, metrics, fleet) : undefined;
  return { fleet, pairs, writesAlone, memory, ...(byDefault && { byDefault }), ...(fiveAtOnce && { fiveAtOnce }) };
}

async function measureFiveAtOnce({ apiServer, fleet }: Sides, metrics: MetricsApi, load: Load) {
  const { queriesPerSecond } = lifted;
  const { periodSeconds } = fleet;
  const start = () => startUpstream(apiServer, { metrics, fleet }, { queriesPerSecond, periodSeconds });
  // What the rounds before have changed is in every status afterwards.
  await withUpstream(start(), async (upstream) => {
    await upstream.setLoad(load);
    await upstream.round();
  });
  return withUpstream(start(), async (upstream) => {
    const steady = await measure(apiServer, upstream);
    await upstream.setLoad({ ...load, moves: load.moves + 1 });
    return { steady, moving: await measure(apiServer, upstream) };
  });
}

function measureDefaults(apiServer: ApiServer, metrics: MetricsApi, fleet: Fleet): Promise<Measured> {
  const started = startUpstream(apiServer, { metrics, fleet }, { periodSeconds: 15 });
  return withUpstream(started, (upstream) => measure(apiServer, upstream));
}

async function withUpstream<T>(starting: Promise<Side>, use: (upstream: Side) => Promise<T>): Promise<T> {
  const upstream = await starting;
  try {
    return await use(upstream);
  } finally {
    await upstream.stop();
  }
}
