import type { HpaSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { type Dice, dice } from "./dice";
import { depthMetrics, slotMs, type StorySlot, storyInSlots } from "./in-slots";
import { incidentKinds } from "./random";
import type { Act, HpaPlan, Incident, PlannedBusy, Story } from "./story";

/** HPAs with `ebb.dev/busy`: jobs begin and end, pods cannot be read, and others set costs, roll out and scale. */
export function busyStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const hpas = Array.from({ length: random.pick([1, 1, 2]) }, (_, index) => planOf(random, index));
  const rate = random.pick([0, 0.1, 0.3]);
  const odds: Odds = { ...usual, ...random.pick(more) };
  return storyInSlots(
    random,
    { seed, hpas, isServed: true },
    (slot) => slotOf(random, slot, odds),
    (endMs) => [...incidentsUntil(random, endMs, rate), ...delays(random, endMs)],
  );
}

/** Of an act in a slot. */
const usual = {
  ...{ load: 0.4, work: 0.35, unready: 0.05, unread: 0.06, cost: 0.05, rollOut: 0.03, edit: 0.08, delete: 0.01 },
  ...{ create: 0.05 },
};

type Odds = typeof usual;

/** What there is more of in a story. */
const more: readonly [Partial<Odds>, ...Partial<Odds>[]] = [
  {},
  { work: 0.8 },
  { work: 0.8, load: 0.7 },
  { unready: 0.4 },
  { unread: 0.6 },
  { cost: 0.5 },
  { rollOut: 0.2 },
  { edit: 0.35 },
  { delete: 0.15, create: 0.02 },
];

function planOf(random: Dice, index: number): HpaPlan {
  const key = `shop/h${index}`;
  const spec: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: `h${index}` },
    minReplicas: random.pick([0, 0, 1]),
    maxReplicas: 10,
    metrics: depthMetrics([metricId(key, 0)]),
    behavior: {
      scaleUp: { policies: [{ type: "Pods", value: 10, periodSeconds: 15 }] },
      scaleDown: {
        stabilizationWindowSeconds: random.pick([0, 0, 30]),
        policies: [{ type: "Pods", value: random.pick([10, 10, 3]), periodSeconds: 15 }],
      },
    },
  };
  const zero =
    spec.minReplicas === 0 && random.chance(0.3) ? { afterSeconds: random.pick([0, 20]), from: 1 } : undefined;
  return { key, spec, replicas: random.pick([4, 8, 10]), busy: ruleOf(random), ...(zero && { zero }) };
}

function ruleOf(random: Dice): PlannedBusy {
  const spares = random.chance(0.7);
  return {
    source: random.pick(["annotation", "http", "metric"]),
    spares,
    ...(spares && random.chance(0.3) && { spareForSeconds: random.pick([20, 60]) }),
  };
}

function slotOf(random: Dice, { hpa, fromMs }: StorySlot, odds: Odds): readonly Act[] {
  const at = () => ({ atMs: fromMs + random.between(0, slotMs - 1), hpa });
  const pod = () => random.between(0, 9);
  const ms = () => random.pick([4_000, 15_000, 40_000]);
  const acts: Act[] = [];
  if (random.chance(odds.load))
    acts.push({ ...at(), do: "load", metric: 0, depth: random.pick([0, 0, 5, 10, 20, 50]) });
  while (random.chance(odds.work)) acts.push({ ...at(), do: "work", pods: [pod(), pod(), pod()] });
  while (random.chance(odds.unready)) acts.push({ ...at(), do: "unready", pod: pod(), ms: ms() });
  while (random.chance(odds.unread))
    acts.push({
      ...at(),
      do: "unread",
      pod: pod(),
      how: random.pick(["item", "hang", "refuse", "nonsense"]),
      ms: ms(),
    });
  while (random.chance(odds.cost))
    acts.push({ ...at(), do: "cost", pod: pod(), cost: random.pick(["-10", "1", "5", "50"]) });
  if (random.chance(0.02)) acts.push({ ...at(), do: "cost", pod: pod() });
  if (random.chance(odds.rollOut)) acts.push({ ...at(), do: "rollOut", everyMs: random.pick([1_000, 6_000]) });
  if (random.chance(odds.edit)) acts.push({ ...at(), do: "edit", spec: { maxReplicas: random.pick([3, 6, 10]) } });
  if (random.chance(0.04)) acts.push({ ...at(), do: "busy", ...(random.chance(0.8) && { busy: ruleOf(random) }) });
  if (random.chance(0.04)) acts.push({ ...at(), do: "scale", replicas: random.pick([1, 3, 7]) });
  if (random.chance(0.05)) acts.push({ ...at(), do: "touch" });
  if (random.chance(0.04)) acts.push({ ...at(), do: "blind", metric: 0, answer: random.pick(["error", "empty"]) });
  if (random.chance(0.03))
    acts.push({ ...at(), do: "annotate", annotations: random.pick([{}, { "ebb.dev/paused": "true" }]) });
  if (random.chance(odds.delete)) acts.push({ ...at(), do: "delete" });
  if (random.chance(odds.create)) acts.push({ ...at(), do: "create" });
  if (random.chance(0.03))
    acts.push({ atMs: at().atMs, do: random.pick(["noTick", "twoTicks", "lateTick", "noWake", "twoWakes"]) });
  return acts;
}

const calls = [
  "cluster listPods",
  "cluster patchPod",
  "cluster patchPod",
  "cluster putScale",
  "table PutItem STATE",
] as const;

/** Between the costs and the size, and between both and what the table says of them. */
function incidentsUntil(random: Dice, endMs: number, rate: number): readonly Incident[] {
  return Array.from({ length: Math.round((rate * endMs) / slotMs) }, () => ({
    atMs: random.between(0, endMs),
    ...{ fn: "sync", call: 1, on: random.pick(calls), kind: random.pick(incidentKinds) },
    ms: random.pick([2_000, 5_000, 16_000]),
    variant: random.between(0, 3),
  }));
}

/** In some stories, patches or sizes get no answer, and land up to a minute later, or the state is written slowly. */
function delays(random: Dice, endMs: number): readonly Incident[] {
  const count = random.chance(0.5) ? Math.round(endMs / (4 * slotMs)) : 0;
  const on = random.pick(["cluster patchPod", "cluster putScale", "table PutItem STATE"]);
  const kind = on.startsWith("table") ? "slow" : "late";
  return Array.from({ length: count }, () => ({
    atMs: random.between(0, endMs),
    ...{ fn: "sync", call: 1, on, kind },
    ms: kind === "slow" ? 7_000 : random.pick([20_000, 40_000, 60_000]),
  }));
}
