import type { HpaSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { type Dice, dice } from "./dice";
import { depthMetrics, slotMs, type StorySlot, storyInSlots } from "./in-slots";
import type { Act, HpaPlan, Story } from "./story";

/** HPAs with `ebb.dev/zero`: work comes, ends and fails; people scale to zero, and ask ebb to adopt a zero. */
export function idleStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const hpas = Array.from({ length: random.pick([1, 1, 2]) }, (_, index) => planOf(random, index));
  return storyInSlots(random, { seed, hpas }, (slot) => slotOf(random, slot));
}

function planOf(random: Dice, index: number): HpaPlan {
  const key = `shop/h${index}`;
  const ids = Array.from({ length: random.pick([1, 1, 2]) }, (_, metric) => metricId(key, metric));
  const spec: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: `h${index}` },
    minReplicas: 0,
    maxReplicas: 10,
    metrics: depthMetrics(ids),
    behavior: {
      scaleUp: { policies: [{ type: "Pods", value: 10, periodSeconds: 15 }] },
      scaleDown: {
        stabilizationWindowSeconds: random.pick([0, 30, 90]),
        policies: [{ type: "Pods", value: 1, periodSeconds: random.pick([15, 60]) }],
      },
    },
  };
  const zero = { afterSeconds: random.pick([0, 20, 45, 90]), from: random.pick([1, 1, 2, 3]) };
  return { key, spec, replicas: random.pick([0, 1, 3]), zero };
}

function slotOf(random: Dice, { hpa, spec, fromMs }: StorySlot): readonly Act[] {
  const when = () => fromMs + random.between(0, slotMs - 1);
  const metric = random.between(0, (spec.metrics ?? []).length - 1);
  const acts: Act[] = [];
  if (random.chance(0.4)) acts.push({ atMs: when(), do: "load", hpa, metric, depth: random.pick([0, 0, 0, 8, 40]) });
  if (random.chance(0.08))
    acts.push({ atMs: when(), do: "blind", hpa, metric, answer: random.pick(["error", "empty"]) });
  if (random.chance(0.15)) acts.push({ atMs: when(), do: "edit", hpa, spec: { maxReplicas: random.pick([9, 10]) } });
  if (random.chance(0.12)) acts.push({ atMs: when(), do: "scale", hpa, replicas: random.pick([0, 0, 1, 3]) });
  // Two requests at once are two of these. What one has named may be another zero when it is written.
  while (random.chance(0.2))
    acts.push({ atMs: when(), do: "adopt", hpa, afterMs: random.pick([0, 400, 5_000, 40_000]) });
  if (random.chance(0.02)) acts.push({ atMs: when(), do: "recreate", hpa, replicas: random.pick([0, 2]) });
  if (random.chance(0.03))
    acts.push({ atMs: when(), do: random.pick(["noTick", "twoTicks", "lateTick", "noWake", "twoWakes"]) });
  return acts;
}
