import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";
import { targetPerReplica, withCalm } from "./calm";
import type { Dice } from "./dice";
import { changeable, randomIncidents } from "./random";
import type { Act, HpaPlan, Incident, Setting, Story } from "./story";

export const slotMs = 15_000;

/** A slot of one HPA, from `fromMs` on. */
export interface StorySlot {
  readonly hpa: string;
  readonly spec: HpaSpec;
  readonly fromMs: number;
}

/** Some minutes in which things happen to each HPA in each slot. */
export function storyInSlots(
  random: Dice,
  { seed, hpas, isServed }: Pick<Story, "seed" | "hpas"> & Pick<Setting, "isServed">,
  actsIn: (slot: StorySlot) => readonly Act[],
  incidentsUntil: (endMs: number) => readonly Incident[] = () => [],
): Story {
  const slots = random.between(16, 40);
  const acts = hpas.flatMap(({ key, spec }: HpaPlan) =>
    Array.from({ length: slots }, (_, slot) => actsIn({ hpa: key, spec, fromMs: slot * slotMs })).flat(),
  );
  const setting: Setting = {
    ...{ periodSeconds: 15, downscaleStabilizationSeconds: 60, skewsMs: [0], batchSize: 1 },
    lagMs: random.pick([0, 200, 1_500]),
    ...(isServed && { isServed }),
  };
  const days = { endMs: slots * slotMs, slots, hpas: hpas.length, periodMs: slotMs, weather: changeable };
  const anywhere = random.chance(0.4) ? [] : randomIncidents(random, days);
  const incidents = [...anywhere, ...incidentsUntil(days.endMs)].sort((a, b) => a.atMs - b.atMs);
  const longest = Math.max(0, ...incidents.map(({ ms = 0 }) => ms));
  const sorted = [...acts].sort((a, b) => a.atMs - b.atMs);
  const story = { seed, setting, hpas, acts: sorted, incidents, faultsEndMs: days.endMs };
  return withCalm(story, days.endMs + longest + 200_000, ["all", "nothing"]);
}

/** Each asks for `targetPerReplica` a replica. */
export function depthMetrics(ids: readonly string[]): readonly MetricSpec[] {
  return ids.map((name) => {
    const target = { type: "AverageValue", averageValue: String(targetPerReplica) };
    return { type: "External", external: { metric: { name }, target } };
  });
}
