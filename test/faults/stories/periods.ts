import type { HpaSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { withCalm } from "./calm";
import { type Dice, dice } from "./dice";
import { momentStory } from "./moment";
import { driftingStory, randomStory, stormyStory } from "./random";
import { rulesStory } from "./rules";
import { type Act, type HpaPlan, keeping, type Story } from "./story";
import { upgradeStory } from "./troubled";

/** 0.1.0, which knows no own periods and no poller, and this version on one table. */
export function mixedStory(seed: number): Story {
  const story = upgradeStory(seed);
  const random = dice(seededRandom(seed + 4_000_000));
  const { periodSeconds } = story.setting;
  const hpas = story.hpas.map((plan) => (random.chance(0.7) ? withPeriod(random, plan, periodSeconds) : plan));
  const watch = random.chance(0.5) ? { watch: { budget: 1_000 } } : {};
  const setting = { ...story.setting, ...keeping(seed), ...watch, annotatesPeriods: true as const };
  const acts = story.acts.filter(({ atMs }) => atMs < story.calmAtMs - 2_000);
  return withCalm({ ...story, setting, hpas, acts }, story.calmAtMs);
}

const base = [randomStory, randomStory, stormyStory, momentStory, rulesStory, driftingStory] as const;

/** A story of another kind, in which most HPAs have periods of their own, and people change them. */
export function periodsStory(seed: number): Story {
  const story = base[seed % base.length]!(seed);
  const random = dice(seededRandom(seed + 2_000_000));
  const { periodSeconds } = story.setting;
  const hpas = story.hpas.map((plan) => (random.chance(0.8) ? withPeriod(random, plan, periodSeconds) : plan));
  const before = story.acts.filter(({ atMs }) => atMs < story.calmAtMs - 2_000);
  const changes = hpas.flatMap(({ key, rules }) =>
    // How a rule counts over a change of the period, the checks do not know.
    Array.from({ length: rules === undefined ? random.pick([0, 0, 1, 3]) : 0 }, (): Act => {
      const atMs = random.between(0, story.faultsEndMs - 1);
      return { atMs, do: "edit", hpa: key, spec: { syncPeriodSeconds: drawn(random, periodSeconds) } };
    }),
  );
  // What a check waits for is by the plan's period.
  const last = hpas.map(({ key, spec }): Act => {
    const { syncPeriodSeconds = periodSeconds } = spec;
    return { atMs: story.calmAtMs - 3_000, do: "edit", hpa: key, spec: { syncPeriodSeconds } };
  });
  const acts = [...before, ...changes, ...last].sort((a, b) => a.atMs - b.atMs);
  return withCalm({ ...story, hpas, acts }, story.calmAtMs);
}

/** Some are no multiple of the cluster's, and some are shorter. */
function drawn(random: Dice, clusterSeconds: number): number {
  const times = random.pick([1 / 3, 2 / 3, 1, 4 / 3, 2, 2, 3, 4, 4, 8, 20]);
  return Math.min(3_600, Math.round(clusterSeconds * times));
}

/** With windows in which several of its syncs are. */
function withPeriod(random: Dice, plan: HpaPlan, clusterSeconds: number): HpaPlan {
  const syncPeriodSeconds = drawn(random, clusterSeconds);
  const { behavior } = plan.spec;
  const stabilizationWindowSeconds = Math.min(3_600, Math.round(syncPeriodSeconds * random.pick([0, 1, 2, 2.5, 4])));
  const scaleDown = { ...behavior?.scaleDown, stabilizationWindowSeconds };
  const spec: HpaSpec = { ...plan.spec, syncPeriodSeconds, ...(behavior && { behavior: { ...behavior, scaleDown } }) };
  return { ...plan, spec };
}
