import { seededRandom } from "../../../local/random";
import { calmAfter, withCalm } from "./calm";
import { type Dice, dice } from "./dice";
import { randomActs, randomHpas, randomIncidents, type Weather } from "./random";
import type { Act, Incident, Setting, Story } from "./story";

const minuteMs = 60_000;
const leastMs = 6 * 60 * minuteMs;

/** For each step of a stretch, not for each slot: hours pass in which nothing happens but slots. */
const fair: Weather = {
  hpas: [1, 1, 1, 2, 3],
  slots: [1, 4],
  load: 0.6,
  incidents: [0.1, 0.3, 0.6],
  onWritePath: 0.5,
};

/** Only the load changes, and seldom. */
const quiet: Weather = { ...fair, load: 0.1, incidents: [0] };

/** A stretch of time: at least six hours, and at least so many slots. */
const stretchSlots = [100, 300, 1_000, 3_000] as const;

/**
 * Hours, days or weeks in the life of a few HPAs, with any sync period that ebb allows from the default on. The
 * load changes now and then, and seldom something goes wrong, or nothing for weeks. Every stretch ends in a calm, after
 * which each healthy HPA must be where its metrics want it.
 */
export function longStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const setting: Setting = {
    periodSeconds: drawnPeriod(random),
    downscaleStabilizationSeconds: random.pick([60, 300, 300]),
    skewsMs: random.pick([[0], [0], [0, 150, -150], [0, 800]]),
    lagMs: random.pick([0, 200, 1_500]),
    batchSize: random.pick([1, 1, 4]),
  };
  const periodMs = setting.periodSeconds * 1_000;
  const hpas = randomHpas(random, fair);
  const stretches = random.between(...fair.slots);
  const acts: Act[] = [];
  const incidents: Incident[] = [];
  const checksMs: number[] = [];
  for (let stretch = 1, atMs = 0; ; stretch += 1) {
    const weather = random.chance(0.3) ? quiet : fair;
    const stepMs = Math.max(random.pick([10, 20, 60]) * minuteMs, 4 * periodMs);
    const steps = Math.ceil(Math.max(leastMs, random.pick(stretchSlots) * periodMs) / stepMs);
    const endMs = atMs + steps * stepMs;
    for (const { key } of hpas) if (stretch > 1) acts.push({ atMs, do: "create", hpa: key });
    for (let fromMs = atMs; fromMs < endMs; fromMs += stepMs)
      for (const { key, spec } of hpas)
        acts.push(
          ...randomActs(random, { key, spec, fromMs, periodMs: stepMs, weather }).filter(({ do: what }) =>
            // What a spoiled state still promises is little, for the rest of its days.
            weather === quiet ? what === "load" : what !== "spoil",
          ),
        );
    const closeMs = Math.max(minuteMs, periodMs);
    const days = { endMs: endMs - atMs, slots: steps, hpas: hpas.length, periodMs: closeMs, weather };
    const met = randomIncidents(random, days);
    for (const each of met) incidents.push({ ...each, atMs: each.atMs + atMs, untilMs: endMs });
    const longest = Math.max(0, ...met.map(({ ms = 0 }) => ms));
    const calmFromMs = endMs + longest + 200_000;
    acts.sort((a, b) => a.atMs - b.atMs);
    if (stretch === stretches) {
      const story = withCalm({ seed, setting, hpas, acts, incidents, faultsEndMs: endMs }, calmFromMs);
      return { ...story, checksMs: [...checksMs, ...story.checksMs] };
    }
    const night = calmAfter({ setting, hpas, acts }, calmFromMs, ["all", "some"]);
    acts.push(...night.acts);
    checksMs.push(...night.checksMs);
    atMs = night.endMs;
  }
}

/** In seconds. Some are no multiple of a minute, and no part of one. */
function drawnPeriod(random: Dice): number {
  if (random.chance(0.3)) return Math.round(15 * 240 ** (random.between(0, 1_000) / 1_000));
  return random.pick([15, 30, 60, 300, 600, 900, 1_800, 3_600, 3_600, 3_600]);
}
