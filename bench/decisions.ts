import { evaluate } from "../lib/core/evaluate";
import type { Situation } from "../lib/model/situation";
import { cpuSituations, externalSituations, now } from "./situations/situations";

/** Decisions per second on one thread, from parsed objects: a pod costs the same among 20 as among 1,000. */

interface Measured {
  readonly perSecond: number;
  readonly microseconds: number;
}

/** The best of several rounds, because other work on the machine slows some of them. */
function measure(situations: readonly Situation[], rounds = 8, roundMs = 400): Measured {
  let best = 0;
  for (let round = 0; round < rounds; round += 1) {
    let decisions = 0;
    const start = performance.now();
    let elapsed = 0;
    while (elapsed < roundMs) {
      for (const situation of situations) evaluate(situation, now);
      decisions += situations.length;
      elapsed = performance.now() - start;
    }
    best = Math.max(best, (decisions * 1000) / elapsed);
  }
  return { perSecond: best, microseconds: 1_000_000 / best };
}

function main(): void {
  const measured = {
    external: measure(externalSituations()),
    20: measure(cpuSituations(20)),
    100: measure(cpuSituations(100)),
    1000: measure(cpuSituations(1000)),
  };
  const row = ({ perSecond, microseconds }: Measured, pods: number) => ({
    "decisions/s": Math.round(perSecond),
    "µs a decision": Number(microseconds.toFixed(1)),
    "µs a pod": pods === 0 ? "" : Number((microseconds / pods).toFixed(2)),
  });
  console.table({
    "External, AverageValue": row(measured.external, 0),
    "CPU, 20 pods": row(measured[20], 20),
    "CPU, 100 pods": row(measured[100], 100),
    "CPU, 1,000 pods": row(measured[1000], 1000),
  });
  const ratio = measured[1000].microseconds / 1000 / (measured[20].microseconds / 20);
  console.log(`A pod costs ${ratio.toFixed(2)} × as much among 1,000 as among 20 (1: linear, 50: quadratic).`);
}

main();
