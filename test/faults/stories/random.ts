import type { HpaSpec, MetricSpec, ScalingPolicy } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { targetPerReplica, withCalm } from "./calm";
import { type Dice, dice } from "./dice";
import { type Act, type HpaPlan, type Incident, type IncidentKind, keeping, type Setting, type Story } from "./story";

/** How much happens. */
export interface Weather {
  readonly hpas: readonly [number, ...number[]];
  readonly slots: readonly [number, number];
  /** Of a change of the load, for each HPA and slot. */
  readonly load: number;
  /** Incidents for each slot. */
  readonly incidents: readonly [number, ...number[]];
  /** Of an incident on the path of a scale write. */
  readonly onWritePath: number;
}

export const changeable: Weather = {
  hpas: [1, 1, 1, 1, 1, 2, 2, 9],
  slots: [12, 50],
  load: 0.5,
  incidents: [0, 0.1, 0.3, 0.6, 1],
  onWritePath: 0.7,
};
/** Every slot wants another size, and every other scale write meets something. */
const storm: Weather = { hpas: [1], slots: [10, 18], load: 0.95, incidents: [0.7, 1.4], onWritePath: 0.9 };

/** A world of the seed's own making: its HPAs, users, loads and faults. */
export function randomStory(seed: number): Story {
  return storyIn(changeable, seed);
}

export function stormyStory(seed: number): Story {
  return storyIn(storm, seed);
}

/** As a random story, with clocks that run away and are set right, and dead letters that return at any time. */
export function driftingStory(seed: number): Story {
  const story = randomStory(seed);
  const random = dice(seededRandom(seed + 1_000_000));
  const endMs = story.calmAtMs - 2_000;
  const returns = Array.from({ length: random.between(1, 6) }, (): Act[] => {
    const atMs = random.between(0, endMs - 1);
    const byMs = random.pick([1_000, 60_000, 600_000]);
    return [
      { atMs, do: "redrive", byMs },
      { atMs: Math.min(endMs - 1, atMs + random.between(0, 120_000)), do: "redriveAll" },
    ];
  });
  const acts = [...story.acts, ...returns.flat()].sort((a, b) => a.atMs - b.atMs);
  return { ...story, acts, setting: { ...story.setting, driftMs: random.pick([500, 1_500, 4_000]) } };
}

function storyIn(weather: Weather, seed: number): Story {
  const random = dice(seededRandom(seed));
  const setting = { ...randomSetting(random, weather), ...keeping(seed) };
  const periodMs = setting.periodSeconds * 1_000;
  const hpas = randomHpas(random, weather);
  const slots = random.between(...weather.slots);
  const endOfFaultsMs = slots * periodMs;
  const acts: Act[] = [];
  for (let slot = 0; slot < slots; slot += 1)
    for (const { key, spec } of hpas)
      acts.push(...randomActs(random, { key, spec, fromMs: slot * periodMs, periodMs, weather }));
  const incidents = randomIncidents(random, { endMs: endOfFaultsMs, slots, hpas: hpas.length, periodMs, weather });
  // What was announced may be overwritten before anybody has seen it.
  for (const { atMs } of incidents)
    if (random.chance(0.1)) {
      const { key } = random.pick(hpas as [HpaPlan, ...HpaPlan[]]);
      const replicas = random.pick([0, 1, 2, 3, 6]);
      acts.push({ atMs: atMs + random.between(100, periodMs), do: "scale", hpa: key, replicas });
    }
  const longest = Math.max(0, ...incidents.map(({ ms = 0 }) => ms));
  const phases = weather === storm ? (["all", "nothing"] as const) : undefined;
  return withCalm(
    { seed, setting, hpas, acts, incidents, faultsEndMs: endOfFaultsMs },
    endOfFaultsMs + longest + 200_000,
    phases,
  );
}

