import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { withCalm } from "./calm";
import { type Dice, dice } from "./dice";
import { changeable, incidentKinds, randomHpas, randomStory, stormyStory } from "./random";
import { type Act, type HpaPlan, type Incident, keeping, type Story } from "./story";

/** Ample, and one of which rounds come every few seconds. In $ a month. */
const budgets: readonly [number, ...number[]] = [1_000, 1_000, 1_000, 0.9];

/** HPAs at zero are watched. They get work again and again, and pollers are late, paused, killed and cut off. */
export function polledStory(seed: number): Story {
  const random = dice(seededRandom(seed + 3_000_000));
  const story = [quietStory, randomStory, stormyStory][seed % 3]!(seed);
  const isStrict = story.setting.isStrict === true;
  const hpas = story.hpas.map((plan) => ({ ...plan, spec: polledSpec(random, plan, story.setting) }));
  // The lease holds while clocks differ by less than 250 ms.
  const skewsMs = random.pick([[0], [0], [0, 100, -100]]);
  const budget = random.pick(budgets);
  const { driftMs: _driftMs, ...setting } = { ...story.setting, skewsMs, watch: { budget } };
  const incidents = isStrict ? [] : [...story.incidents, ...watchIncidents(random, story.faultsEndMs)];
  const longest = Math.max(0, ...incidents.map(({ ms = 0 }) => ms));
  const acts = story.acts.filter(({ atMs }) => atMs < story.calmAtMs - 2_000);
  const calmed = withCalm(
    {
      ...{ ...story, setting, hpas, acts },
      // The clock of a paused machine goes on.
      incidents: incidents.map(({ clockStops: _clockStops, ...incident }) => incident).sort((a, b) => a.atMs - b.atMs),
    },
    Math.max(story.calmAtMs, story.faultsEndMs + longest + 200_000),
  );
  return withWakes(random, calmed);
}

/** Nothing goes wrong. */
function quietStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const setting: Story["setting"] = {
    ...{ periodSeconds: random.pick([15, 15, 15, 60]), downscaleStabilizationSeconds: 60 },
    ...{ skewsMs: [0], lagMs: random.pick([0, 200]), batchSize: random.pick([1, 4]), isStrict: true },
    ...keeping(seed),
  };
  const hpas = randomHpas(random, changeable).map(({ isLater: _isLater, ...plan }) => plan);
  return withCalm({ seed, setting, hpas, acts: [], incidents: [], faultsEndMs: 0 }, 300_000);
}

function polledSpec(random: Dice, { key, spec }: HpaPlan, { periodSeconds }: Story["setting"]): HpaSpec {
  const isLive = random.chance(0.85);
  const metrics = (spec.metrics ?? []).map((metric, index): MetricSpec => {
    const { external } = metric;
    if (!isLive || external === undefined) return metric;
    const matchLabels = { id: metricId(key, index) };
    return { ...metric, external: { ...external, metric: { name: "live", selector: { matchLabels } } } };
  });
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const { stabilizationWindowSeconds: _window, ...up } = scaleUp ?? {};
  const behavior = { ...(scaleUp && { scaleUp: up }), ...(scaleDown && { scaleDown }) };
  const { behavior: _behavior, ...others } = spec;
  return {
    ...{ ...others, minReplicas: random.chance(0.85) ? 0 : 1, metrics },
    ...(spec.behavior && { behavior }),
    // What a poller is most for.
    ...(random.chance(0.25) ? { syncPeriodSeconds: periodSeconds * random.pick([2, 4, 8]) } : {}),
  };
}

/** What pollers call. */
const calls: readonly [string, ...string[]] = [
  ...(["table GetItem LEASE", "table GetItem LEASE", "table PutItem LEASE", "table PutItem LEASE"] as const),
  ...(["table PutItem LEASE", "table BatchGetItem", "table Query IDLE", "queue send", "table Query SHARD"] as const),
];

function watchIncidents(random: Dice, endMs: number): readonly Incident[] {
  return Array.from({ length: random.pick([0, 2, 4, 8]) }, (): Incident => {
    const on = random.chance(0.5) ? random.pick(calls) : undefined;
    const atMs = random.between(0, endMs);
    return {
      ...{ atMs, fn: "watch", call: random.between(1, random.pick([10, 200])), kind: random.pick(incidentKinds) },
      ...{ ms: random.pick([300, 2_000, 5_000, 30_000, 61_000, 200_000]), variant: random.between(0, 3) },
      ...(on === undefined ? {} : { on }),
      ...(random.chance(0.5) ? { isLasting: true as const } : {}),
    };
  });
}

/** After the calm: everything goes to zero, stays there, and gets work at any moment of a slot. */
function withWakes(random: Dice, story: Story): Story {
  const { setting, hpas, checksMs } = story;
  const [first = 0, second = 0] = checksMs;
  const longest = Math.max(setting.periodSeconds, ...hpas.map(({ spec }) => spec.syncPeriodSeconds ?? 0));
  const settlingMs = second - first + 2 * longest * 1_000 + 120_000;
  const acts: Act[] = [...story.acts];
  let { endMs } = story;
  const load = (atMs: number, { key, spec }: HpaPlan, depth: number) => {
    for (const metric of (spec.metrics ?? []).keys()) acts.push({ atMs, do: "load", hpa: key, metric, depth });
  };
  for (let round = 0; round < random.pick([1, 2, 3]); round += 1) {
    for (const plan of hpas) load(endMs, plan, 0);
    endMs += settlingMs;
    for (const plan of hpas) load(endMs + random.between(0, 15_000), plan, random.pick([3, 8, 50]));
    endMs += 60_000;
  }
  return { ...story, acts: acts.sort((a, b) => a.atMs - b.atMs), endMs: endMs + 1_000 };
}
