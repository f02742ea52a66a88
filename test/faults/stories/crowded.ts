import type { HpaSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { targetPerReplica, withCalm } from "./calm";
import { dice } from "./dice";
import { type Act, type Incident, keeping, type Story } from "./story";

const hpa = "shop/h0";
const slot = 15_000;
const M = 60_000;

/**
 * For some slots, an API server answers no write of a scale, and each slot wants another size. Sooner or later one of
 * the writes is applied, and perhaps somebody scales after it. scripts/faults.mjs leaves room for two open intents.
 */
export function crowdedStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const slots = random.between(3, 7);
  const sizes = Array.from({ length: slots }, () => random.pick([0, 2, 3, 6, 7, 9, 10, 12]));
  const last = random.pick([0, 5, 20]);
  const load = (atMs: number, replicas: number): Act => {
    return { atMs, do: "load", hpa, metric: 0, depth: targetPerReplica * replicas };
  };
  const endMs = M + slots * slot;
  const acts: Act[] = [
    load(0, 4),
    ...sizes.map((size, index) => load(M + index * slot - 300, size)),
    load(endMs - 300, last),
    ...(random.chance(0.3)
      ? [{ atMs: endMs + random.between(-20_000, 20_000), do: "scale" as const, hpa, replicas: random.pick([0, 3, 8]) }]
      : []),
    ...(random.chance(0.3)
      ? [{ atMs: M + random.between(0, slots * slot), do: "annotate" as const, hpa, annotations: { note: "woken" } }]
      : []),
  ];
  // The first to land is one of the oldest, in most stories.
  const lands = random.between(0, slots - 1);
  const neverMs = 200_000;
  const incidents = sizes.flatMap((_, index): Incident[] => {
    const atMs = M + index * slot;
    const ms = index === lands ? endMs - atMs + random.between(-14_000, 8_000) : neverMs;
    // A run writes once, waits for its answer, and writes again.
    return [ms, neverMs].map((each) => ({
      ...{ atMs, untilMs: atMs + slot, fn: "sync", call: 0, on: "cluster putScale" },
      ...{ kind: "late", ms: each, isLasting: true },
    }));
  });
  const setting = {
    periodSeconds: slot / 1_000,
    downscaleStabilizationSeconds: 60,
    skewsMs: [0],
    lagMs: 0,
    batchSize: 1,
    ...keeping(seed),
  };
  const story = {
    ...{ seed, setting, incidents, hpas: [{ key: hpa, spec: spec(random.pick([6, 9, 20])), replicas: 4 }] },
    ...{ acts: acts.sort((a, b) => a.atMs - b.atMs), faultsEndMs: endMs },
  };
  return withCalm(story, M + 200_000 + slots * slot, ["all"]);
}

function spec(most: number): HpaSpec {
  const averageValue = String(targetPerReplica);
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "h0" },
    minReplicas: 0,
    maxReplicas: 20,
    metrics: [
      {
        type: "External",
        external: { metric: { name: metricId(hpa, 0) }, target: { type: "AverageValue", averageValue } },
      },
    ],
    behavior: {
      scaleUp: { policies: [{ type: "Pods", value: most, periodSeconds: 60 }] },
      scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: 20, periodSeconds: 15 }] },
    },
  };
}