function randomSetting(random: Dice, weather: Weather): Setting {
  const periodSeconds = weather === storm ? 15 : random.pick([15, 15, 15, 15, 15, 15, 30, 30, 60, 300]);
  return {
    periodSeconds,
    downscaleStabilizationSeconds: random.pick([60, 60, 120]),
    skewsMs: random.pick([[0], [0], [0], [0, 150, -150], [0, 800], [-2_000, 2_000]]),
    lagMs: random.pick([0, 200, 1_500]),
    batchSize: random.pick([1, 1, 4]),
  };
}

export function randomHpas(random: Dice, weather: Weather): readonly HpaPlan[] {
  const count = random.pick(weather.hpas);
  return Array.from({ length: count }, (_, index): HpaPlan => {
    const key = `${random.pick(["shop", "shop", "team", "ops"])}/h${index}`;
    const spec = randomSpec(random, key, weather);
    const replicas = weather === storm ? 2 : random.pick([1, 1, spec.minReplicas ?? 1, 0, 4]);
    return { key, spec, replicas, ...(random.chance(0.1) ? { isLater: true as const } : {}) };
  });
}

export function randomSpec(random: Dice, key: string, weather: Weather): HpaSpec {
  const name = key.slice(key.indexOf("/") + 1);
  const maxReplicas = random.pick([5, 10, 10, 20]);
  const minReplicas = weather === storm ? random.pick([0, 1]) : random.pick([0, 0, 0, 1, 2]);
  const metrics = Array.from({ length: random.pick([1, 1, 1, 2]) }, (_, index) => metricOf(random, key, index));
  const policies = (): [ScalingPolicy] => [
    {
      type: "Pods",
      value: random.pick([Math.ceil(maxReplicas / 4), 4]),
      periodSeconds: random.pick([15, 30, 30, 60]),
    },
  ];
  const window = (): number => random.pick([0, 30, 60, 90]);
  const behavior = random.chance(0.8)
    ? {
        behavior: {
          scaleUp: { policies: policies(), ...(random.chance(0.2) ? { stabilizationWindowSeconds: window() } : {}) },
          scaleDown: {
            ...(weather === storm ? { stabilizationWindowSeconds: 0 } : {}),
            ...(random.chance(0.8) && weather !== storm ? { stabilizationWindowSeconds: window() } : {}),
            ...(random.chance(0.3) ? { policies: policies() } : {}),
          },
        },
      }
    : {};
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas,
    maxReplicas,
    metrics,
    ...behavior,
  };
}

function metricOf(random: Dice, key: string, index: number): MetricSpec {
  const id = metricId(key, index);
  const metric = random.chance(0.2) ? { name: "periodic", selector: { matchLabels: { id } } } : { name: id };
  return {
    type: "External",
    external: { metric, target: { type: "AverageValue", averageValue: String(targetPerReplica) } },
  };
}

interface Slot {
  readonly key: string;
  readonly spec: HpaSpec;
  readonly fromMs: number;
  readonly periodMs: number;
  readonly weather: Weather;
}

export function randomActs(random: Dice, { key: hpa, spec, fromMs, periodMs, weather }: Slot): readonly Act[] {
  const when = () => fromMs + random.between(0, periodMs - 1);
  const metric = random.between(0, (spec.metrics ?? []).length - 1);
  const acts: Act[] = [];
  if (random.chance(weather.load))
    acts.push({ atMs: when(), do: "load", hpa, metric, depth: random.pick([0, 0, 8, 13, 20, 30, 50, 90]) });
  if (random.chance(0.03))
    acts.push({ atMs: when(), do: "blind", hpa, metric, answer: random.pick(["error", "empty", "hang", "nonsense"]) });
  if (random.chance(0.05)) acts.push({ atMs: when(), do: "touch", hpa });
  if (random.chance(0.03)) acts.push({ atMs: when(), do: "scale", hpa, replicas: random.pick([0, 1, 3, 7, 12]) });
  if (random.chance(0.01)) acts.push({ atMs: when(), do: "recreate", hpa, replicas: random.pick([0, 2]) });
  if (random.chance(0.03))
    acts.push({ atMs: when(), do: "edit", hpa, spec: { maxReplicas: random.pick([5, 8, 10, 20]) } });
  if (random.chance(0.02))
    acts.push({ atMs: when(), do: "edit", hpa, spec: { minReplicas: random.pick([0, 1, 2, 3]) } });
  if (random.chance(0.02)) acts.push({ atMs: when(), do: "annotate", hpa, annotations: annotations(random) });
  if (random.chance(0.01)) acts.push({ atMs: when(), do: "delete", hpa });
  if (random.chance(0.03)) acts.push({ atMs: when(), do: "create", hpa });
  if (random.chance(0.005))
    acts.push({
      ...{ atMs: when(), do: "spoil", hpa },
      how: random.pick(["nullMetric", "nullMetadata", "badBounds", "badState", "oddState"]),
    });
  if (random.chance(0.03))
    acts.push({
      ...{ atMs: when(), do: random.pick(["again", "again", "late", "redrive"]) },
      byMs: random.pick([100, 4_000, 20_000, 3 * periodMs]),
    });
  if (random.chance(0.02))
    acts.push({ atMs: when(), do: random.pick(["noTick", "twoTicks", "lateTick", "noWake", "twoWakes"]) });
  return acts;
}

