import { seededRandom } from "../../../local/random";
import { calmAfter, withCalm } from "./calm";
import { dice } from "./dice";
import { randomActs, randomHpas, randomIncidents, type Weather } from "./random";
import type { Act, Incident, Setting, Story } from "./story";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** For each step of a day, not for each slot: hours pass in which nothing happens but slots. */
const fair: Weather = {
  hpas: [1, 1, 1, 2, 3],
  slots: [1, 5],
  load: 0.6,
  incidents: [0.1, 0.3, 0.6],
  onWritePath: 0.5,
};

/**
 * Days in the life of a few HPAs: the load changes now and then, and seldom something goes wrong. Every day ends in a
 * calm, after which each healthy HPA must be where its metrics want it.
 */
export function longStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const setting: Setting = {
    periodSeconds: random.pick([15, 15, 30, 60, 60, 300, 300, 300]),
    downscaleStabilizationSeconds: random.pick([60, 300, 300]),
    skewsMs: random.pick([[0], [0], [0, 150, -150], [0, 800]]),
    lagMs: random.pick([0, 200, 1_500]),
    batchSize: random.pick([1, 1, 4]),
  };
  const hpas = randomHpas(random, fair);
  const stepMs = random.pick([10, 20, 60]) * minuteMs;
  const days = random.between(...fair.slots);
  const acts: Act[] = [];
  const incidents: Incident[] = [];
  const checksMs: number[] = [];
  for (let day = 0, atMs = 0; ; day += 1) {
    const nightMs = atMs + dayMs;
    for (const { key } of hpas) if (day > 0) acts.push({ atMs, do: "create", hpa: key });
    for (let fromMs = atMs; fromMs < nightMs; fromMs += stepMs)
      for (const { key, spec } of hpas)
        // What a spoiled state still promises is little, for the rest of its days.
        acts.push(
          ...randomActs(random, { key, spec, fromMs, periodMs: stepMs, weather: fair }).filter(
            ({ do: what }) => what !== "spoil",
          ),
        );
    const slots = dayMs / stepMs;
    const met = randomIncidents(random, { endMs: dayMs, slots, hpas: hpas.length, periodMs: minuteMs, weather: fair });
    incidents.push(...met.map((each) => ({ ...each, atMs: each.atMs + atMs, untilMs: nightMs })));
    const longest = Math.max(0, ...met.map(({ ms = 0 }) => ms));
    const calmFromMs = nightMs + longest + 200_000;
    acts.sort((a, b) => a.atMs - b.atMs);
    if (day + 1 === days) {
      const story = withCalm({ seed, setting, hpas, acts, incidents, faultsEndMs: nightMs }, calmFromMs);
      return { ...story, checksMs: [...checksMs, ...story.checksMs] };
    }
    const night = calmAfter({ setting, hpas, acts }, calmFromMs, ["all", "some"]);
    acts.push(...night.acts);
    checksMs.push(...night.checksMs);
    atMs = night.endMs;
  }
}
