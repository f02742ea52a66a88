import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { targetPerReplica, withCalm } from "./calm";
import { type Dice, dice } from "./dice";
import { type Act, type HpaPlan, keeping, type Setting, type Story } from "./story";

/** Consumers of queues whose counts lag for a minute and spike while they are idle, with slots, wakes and a poller. */
export function staleStory(seed: number): Story {
  const random = dice(seededRandom(seed + 5_000_000));
  const setting: Setting = {
    ...{ periodSeconds: random.pick([15, 15, 20, 60]), downscaleStabilizationSeconds: 60, skewsMs: [0], batchSize: 1 },
    ...{ lagMs: random.pick([0, 200]), watch: { budget: 1_000 } },
    ...keeping(seed),
  };
  const hpas = Array.from({ length: random.pick([1, 1, 2]) }, (_, index) => planOf(random, index));
  const endMs = random.between(10, 25) * 60_000;
  const acts = hpas.flatMap((plan) => actsOf(random, plan, endMs)).sort((a, b) => a.atMs - b.atMs);
  return withCalm({ seed, setting, hpas, acts, incidents: [], faultsEndMs: endMs }, endMs, ["all", "nothing"]);
}

function planOf(random: Dice, index: number): HpaPlan {
  const key = `shop/h${index}`;
  const metrics = Array.from({ length: random.pick([1, 1, 2]) }, (_, metric): MetricSpec => {
    const name = { name: "stale", selector: { matchLabels: { id: metricId(key, metric) } } };
    const target = { type: "AverageValue", averageValue: String(targetPerReplica) };
    return { type: "External", external: { metric: name, target } };
  });
  const policies = [{ type: "Pods", value: 10, periodSeconds: 15 }];
  const spec: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: key.slice(key.indexOf("/") + 1) },
    ...{ minReplicas: 0, maxReplicas: 10, metrics },
    // Shorter and longer than the slots': a minute is counted in the shorter one of the two.
    ...(random.chance(0.4) && { syncPeriodSeconds: random.pick([5, 10, 60, 120]) }),
    behavior: { scaleUp: { policies }, scaleDown: { stabilizationWindowSeconds: random.pick([0, 0, 15]), policies } },
  };
  return { key, spec, replicas: 1 };
}

/** Bursts, their end, and changes of the entry: each of these is a wake in the middle of a slot. */
function actsOf(random: Dice, { key: hpa, spec }: HpaPlan, endMs: number): readonly Act[] {
  const acts: Act[] = [];
  for (const metric of (spec.metrics ?? []).keys())
    for (let atMs = random.between(0, 60_000); atMs < endMs; atMs += random.between(60_000, 200_000)) {
      acts.push({ atMs, do: "load", hpa, metric, depth: random.pick([1, 8, 20]) });
      atMs += random.between(20_000, 200_000);
      acts.push({ atMs, do: "load", hpa, metric, depth: 0 });
    }
  for (let atMs = 0; atMs < endMs; atMs += random.between(5_000, 60_000)) {
    const maxReplicas = random.pick([9, 10, 11]);
    if (random.chance(0.6)) acts.push({ atMs, do: "edit", hpa, spec: { maxReplicas } });
    if (random.chance(0.05)) acts.push({ atMs, do: random.pick(["noTick", "twoTicks", "lateTick", "noWake"]) });
  }
  return acts;
}
