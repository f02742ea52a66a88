import type { ApiServer } from "../../test/e2e/servers/api-server";
import type { Load } from "./fleet";
import { measure, type Measured } from "./measure";
import { peakMemory, processOf } from "./processes";
import type { Side } from "./side";

/** Both controllers on the same load, one right after the other. */
export interface Pair {
  readonly ebb: Measured;
  readonly upstream: Measured;
}

export interface Runs {
  readonly steady: readonly Pair[];
  readonly moving: readonly Pair[];
  /** The most that each process held, in MB. */
  readonly memory: Readonly<Record<"ebb" | "upstream" | "apiServer", number>>;
}

export interface Sides {
  readonly apiServer: ApiServer;
  readonly ebb: Side;
  /** Upstream's controller starts anew for each run, so that all its HPAs are due at once. */
  readonly startUpstream: () => Promise<Side>;
}

/** Until V8 has compiled what a slot needs, as in a function that has run for a few minutes. */
const warmUps = 10;

/** Runs in turn, so that a busy machine slows both sides. */
export async function runInTurn(sides: Sides, count: number): Promise<Runs> {
  const { apiServer, ebb } = sides;
  let load: Load = { moves: 0, grown: 0 };
  let upstreamMemory = await settle(sides, load);
  const steady: Pair[] = [];
  const moving: Pair[] = [];
  for (let run = 0; run < count; run++) {
    const next: Load = { ...load, moves: load.moves + 1 };
    await ebb.round(); // Slots were missed while upstream ran, so this one writes every state.
    const ofEbb = [await measure(apiServer, ebb)];
    await ebb.setLoad(next);
    ofEbb.push(await measure(apiServer, ebb));

    const upstream = await sides.startUpstream();
    const ofUpstream = [await measure(apiServer, upstream)];
    await upstream.setLoad(next);
    ofUpstream.push(await measure(apiServer, upstream));
    upstreamMemory = Math.max(upstreamMemory, peakMemory(upstream.pid));
    await upstream.stop();

    const [still, moved] = ofEbb.map((measured, at) => ({ ebb: measured, upstream: ofUpstream[at] ?? measured }));
    if (still && moved) {
      steady.push(still);
      moving.push(moved);
    }
    load = next;
  }
  const memory = {
    ebb: peakMemory(ebb.pid),
    upstream: upstreamMemory,
    apiServer: peakMemory(processOf("kube-apiserver")),
  };
  return { steady, moving, memory };
}

/** Lets both see every HPA once, and write what they write of a new one. */
async function settle({ ebb, startUpstream }: Sides, load: Load): Promise<number> {
  await ebb.setLoad(load);
  for (let round = 0; round < warmUps; round++) await ebb.round();
  const upstream = await startUpstream();
  await upstream.setLoad(load);
  await upstream.round();
  const memory = peakMemory(upstream.pid);
  await upstream.stop();
  return memory;
}
