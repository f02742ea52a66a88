import { seededRandom } from "../../../local/random";
import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";
import { withCalm } from "./calm";
import { type Dice, dice } from "./dice";
import { changeable, randomIncidents, randomSpec } from "./random";
import { type Act, type HpaPlan, type Incident, keeping, type Lie, type Setting, type Story } from "./story";

const periodMs = 15_000;

/** Users and backends write and answer what nobody should. In most stories nothing else fails. */
export function malformedStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const hpas = plans(random, random.between(2, 7));
  const slots = random.between(20, 36);
  const isStrict = random.chance(0.7);
  const breaksCluster = random.chance(0.3);
  const acts = loads(random, hpas, slots);
  for (let slot = 2; slot < slots; slot += 1) {
    const { key: hpa } = random.pick(hpas);
    const atMs = slot * periodMs + random.between(0, periodMs - 1);
    const how = random.between(1, 1e9);
    if (random.chance(0.3)) {
      acts.push({ atMs, do: "corrupt", hpa, item: random.pick(["HPA", "HPA", "STATE", "STATE", "EVENTS"]), how });
      if (random.chance(0.6)) acts.push({ atMs: atMs + random.between(1_000, 90_000), do: "repair", hpa });
    }
    if (random.chance(0.1)) acts.push({ atMs, do: "stray", cluster: "prod", how });
    const about = random.pick<Lie>(["metric", "metric", "scale"]);
    if (random.chance(0.15)) acts.push({ atMs, do: "lie", hpa, about, how, ms: random.pick([5_000, 20_000, 60_000]) });
  }
  if (breaksCluster) {
    const atMs = random.between(120_000, 180_000);
    const item = random.pick<"CLUSTER" | "SHARD">(["CLUSTER", "SHARD", "SHARD"]);
    acts.push({ atMs, do: "corruptCluster", cluster: "prod", item, how: random.between(1, 1e9) });
    acts.push({ atMs: atMs + random.between(1_000, 150_000), do: "repairCluster", cluster: "prod" });
  }
  return troubled(seed, random, { hpas, acts, slots, isStrict });
}

/** HPAs on metrics of pods, whose lists are old, incomplete or something else. */
export function podsStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const hpas = plans(random, random.between(1, 4), { change: onPods });
  const slots = random.between(20, 36);
  const acts = loads(random, hpas, slots);
  for (let slot = 2; slot < slots; slot += 1) {
    const { key: hpa } = random.pick(hpas);
    const atMs = slot * periodMs + random.between(0, periodMs - 1);
    const ms = random.pick([5_000, 20_000, 60_000]);
    if (random.chance(0.2)) acts.push({ atMs, do: "stalePods", hpa, of: random.pick(["list", "metrics"]), ms });
    if (random.chance(0.2)) acts.push({ atMs, do: "missingPods", hpa, every: random.pick([1, 2, 3]), ms });
    const about = random.pick<Lie>(["pods", "podMetrics", "podMetrics"]);
    if (random.chance(0.3)) acts.push({ atMs, do: "lie", hpa, about, how: random.between(1, 1e9), ms });
    if (random.chance(0.05)) acts.push({ atMs, do: "scale", hpa, replicas: random.pick([1, 3, 7]) });
  }
  return troubled(seed, random, { hpas, acts, slots, isStrict: random.chance(0.5) });
}

/** Two or three clusters, one of which fails in every way. Nothing of that may show on the others. */
export function clustersStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const clusters = random.pick([
    ["prod", "bad"],
    ["prod", "bad", "test"],
  ]);
  const hpas = plans(random, 2 * clusters.length, { clusters });
  const slots = random.between(20, 36);
  const acts = loads(random, hpas, slots);
  const cluster = "bad";
  for (let slot = 2; slot < slots; slot += random.between(1, 6)) {
    const atMs = slot * periodMs + random.between(0, periodMs - 1);
    const ms = random.pick([5_000, 40_000, 120_000]);
    const how = random.between(1, 1e9);
    const item = random.pick<"CLUSTER" | "SHARD">(["CLUSTER", "SHARD"]);
    if (random.chance(0.7))
      acts.push({ atMs, do: "outage", cluster, how: random.pick(["hang", "refuse", "garbage"]), ms });
    else acts.push({ atMs, do: "corruptCluster", cluster, item, how });
  }
  const endMs = slots * periodMs;
  if (random.chance(0.5)) acts.push({ atMs: endMs, do: "outage", cluster, how: "hang", ms: 1e9 });
  acts.push({ atMs: endMs + 150_000, do: "repairCluster", cluster });
  return troubled(seed, random, { hpas, acts, slots, isStrict: true });
}

