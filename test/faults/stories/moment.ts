import type { HpaSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { targetPerReplica, withCalm } from "./calm";
import { type Dice, dice } from "./dice";
import { type Act, type HpaPlan, type Incident, type IncidentKind, keeping, type Story } from "./story";

const periodMs = 15_000;
/** Of 0, 4 and 10 replicas: few sizes, so that the same one returns soon. */
const depths = [0, 20, 50] as const;
const firstKey = "shop/h0";

interface Moment {
  readonly momentMs: number;
  /** Of the slot, or of the wake that meets the accident instead. */
  readonly pivotMs: number;
}

/**
 * One bad moment in a quiet life. A slot, a wake or a tick meets an accident or two; the load changes around it, and
 * somebody edits, pauses, replaces or scales in the middle of it, or its message comes twice. Windows end between two
 * slots. In some, the shards split or merge at that moment.
 */
export function momentStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const crowd = random.pick<Crowd>(["one", "one", "one", "one", "split", "split", "merge"]);
  const momentMs = { one: periodMs * random.between(3, 6), split: 60_000, merge: 120_000 }[crowd];
  const hpas = plans(random, crowd);
  const keys = hpas.map(({ key }) => key) as [string, ...string[]];
  const hpa = random.pick(keys);
  const wakeMs = momentMs + random.between(1_500, periodMs - 600);
  const isWoken = random.chance(0.5);
  const pivotMs = isWoken && random.chance(0.6) ? wakeMs : momentMs;
  const incidents = accidents(random, pivotMs, crowd);
  const longest = Math.max(...incidents.map(({ ms = 0 }) => ms));
  const acts: Act[] = [
    ...loads(random, keys, { momentMs, pivotMs }),
    ...(isWoken ? [{ atMs: wakeMs, do: "annotate" as const, hpa, annotations: { note: "woken" } }] : []),
    ...(random.chance(0.7) ? meddling(random, hpa, pivotMs) : []),
    ...(random.chance(0.3) ? [again(random, pivotMs === wakeMs ? wakeMs : momentMs - 500)] : []),
    ...(crowd === "merge" ? keys.slice(1).map((key): Act => ({ atMs: 80_000, do: "delete", hpa: key })) : []),
    ...(crowd !== "one" && random.chance(0.3)
      ? [{ atMs: momentMs - 900, do: random.pick<"twoTicks" | "lateTick">(["twoTicks", "lateTick"]) }]
      : []),
  ];
  const setting = {
    periodSeconds: periodMs / 1_000,
    downscaleStabilizationSeconds: 60,
    skewsMs: random.pick([[0], [0], [0], [0, 800]]),
    lagMs: random.pick([0, 1_500, 12_000]),
    batchSize: 1,
    ...keeping(seed),
  };
  const faultsEndMs = momentMs + 4 * periodMs;
  const story = { seed, setting, hpas, acts, incidents, faultsEndMs };
  return withCalm(story, faultsEndMs + longest + 2 * periodMs, [random.pick(["all", "nothing"])]);
}

/** "split", "merge": so many HPAs that the tick of the moment splits their shard, or so few that it merges two. */
type Crowd = "one" | "split" | "merge";

function plans(random: Dice, crowd: Crowd): readonly HpaPlan[] {
  const keys = crowd === "one" ? [firstKey] : [firstKey, "shop/h1", "team/h2", "team/h3"];
  return keys.map((key) => ({ key, spec: specOf(random, key), replicas: 2 }));
}

function specOf(random: Dice, key: string): HpaSpec {
  const [up, down] = random.pick([
    [0, 0],
    [0, 20],
    [0, 40],
    [0, 50],
    [40, 0],
    [20, 50],
  ]);
  const id = metricId(key, 0);
  const metric = random.chance(0.1) ? { name: "periodic", selector: { matchLabels: { id } } } : { name: id };
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: key.slice(key.indexOf("/") + 1) },
    minReplicas: random.pick([0, 0, 1]),
    maxReplicas: 10,
    metrics: [
      {
        type: "External",
        external: { metric, target: { type: "AverageValue", averageValue: String(targetPerReplica) } },
      },
    ],
    behavior: {
      scaleUp: {
        policies: [{ type: "Pods", value: random.pick([20, 4]), periodSeconds: random.pick([15, 40]) }],
        stabilizationWindowSeconds: up,
      },
      scaleDown: { stabilizationWindowSeconds: down },
    },
  };
}

