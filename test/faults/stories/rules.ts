import type { HpaSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { type Dice, dice } from "./dice";
import { depthMetrics, slotMs, type StorySlot, storyInSlots } from "./in-slots";
import type { Act, HpaPlan, Story } from "./story";

/** HPAs at the edge of zero, whose metrics have rules: counts come and go, fail, and are read between the slots. */
export function rulesStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const hpas = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => planOf(random, index));
  return storyInSlots(random, { seed, hpas }, (slot) => slotOf(random, slot));
}

function planOf(random: Dice, index: number): HpaPlan {
  const key = `shop/h${index}`;
  const ids = Array.from({ length: random.pick([1, 1, 1, 2]) }, (_, metric) => metricId(key, metric));
  const policies = [{ type: "Pods", value: 10, periodSeconds: 15 }];
  const spec: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: key.slice(key.indexOf("/") + 1) },
    minReplicas: 0,
    maxReplicas: 10,
    metrics: depthMetrics(ids),
    behavior: {
      scaleUp: { policies },
      scaleDown: { stabilizationWindowSeconds: random.pick([0, 0, 15, 30]), policies },
    },
  };
  const rules = Object.fromEntries(
    ids.map((id) => [
      id,
      {
        confirm: random.pick([1, 2, 2, 3]),
        confirmWake: random.pick([1, 2, 2]),
        ...(random.chance(0.4) && {
          fallback: { after: random.pick([0, 30, 60]), replicas: random.between(1, 4) },
        }),
      },
    ]),
  );
  return { key, spec, replicas: random.pick([1, 3]), rules };
}

function slotOf(random: Dice, { hpa, spec, fromMs }: StorySlot): readonly Act[] {
  const when = () => fromMs + random.between(0, slotMs - 1);
  const metric = random.between(0, (spec.metrics ?? []).length - 1);
  const acts: Act[] = [];
  if (random.chance(0.6)) acts.push({ atMs: when(), do: "load", hpa, metric, depth: random.pick([0, 0, 0, 8, 20]) });
  if (random.chance(0.12))
    acts.push({ atMs: when(), do: "blind", hpa, metric, answer: random.pick(["error", "empty"]) });
  // Each change of the entry is a wake.
  if (random.chance(0.3)) acts.push({ atMs: when(), do: "edit", hpa, spec: { maxReplicas: random.pick([9, 10, 11]) } });
  if (random.chance(0.02)) acts.push({ atMs: when(), do: "scale", hpa, replicas: random.pick([0, 1, 3]) });
  if (random.chance(0.02))
    acts.push({ atMs: when(), do: "annotate", hpa, annotations: random.pick([{}, { "ebb.dev/paused": "true" }]) });
  if (random.chance(0.02)) acts.push({ atMs: when(), do: "recreate", hpa, replicas: 2 });
  if (random.chance(0.03))
    acts.push({ atMs: when(), do: random.pick(["noTick", "twoTicks", "lateTick", "noWake", "twoWakes"]) });
  return acts;
}
