import { seededRandom } from "../../../local/random";
import type { HpaSpec } from "../../../lib/k8s/hpa";
import { dice } from "../stories/dice";
import type { Act, HpaPlan, Setting, Story } from "../stories/story";
import { metricId } from "../world/metric-id";
import { largeSources } from "./large-sources";
import { longSelectors } from "./long-selectors";
import { manyMetrics } from "./many-metrics";
import type { Budget, Size } from "./size-plan";
import { packedBombs } from "./packed-bombs";
import { polledZeros } from "./polled-zeros";

/** The kinds of sizes. Their stories take turns: story 1 has the first one. */
export const sizes: Readonly<Record<string, Size>> = {
  "large sources": largeSources,
  "long selectors": longSelectors,
  "many metrics": manyMetrics,
  "watched zeros": polledZeros,
};

/** From the second one on, each fifth story has it, so that the first stories stay as they are. */
const bombs = { "packed bombs": packedBombs } as const;
const storiesPerBomb = 5;

/** As serverless.yml has syncMemory. */
const memoryMegabytes = 512;

/**
 * Half of the function's memory: the load, what is kept, and what is made of the load. And the steps of some seconds of
 * a processor: a hundredfold of what 1,000 usual HPAs take would be found.
 */
const common: Budget = { heapMegabytes: memoryMegabytes / 2, steps: 20_000_000 };

/** The first tick makes slots from the second one on, and the neighbours' metrics move 2.5 slots before the end. */
const leastSlots = 5;

/** The story of a seed: few slots, for each costs as much as a thousand stories' of a few HPAs. */
export function sizeStory(seed: number): Story {
  const hasBomb = seed > storiesPerBomb && seed % storiesPerBomb === 0;
  const named = Object.entries<Size>(hasBomb ? bombs : sizes);
  const [name, sizeOf] = named[(seed - 1) % named.length]!;
  const plan = sizeOf(dice(seededRandom(seed)));
  const { items, targets = [], values = {}, slots = leastSlots, incidents = [], acts = [], planted = [] } = plan;
  const setting: Setting = {
    ...{ periodSeconds: 15, downscaleStabilizationSeconds: 60, skewsMs: [0], lagMs: 0, batchSize: 1 },
    // The budget is of one process.
    ...{ isStrict: true, memoryMegabytes, maximumConcurrency: 1 },
    ...plan.setting,
  };
  const periodMs = setting.periodSeconds * 1_000;
  const endMs = Math.max(slots, leastSlots) * periodMs;
  const movesAt = endMs - 2.5 * periodMs;
  const moves = neighbours.map(({ key }): Act => ({ atMs: movesAt, do: "load", hpa: key, metric: 0, depth: 40 }));
  return {
    ...{ seed, setting, hpas: neighbours, incidents, faultsEndMs: endMs, calmAtMs: endMs, endMs },
    acts: [...acts, ...moves].sort((a, b) => a.atMs - b.atMs),
    checksMs: [endMs - 1],
    crowd: { name, items, targets, values, planted, budget: { ...common, ...plan.budget } },
  };
}

/** Before, between and after the crowd's keys. */
const neighbours: readonly HpaPlan[] = ["aaa/n0", "crow/n1", "zzz/n2"].map((key) => ({
  ...{ key, replicas: 1 },
  spec: specOf(key),
}));

function specOf(key: string): HpaSpec {
  const metric = { name: "live", selector: { matchLabels: { id: metricId(key, 0) } } };
  const target = { type: "AverageValue", averageValue: "5" } as const;
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: key.slice(key.indexOf("/") + 1) },
    ...{ minReplicas: 1, maxReplicas: 8 },
    metrics: [{ type: "External", external: { metric, target } }],
    behavior: { scaleUp: { policies: [{ type: "Pods", value: 100, periodSeconds: 15 }] } },
  };
}
