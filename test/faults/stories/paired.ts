import type { HpaSpec } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { targetPerReplica, withCalm } from "./calm";
import { coveringRows, type Row } from "./covering";
import { type Dice, dice } from "./dice";
import { type Act, type HpaPlan, type Incident, keeping, type Story } from "./story";

/**
 * What the protocol survives alone, at one slot M of one HPA, and what it may meet there together with the others. Each
 * round of stories has every three of these together.
 */
export const factors = {
  /** The slot's message comes twice. */
  double: ["no", "atOnce", "inTheSlot"],
  /** A write of the slot's first run, which reads nothing or another size, is applied up to three slots later. */
  late: ["no", "state", "pausedState", "scale", "finish"],
  /** An entry changes meanwhile: of the HPA, or of its neighbour. */
  wake: ["no", "own", "neighbour", "both"],
  /** A tick splits the HPA's shard, or merges it with the one on its right. */
  shards: ["stay", "split", "merge"],
  /** The table, or the cluster, is put back to a moment meanwhile. */
  restore: ["no", "table", "cluster", "clusterMadeAgain"],
} as const;

type Factors = typeof factors;

export const rows: readonly Row<Factors>[] = coveringRows(factors, 3);

const hpa = "shop/h0";
const neighbour = "shop/h1";
const others = ["team/h2", "team/h3"] as const;
const slot = 15_000;
/** The tick of 120 s splits and merges what the slots M and M + 1 have counted. */
const M = 90_000;
/** After it, nothing runs any more that has read the table from before: docs/deploy.md. */
const putBackMs = 8 * 60_000;

export function pairedStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const row = rows[(seed - 1) % rows.length] as Row<Factors>;
  const landsAfterMs = 1_000 * random.between(17, 44);
  const acts: Act[] = [
    ...loads(random, landsAfterMs),
    ...doubles(row.double),
    ...wakes(random, row.wake, landsAfterMs),
    ...crowd(random, row.shards),
    ...restores(random, row.restore, landsAfterMs),
  ];
  const setting = {
    periodSeconds: slot / 1_000,
    downscaleStabilizationSeconds: 60,
    skewsMs: random.pick([[0], [0], [0, 300]]),
    lagMs: random.pick([0, 1_500]),
    batchSize: 1,
    // Each row once with processes that keep what they have loaded, and once without.
    ...keeping(Math.floor((seed - 1) / rows.length)),
  };
  const faultsEndMs = M + 4 * slot;
  const incidents = lateWrites(random, row.late, landsAfterMs);
  const story = { seed, setting, hpas: plans(random, row.shards), acts: sorted(acts), incidents, faultsEndMs };
  return withCalm(story, row.restore === "table" ? putBackMs + 40_000 : M + 7 * slot, ["all"]);
}

function sorted(acts: readonly Act[]): readonly Act[] {
  return [...acts].sort((a, b) => a.atMs - b.atMs);
}

function plans(random: Dice, shards: Row<Factors>["shards"]): readonly HpaPlan[] {
  const later = shards === "split" ? { isLater: true as const } : {};
  const more =
    shards === "stay" ? [] : others.map((key): HpaPlan => ({ key, spec: specOf(key, 20), replicas: 2, ...later }));
  const window = random.pick([20, 20, 25, 40]);
  return [...[hpa, neighbour].map((key): HpaPlan => ({ key, spec: specOf(key, window), replicas: 2 })), ...more];
}

function specOf(key: string, down: number): HpaSpec {
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: nameOf(key) },
    minReplicas: 0,
    maxReplicas: 10,
    metrics: [
      {
        type: "External",
        external: {
          metric: { name: metricId(key, 0) },
          target: { type: "AverageValue", averageValue: String(targetPerReplica) },
        },
      },
    ],
    behavior: {
      scaleUp: { policies: [{ type: "Pods", value: 20, periodSeconds: 15 }] },
      scaleDown: { stabilizationWindowSeconds: down },
    },
  };
}

function nameOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

/**
 * The load is at one size until it goes to another for good: soon after the late write has been applied, or at any time
 * before. Some stories have a dip for slot M.
 */