/** 0.1.0 and the code under test on one table: a deployment, a rollback, both at once. In the calm, only the latter. */
export function upgradeStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const hpas = plans(random, random.between(1, 5));
  const slots = random.between(20, 36);
  const acts = loads(random, hpas, slots);
  const end = slots * periodMs;
  for (let atMs = random.between(60_000, 150_000); atMs < end; atMs += random.between(20_000, 200_000))
    acts.push({ atMs, do: "deploy", version: random.pick(["old", "new", "both", "both"]) });
  acts.push({ atMs: end, do: "deploy", version: "new" });
  for (let slot = 2; slot < slots; slot += 1) {
    const { key: hpa } = random.pick(hpas);
    const atMs = slot * periodMs + random.between(0, periodMs - 1);
    if (random.chance(0.1)) acts.push({ atMs, do: "scale", hpa, replicas: random.pick([1, 3, 7]) });
    if (random.chance(0.1)) acts.push({ atMs, do: "edit", hpa, spec: { maxReplicas: random.pick([5, 8, 10]) } });
    if (random.chance(0.1)) acts.push({ atMs, do: "again", byMs: random.pick([100, 4_000, 20_000]) });
  }
  // Without faults: under them, 0.1.0 forgets announcements whose writes can still land.
  const story = troubled(seed, random, { hpas, acts, slots, isStrict: true });
  const { isServed: _, ...setting } = story.setting;
  return { ...story, setting: { ...setting, firstVersion: random.pick(["old", "old", "both"]) } };
}

interface Troubled {
  readonly hpas: readonly HpaPlan[];
  readonly acts: readonly Act[];
  readonly slots: number;
  readonly isStrict: boolean;
}

function troubled(seed: number, random: Dice, { hpas, acts, slots, isStrict }: Troubled): Story {
  const endMs = slots * periodMs;
  const setting: Setting = {
    ...{ periodSeconds: 15, downscaleStabilizationSeconds: 60, isServed: true },
    skewsMs: random.pick([[0], [0, 150, -150]]),
    lagMs: random.pick([0, 200, 1_500]),
    batchSize: random.pick([1, 1, 4]),
    ...(isStrict ? { isStrict: true as const } : {}),
    ...keeping(seed),
  };
  const days = { endMs, slots, hpas: hpas.length, periodMs, weather: changeable };
  const incidents: readonly Incident[] = isStrict ? [] : randomIncidents(random, days);
  const longest = Math.max(0, ...incidents.map(({ ms = 0 }) => ms));
  const sorted = [...acts].sort((a, b) => a.atMs - b.atMs);
  const story = { seed, setting, hpas, acts: sorted, incidents, faultsEndMs: endMs };
  return withCalm(story, endMs + longest + 200_000, ["all", "nothing"]);
}

interface Plans {
  /** They take turns. */
  readonly clusters?: readonly string[];
  readonly change?: (random: Dice, spec: HpaSpec, index: number) => HpaSpec;
}

function plans(
  random: Dice,
  count: number,
  { clusters = ["prod"], change = (_, spec) => spec }: Plans = {},
): readonly [HpaPlan, ...HpaPlan[]] {
  const all = Array.from({ length: count }, (_, index): HpaPlan => {
    const key = `${random.pick(["shop", "shop", "team"])}/h${index}`;
    const spec = change(random, randomSpec(random, key, changeable), index);
    const cluster = clusters[index % clusters.length] ?? "prod";
    return { key, spec, replicas: Math.max(1, spec.minReplicas ?? 1), ...(cluster === "prod" ? {} : { cluster }) };
  });
  return all as [HpaPlan, ...HpaPlan[]];
}

/** Its first metric is of pods. Without an External one beside it, it cannot go to zero. */
function onPods(random: Dice, spec: HpaSpec, index: number): HpaSpec {
  const target = { type: "AverageValue", averageValue: "500m" } as const;
  const metric: MetricSpec = random.chance(0.5)
    ? { type: "Resource", resource: { name: "cpu", target } }
    : { type: "Pods", pods: { metric: { name: `requests-${index}` }, target } };
  const others = random.chance(0.4) ? (spec.metrics ?? []).slice(1) : [];
  const metrics = [metric, ...others];
  return {
    ...spec,
    metrics,
    minReplicas: others.length > 0 ? (spec.minReplicas ?? 1) : Math.max(1, spec.minReplicas ?? 1),
  };
}

function loads(random: Dice, hpas: readonly HpaPlan[], slots: number): Act[] {
  const acts: Act[] = [];
  for (let slot = 0; slot < slots; slot += 1)
    for (const { key: hpa, spec } of hpas) {
      if (!random.chance(0.3)) continue;
      const metric = random.between(0, (spec.metrics ?? []).length - 1);
      const atMs = slot * periodMs + random.between(0, periodMs - 1);
      acts.push({ atMs, do: "load", hpa, metric, depth: random.pick([0, 0, 8, 13, 20, 30, 50, 90]) });
    }
  return acts;
}