/**
 * The load is at one size. At the moment it dips (or peaks) for one slot, and sooner or later it goes there for good:
 *
 *     50 ──────────┐   ┌─────────────┐
 *     20           └───┘             └──────────
 *              the moment   M + 15 s
 */
function loads(random: Dice, keys: readonly string[], { momentMs, pivotMs }: Moment): readonly Act[] {
  const nextMs = momentMs + periodMs;
  return keys.flatMap((hpa) => {
    const load = (atMs: number, depth: number): Act => ({ atMs, do: "load", hpa, metric: 0, depth });
    const first = random.pick(depths);
    const second = random.pick(depths);
    const forGoodMs = random.pick([
      pivotMs - 300,
      pivotMs + random.between(100, 3_500),
      ...[nextMs - 400, nextMs + 700, nextMs + periodMs - 400, nextMs + periodMs + 700],
    ]);
    const dip = [load(pivotMs - 300, second), load(nextMs - 400, first)];
    return [load(0, first), ...(random.chance(0.5) ? dip : []), load(forGoodMs, second)];
  });
}

/** Most of them leave something open for a while. */
const kinds: readonly [IncidentKind, ...IncidentKind[]] = [
  ...(["freezeBefore", "freezeBefore", "freezeBefore", "freezeAfter", "freezeAfter", "late", "late", "late"] as const),
  ...(["answerLost", "failedAfter", "refused", "killAfter"] as const),
];
const paths: readonly [string, ...string[]] = [
  ...(["cluster putScale", "cluster putScale", "cluster getScale"] as const),
  ...(["cluster externalMetric", "cluster externalMetric"] as const),
  ...(["table PutItem STATE", "table PutItem STATE", "table PutItem prod", "table PutItem DECISION"] as const),
  ...(["table BatchGetItem", "table Query STATE"] as const),
];

function accidents(random: Dice, atMs: number, crowd: Crowd): readonly Incident[] {
  const one = (): Incident => ({
    atMs,
    fn: crowd !== "one" && random.chance(0.3) ? "tick" : "sync",
    call: random.between(1, 14),
    kind: random.pick(kinds),
    ms: random.pick([4_000, 16_000, 20_000, 20_000, 35_000, 50_000]),
    variant: random.between(0, 3),
    ...(random.chance(0.6) ? { on: random.pick(paths) } : {}),
    ...(random.chance(0.5) ? { isLasting: true as const } : {}),
    ...(random.chance(0.5) ? { clockStops: true as const } : {}),
  });
  return Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, one);
}

function again(random: Dice, atMs: number): Act {
  return { atMs, do: random.pick(["again", "again", "late"]), byMs: random.pick([100, 4_000, 20_000]) };
}

/** What somebody does in the middle of it. What was taken away comes back. */
function meddling(random: Dice, hpa: string, pivotMs: number): readonly Act[] {
  const atMs = pivotMs + random.between(30, random.pick([1_500, 4_000, 20_000]));
  const back = { atMs: atMs + random.between(400, 2 * periodMs), hpa };
  const operations = random.pick<Record<string, string>>([{ "ebb.dev/paused": "true" }, { "ebb.dev/dry-run": "true" }]);
  return random.pick<readonly Act[]>([
    [{ atMs, hpa, do: "touch" }],
    [{ atMs, hpa, do: "scale", replicas: random.pick([0, 1, 4]) }],
    [{ atMs, hpa, do: "recreate", replicas: random.pick([0, 4, 10]) }],
    [{ atMs, hpa, do: "recreate", replicas: 0 }],
    [{ atMs, hpa, do: "edit", spec: { maxReplicas: random.pick([3, 5]) } }],
    [
      { atMs, hpa, do: "annotate", annotations: operations },
      { ...back, do: "annotate", annotations: {} },
    ],
    [
      { atMs, hpa, do: "delete" },
      { ...back, do: "create" },
    ],
  ]);
}
