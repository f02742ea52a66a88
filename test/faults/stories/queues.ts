import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { withCalm } from "./calm";
import { type Dice, dice } from "./dice";
import { momentStory } from "./moment";
import { pairedStory } from "./paired";
import { randomStory, stormyStory } from "./random";
import { type Act, type HpaPlan, type Incident, keeping, type Story } from "./story";
import { clustersStory } from "./troubled";
import { polledStory } from "./polled";

const base = [randomStory, stormyStory, momentStory, pairedStory, clustersStory, polledStory] as const;

/** A story of another kind, in which HPAs read queues, change which ones, and are woken by the queues' names. */
export function queuesStory(seed: number): Story {
  const story = base[seed % base.length]!(seed);
  const random = dice(seededRandom(seed + 6_000_000));
  const hpas = story.hpas.map((plan) => ({ ...plan, spec: withQueues(random, plan.key, plan.spec, "a") }));
  const { periodSeconds } = story.setting;
  const before = story.acts.filter(({ atMs }) => atMs < story.calmAtMs - 2_000);
  const changes = hpas.flatMap((plan) => changesOf(random, plan, story.faultsEndMs));
  const acts = [...before, ...changes].sort((a, b) => a.atMs - b.atMs);
  const isStrict = story.setting.isStrict === true;
  const incidents = [...story.incidents, ...(isStrict ? [] : wakeIncidents(random, story.faultsEndMs))];
  const setting = { ...story.setting, ...keeping(seed) };
  const longest = Math.max(0, ...incidents.map(({ ms = 0 }) => ms));
  const calmFromMs = Math.max(story.calmAtMs, story.faultsEndMs + longest + 2 * periodSeconds * 1_000);
  const calmed = withCalm(
    { ...story, setting, hpas, acts, incidents: incidents.sort((a, b) => a.atMs - b.atMs) },
    calmFromMs,
  );
  const alarms = hpas.flatMap((plan) => alarmsOf(random, plan, calmed));
  return { ...calmed, acts: [...calmed.acts, ...alarms].sort((a, b) => a.atMs - b.atMs) };
}

/** Two for each metric: an entry changes from one to the other, and back. */
const queueOf = (key: string, index: number, which: "a" | "b") => `${metricId(key, index)}-${which}`;

function withQueues(random: Dice, key: string, spec: HpaSpec, which: "a" | "b"): HpaSpec {
  const metrics = (spec.metrics ?? []).map((metric, index): MetricSpec => {
    const { external } = metric;
    if (external === undefined || external.metric.name === "periodic") return metric;
    const queue = queueOf(key, index, which);
    const labels = random.pick<Record<string, string>>([
      { queue },
      { queue },
      { queues: `other,${queue}` },
      { queuePrefix: queue.slice(0, -1) },
    ]);
    const matchLabels = { id: metricId(key, index), ...labels };
    return { ...metric, external: { ...external, metric: { name: "sqs", selector: { matchLabels } } } };
  });
  return { ...spec, metrics };
}

/** Somebody names other queues, and now and then no wake hears of it. */
function changesOf(random: Dice, { key: hpa, spec }: HpaPlan, endMs: number): readonly Act[] {
  return Array.from({ length: random.pick([0, 1, 2, 4, 8]) }, (): readonly Act[] => {
    const atMs = random.between(0, Math.max(1, endMs - 1));
    const { metrics = [] } = withQueues(random, hpa, spec, random.pick(["a", "b"]));
    const edit: Act = { atMs, do: "edit", hpa, spec: { metrics } };
    return random.chance(0.3) ? [{ atMs, do: "noWake" }, edit] : [edit];
  }).flat();
}

/** Eventually consistent reads lag for so long: a cluster that was just registered is found by its name alone. */
const registeredMs = 15_000;

function alarmsOf(random: Dice, { key, cluster = "prod", spec }: HpaPlan, story: Story): readonly Act[] {
  const { endMs, acts, checksMs, setting } = story;
  const edits = acts.filter((act) => "hpa" in act && act.hpa === key && (act.do === "edit" || act.do === "create"));
  const some = Array.from({ length: random.pick([3, 10, 20]) }, () => random.between(registeredMs, endMs));
  // Just after a change: before, while and after its wake and the next slot read the entry.
  const after = edits.map(({ atMs }) => Math.max(registeredMs, atMs + random.between(200, 16_000)));
  // A slot that a wake overtakes leaves its HPA to the next one, and a check wants none behind.
  const quietMs = 2_000 * Math.max(setting.periodSeconds, spec.syncPeriodSeconds ?? 0);
  const isFree = (atMs: number) => checksMs.every((check) => atMs > check || atMs <= check - quietMs);
  return [...some, ...after].filter(isFree).flatMap((atMs): readonly Act[] => {
    const index = random.between(0, Math.max(0, (spec.metrics ?? []).length - 1));
    const queue = queueOf(key, index, random.pick(["a", "b"]));
    const named = random.chance(0.5) ? { cluster } : {};
    return [{ atMs, do: "alarm", queue, ...named, times: random.pick([1, 1, 2, 300]) }];
  });
}

const calls: readonly [string, ...string[]] = [
  ...(["table GetItem SHARD#", "table PutItem SHARD#", "table Query SHARD#", "table Query HPA#"] as const),
  ...(["table BatchGetItem", "table Query SHARD", "table Query prod#", "queue send"] as const),
];

/** What an index is read and written by. */
function wakeIncidents(random: Dice, endMs: number): readonly Incident[] {
  return Array.from({ length: random.pick([0, 0, 1, 3]) }, (): Incident => {
    const fn = random.pick<Incident["fn"]>(["sync", "wake"]);
    const kind = random.pick(["refused", "failedAfter", "answerLost", "late", "freezeBefore", "freezeAfter"] as const);
    return {
      ...{ atMs: random.between(0, Math.max(1, endMs)), fn, call: random.between(1, 8), kind },
      ...{ ms: random.pick([2_000, 16_000, 35_000]), variant: random.between(0, 3) },
      ...(random.chance(0.7) ? { on: random.pick(calls) } : {}),
      ...(random.chance(0.5) ? { isLasting: true as const } : {}),
    };
  });
}