function loads(random: Dice, landsAfterMs: number): readonly Act[] {
  const load = (key: string, atMs: number, replicas: number): Act => {
    return { atMs, do: "load", hpa: key, metric: 0, depth: targetPerReplica * replicas };
  };
  const [first, last] = random.pick([
    [10, 4],
    [10, 4],
    [10, 0],
    [4, 10],
    [0, 10],
  ]);
  const appliedIntent = M + landsAfterMs;
  const nextSlot = Math.ceil(appliedIntent / slot) * slot;
  const forGoodMs = random.pick([
    nextSlot - 400,
    nextSlot - 400,
    appliedIntent - 8_000,
    M + slot - 400,
    nextSlot + slot - 400,
  ]);
  const dip = random.chance(0.4) ? [load(hpa, M - 300, last), load(hpa, M + 2_500, first)] : [];
  return [
    ...[load(hpa, 0, first), ...dip, load(hpa, forGoodMs, last)],
    ...[load(neighbour, 0, 4), load(neighbour, M + random.between(0, 4 * slot), random.pick([4, 10]))],
    ...others.map((key) => load(key, 0, 3)),
  ];
}

function doubles(how: Row<Factors>["double"]): readonly Act[] {
  if (how === "no") return [];
  return [{ atMs: M - 500, do: "again", byMs: how === "atOnce" ? 100 : 4_000 }];
}

function lateWrites(random: Dice, which: Row<Factors>["late"], ms: number): readonly Incident[] {
  const one = (on: string, more: Partial<Incident> & Pick<Incident, "kind">): Incident => {
    return { atMs: M, fn: "sync", call: 0, on, ...more };
  };
  const blind = random.chance(0.7)
    ? [one(`cluster getScale ${nameOf(hpa)}`, { kind: "refused", variant: random.between(0, 3) })]
    : [];
  const lands = { kind: "late", ms, isLasting: true } as const;
  switch (which) {
    case "no":
      return [];
    case "state":
      return [...blind, one(`table PutItem STATE#${hpa}`, lands)];
    case "pausedState":
      return [...blind, one(`table PutItem STATE#${hpa}`, { kind: "freezeBefore", ms })];
    case "scale":
      return [one(`cluster putScale ${nameOf(hpa)}`, { ...lands, atMs: M - 1_000 })];
    case "finish":
      return [one("table PutItem prod", random.chance(0.5) ? lands : { kind: "freezeBefore", ms })];
  }
}

/** Around the moment at which the late write is applied. */
function wakes(random: Dice, whose: Row<Factors>["wake"], landsAfterMs: number): readonly Act[] {
  const keys = { no: [], own: [hpa], neighbour: [neighbour], both: [hpa, neighbour] }[whose];
  return keys.map((key, index): Act => {
    const atMs = M + landsAfterMs + random.pick([-12_000, -6_000, -2_000, 500, 500, 1_500]) + 200 * index;
    return { atMs, do: "annotate", hpa: key, annotations: { note: "woken" } };
  });
}

function crowd(random: Dice, how: Row<Factors>["shards"]): readonly Act[] {
  if (how === "stay") return [];
  const atMs = M + random.between(-4_000, slot - 2_000);
  return others.map((key): Act => ({ atMs, do: how === "split" ? "create" : "delete", hpa: key }));
}

function restores(random: Dice, what: Row<Factors>["restore"], landsAfterMs: number): readonly Act[] {
  if (what === "no") return [];
  const backUp: Act = { atMs: random.pick([50_000, M + random.between(100, landsAfterMs + slot)]), do: "backUp" };
  if (what === "table") {
    // The schedule is disabled meanwhile.
    const ticks = [3, 4, 5, 6, 7, 8].map((minute): Act => ({ atMs: minute * 60_000 - 500, do: "noTick" }));
    return [backUp, ...ticks, { atMs: putBackMs + 5_000, do: "putBack", of: "table" }];
  }
  const atMs = Math.max(backUp.atMs + 100, M + landsAfterMs + random.between(-14_000, 14_000));
  return [backUp, { atMs, do: "putBack", of: "cluster", isMadeAgain: what === "clusterMadeAgain" }];
}
