import type { ApiServer } from "../../test/e2e/servers/api-server";
import { startReplicas, writeScales } from "./cluster";
import type { Fleet, Load, Side } from "../harness/fleet";
import { measure, type Measured } from "./measure";
import { peakMemory } from "../../test/small-heap/peak-memory";
import { processOf } from "../harness/processes";

/** Both controllers on the same load, one right after the other. */
export interface Pair {
  readonly ebb: Measured;
  readonly upstream: Measured;
}

export interface Sides {
  readonly apiServer: ApiServer;
  readonly fleet: Fleet;
  readonly ebb: Side;
  /** Upstream's controller restarts for each run, so that all its HPAs are due at once. */
  readonly startUpstream: () => Promise<Side>;
}

/** MB. */
export type Memory = Readonly<Record<"ebb" | "upstream" | "apiServer", number>>;

/** Until V8 has compiled what a slot needs: as a function of 10 minutes, and Lambda keeps one for hours. */
const warmUps = 40;
const mostSlots = 10;

/** Lets both see every HPA once, and write what they write of a new one. @returns the most memory of each so far */
export async function settle({ ebb, startUpstream }: Sides, load: Load): Promise<Memory> {
  await ebb.setLoad(load);
  for (let round = 0; round < warmUps; round++) await ebb.round();
  const upstream = await startUpstream();
  await upstream.setLoad(load);
  await upstream.round();
  const memory = {
    ebb: peakMemory(ebb.pid),
    upstream: peakMemory(upstream.pid),
    apiServer: peakMemory(processOf("kube-apiserver")),
  };
  await upstream.stop();
  return memory;
}

/** A round in which nothing changed, and one in which every value has moved. */
export async function runStill({ apiServer, ebb, startUpstream }: Sides, load: Load) {
  const next: Load = { ...load, moves: load.moves + 1 };
  await catchUp(ebb);
  const steady = await measure(apiServer, ebb);
  await ebb.setLoad(next);
  const moving = await measure(apiServer, ebb);

  const upstream = await startUpstream();
  await upstream.setLoad(load); // ebb reads the CPU of pods from the same API
  const upstreamSteady = await measure(apiServer, upstream);
  await upstream.setLoad(next);
  const upstreamMoving = await measure(apiServer, upstream);
  await upstream.stop();
  return {
    steady: { ebb: steady, upstream: upstreamSteady },
    moving: { ebb: moving, upstream: upstreamMoving },
    load: next,
  };
}

/**
 * A round in which every HPA scales up: first ebb's, then upstream's, on the same Deployments. Then the writes of such
 * a round, and nothing else: what every controller has to do.
 */
export async function runScaling({ apiServer, fleet, ebb, startUpstream }: Sides, load: Load) {
  const first: Load = { ...load, grown: load.grown + 1 };
  await catchUp(ebb);
  await ebb.setLoad(first);
  const ofEbb = requireScaled(await measure(apiServer, ebb), fleet);
  await startReplicas(apiServer, fleet, first);

  const second: Load = { ...load, grown: load.grown + 2 };
  const upstream = await startUpstream();
  await upstream.setLoad(first);
  await upstream.round();
  await upstream.setLoad(second);
  const ofUpstream = requireScaled(await measure(apiServer, upstream), fleet);
  await upstream.stop();
  await startReplicas(apiServer, fleet, second);

  const third: Load = { ...load, grown: load.grown + 3 };
  const writesAlone = requireScaled(await measure(apiServer, plainClient(apiServer, fleet, third)), fleet);
  await startReplicas(apiServer, fleet, third);
  await ebb.setLoad(third);
  return { scaling: { ebb: ofEbb, upstream: ofUpstream }, writesAlone, load: third };
}

function plainClient(apiServer: ApiServer, fleet: Fleet, load: Load): Pick<Side, "pid" | "round"> {
  return {
    pid: process.pid,
    async round() {
      const from = performance.now();
      await writeScales(apiServer, fleet, load);
      return { from, to: performance.now() };
    },
  };
}

/** Slots were missed while upstream ran, so the next one writes every state. */
async function catchUp(ebb: Side): Promise<void> {
  for (let slots = 1; ((await ebb.round()).missed ?? 0) > 0; slots++) {
    if (slots === mostSlots) throw new Error(`ebb did not come to every HPA in ${mostSlots} slots`);
  }
}

function requireScaled(measured: Measured, { count }: Fleet): Measured {
  const scaled = measured.requests["PUT deployments/scale"] ?? 0;
  if (scaled + measured.missed >= count) return measured; // more: upstream writes again what another write overtook
  throw new Error(`expected ${count} Deployments to scale, got ${JSON.stringify(measured.requests)}`);
}