function annotations(random: Dice): Readonly<Record<string, string>> {
  return random.pick<Record<string, string>>([{}, { "ebb.dev/paused": "true" }, { "ebb.dev/dry-run": "true" }]);
}

export const incidentKinds: readonly [IncidentKind, ...IncidentKind[]] = [
  "refused",
  "failedAfter",
  "answerLost",
  "late",
  "freezeBefore",
  "freezeAfter",
  "killBefore",
  "killAfter",
];

/** Most of them leave it open for a while whether the write is applied. */
const writeKinds: readonly [IncidentKind, ...IncidentKind[]] = [
  ...(["late", "late", "late", "freezeBefore", "freezeBefore", "answerLost", "failedAfter", "killAfter"] as const),
  ...(["refused", "refused", "freezeAfter"] as const),
];

/** Where most can go wrong. */
const writePath: readonly [string, ...string[]] = [
  ...([
    "cluster putScale",
    "cluster putScale",
    "cluster putScale",
    "table PutItem STATE",
    "table PutItem STATE",
  ] as const),
  ...(["table PutItem DECISION", "table PutItem prod", "table BatchGetItem", "table GetItem prod"] as const),
  ...(["cluster getScale", "cluster externalMetric", "table Query STATE"] as const),
];

interface Days {
  readonly endMs: number;
  readonly slots: number;
  readonly hpas: number;
  readonly periodMs: number;
  readonly weather: Weather;
}

export function randomIncidents(random: Dice, { endMs, slots, hpas, periodMs, weather }: Days): readonly Incident[] {
  const rate = random.pick(weather.incidents);
  const isLong = random.chance(0.1);
  const one = (fromMs: number, toMs: number): Incident => {
    const fn = random.pick<Incident["fn"]>(["sync", "sync", "sync", "sync", "sync", "sync", "tick", "wake"]);
    const on = random.chance(weather.onWritePath) ? random.pick(writePath) : undefined;
    return {
      atMs: random.between(fromMs, toMs),
      fn,
      call: random.between(1, fn === "sync" ? 10 + 7 * hpas : 6),
      kind: on === "cluster putScale" ? random.pick(writeKinds) : random.pick(incidentKinds),
      ms: random.pick([2_000, 16_000, 16_000, 35_000, 3 * periodMs, isLong ? 60 * 60_000 : 5_000]),
      variant: random.between(0, 3),
      ...(on === undefined ? {} : { on }),
      ...(random.chance(0.5) ? { isLasting: true as const } : {}),
      ...(random.chance(0.2) ? { clockStops: true as const } : {}),
    };
  };
  // One seldom comes alone.
  const incidents = Array.from({ length: Math.round((rate * slots) / 2) }, () => random.between(0, endMs)).flatMap(
    (at) => Array.from({ length: random.pick([1, 1, 2, 3]) }, () => one(at, at + 2 * periodMs)),
  );
  return incidents.sort((a, b) => a.atMs - b.atMs);
}
