import type { HpaSpec, ScalingPolicy } from "../../../lib/k8s/hpa";
import { seededRandom } from "../../../local/random";
import { metricId } from "../world/metric-id";
import { targetPerReplica, withCalm } from "./calm";
import { type Dice, dice } from "./dice";
import type { Act, HpaPlan, Incident, Story } from "./story";

/**
 * Accidents that must come at one moment to matter, each aimed at what the protocol promises about it. The seed chooses
 * the accident in turn, and the times. M is the slot that meets it:
 *
 *     1 GetItem SHARD  2–5 load  6 getScale  7 externalMetric  8 PutItem STATE (announced)
 *     9 BatchGetItem SHARD, HPA  10 putScale  11 PutItem DECISION  12 PutItem STATE  13 PutItem SHARD
 *
 * Of each two rounds of accidents, the second meets processes that keep what they have loaded: without calls 4 and 5.
 */
export function aimedStory(seed: number): Story {
  const random = dice(seededRandom(seed));
  const names = Object.keys(accidents) as (keyof typeof accidents)[];
  const aim = accidents[names[(seed - 1) % names.length] ?? "aWriteAfterTheNextSlot"](random);
  const acts: Act[] = [
    ...aim.loads.map(([atMs, replicas]): Act => ({
      atMs,
      do: "load",
      hpa,
      metric: 0,
      depth: targetPerReplica * replicas,
    })),
    ...(aim.acts ?? []),
  ];
  const keepsNothing = Math.floor((seed - 1) / names.length) % 2 === 0;
  const incidents = aim.incidents.map((incident): Incident => {
    const whole = { atMs: M, fn: "sync", call: 0, ...incident } as const;
    const isLoaded = whole.fn === "sync" && whole.atMs % slot === 0 && whole.call > 5;
    return isLoaded && !keepsNothing ? { ...whole, call: whole.call - 2 } : whole;
  });
  const story = {
    seed,
    setting: { ...setting, lagMs: aim.lagMs ?? 0, ...(keepsNothing && { keepsNothing }) },
    hpas: aim.hpas ?? [plan(hpa, aim.window ?? 0)],
    ...{ acts, incidents, faultsEndMs: M + 90_000 },
  };
  return withCalm(story, M + 100_000, ["all"]);
}

interface Aim {
  /** When the load asks for how many replicas. */
  readonly loads: readonly (readonly [atMs: number, replicas: number])[];
  /** By default in slot M's sync. */
  readonly incidents: readonly (Pick<Incident, "kind"> & Partial<Incident>)[];
  readonly acts?: readonly Act[];
  /** Of the way down, in seconds. */
  readonly window?: number;
  readonly lagMs?: number;
  readonly hpas?: readonly HpaPlan[];
}

const hpa = "shop/h0";
const M = 60_000;
const slot = 15_000;
const setting = { periodSeconds: 15, downscaleStabilizationSeconds: 60, skewsMs: [0], batchSize: 1 };

const twentyAtOnce: ScalingPolicy = { type: "Pods", value: 20, periodSeconds: 15 };

function plan(key: string, down: number, up: ScalingPolicy = twentyAtOnce): HpaPlan {
  const averageValue = String(targetPerReplica);
  const spec: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: key.slice(key.indexOf("/") + 1) },
    minReplicas: 0,
    maxReplicas: 10,
    metrics: [
      {
        type: "External",
        external: { metric: { name: metricId(key, 0) }, target: { type: "AverageValue", averageValue } },
      },
    ],
    behavior: {
      scaleUp: { policies: [up] },
      scaleDown: { stabilizationWindowSeconds: down },
    },
  };
  return { key, spec, replicas: 2 };
}

const wake = (atMs: number): Act => ({ atMs, do: "annotate", hpa, annotations: { note: "woken" } });
/** The wake that follows an edit begins 300 ms later. */
const wakes = (random: Dice) => M + 100 * random.between(20, 70);
const grows = [
  [0, 4],
  [M - 300, 10],
] as const;
/** 10, for one slot 4, 10 again, and then 4 for good. */
const dips = (from: number) =>
  [
    [0, 10],
    [from, 4],
    [M + slot - 400, 10],
    [M + 2 * slot - 400, 4],
  ] as const;

/** Slot M wants 0, and somebody sets it. The slot after wants 10, in steps of four. */
const emptiedByHand = (atMs: number) => ({
  loads: [
    [0, 6],
    [M - 300, 0],
    [M + slot - 400, 10],
  ] as const,
  hpas: [plan(hpa, 0, { type: "Pods", value: 4, periodSeconds: 60 })],
  acts: [{ atMs, do: "scale", hpa, replicas: 0 }] as const,
});

const accidents = {
  aWriteAfterTheNextSlot: (random: Dice): Aim => ({
    loads: dips(M - 300),
    window: random.pick([40, 50]),
    incidents: [{ call: 8, kind: "freezeBefore", ms: 1_000 * random.between(17, 27) }],
  }),
  aWakeThatWritesAfterTheNextSlot: (random: Dice): Aim => {
    const atMs = wakes(random);
    return {
      loads: dips(atMs - 100),
      window: random.pick([40, 50]),
      acts: [wake(atMs)],
      incidents: [{ atMs: atMs + 200, call: random.pick([10, 11]), kind: "freezeBefore", ms: 17_000 }],
    };
  },
  aWakeThatClaimsAfterTwoSlots: (random: Dice): Aim => {
    const atMs = M + 100 * random.between(50, 70);
    return {
      ...{ loads: [...([[0, 10]] as const), [M + 2 * slot + 1_500, 4]], window: 20, acts: [wake(atMs)] },
      incidents: [{ atMs: atMs + 200, call: 5, kind: "freezeAfter", ms: 27_500, clockStops: true }],
    };
  },
  aWakeWhileTheSlotFinishes: (random: Dice): Aim => {
    const atMs = M + 100 * random.between(13, 30);
    return {
      ...{ loads: [...([[0, 10]] as const), [atMs - 100, 4]], window: 20, acts: [wake(atMs)] },
      incidents: [{ call: 8, kind: "freezeBefore", ms: 6_000 }],
    };
  },
  aWakeBeforeTheSlotLoads: (random: Dice): Aim => {
    const atMs = M + 100 * random.between(13, 20);
    return {
      loads: [...([[0, 4]] as const), [atMs - 100, 7], [atMs + 700, 10]],
      acts: [wake(atMs)],
      incidents: [{ call: 1, kind: "freezeAfter", ms: 5_000 }],
    };
  },
  aMessageThatComesTwice: (random: Dice): Aim => ({
    loads: [...([[0, 4]] as const), [M + 2_500, random.pick([0, 10])]],
    acts: [{ atMs: M - 500, do: "again", byMs: 100 }],
    incidents: [{ on: "cluster getScale", kind: "freezeBefore", ms: 5_000 }],
  }),
  /** A minute later: with such a lag the first tick does not see the cluster. */
  anEditWhileItDecides: (random: Dice): Aim => ({
    loads: [...([[0, 4]] as const), [2 * M - 300, 10]],
    lagMs: 12_000,
    acts: [
      { atMs: 2 * M + 2_400, do: "noWake" },
      random.pick<Act>([
        { atMs: 2 * M + 2_500, do: "annotate", hpa, annotations: { "ebb.dev/paused": "true" } },
        { atMs: 2 * M + 2_500, do: "edit", hpa, spec: { maxReplicas: 6 } },
      ]),
    ],
    incidents: [{ atMs: 2 * M, call: random.pick([6, 7]), kind: "freezeAfter", ms: 4_000 }],
  }),
  aTouchWhileItAnnounces: (): Aim => ({
    loads: grows,
    acts: [{ atMs: M + 2_500, do: "touch", hpa }],
    incidents: [{ call: 8, kind: "freezeBefore", ms: 5_000 }],
  }),
  anotherTargetOfTheAnnouncedSize: (random: Dice): Aim => ({
    loads: grows,
    acts: [{ atMs: M + 4_000, do: "recreate", hpa, replicas: 10 }],
    incidents: [{ call: 10, kind: random.pick(["killBefore", "refused"]), variant: 1, isLasting: true }],
  }),
  aRefusalAfterALostWrite: (random: Dice): Aim => ({
    loads: grows,
    incidents: [
      { call: 10, kind: "late", ms: 20_000 },
      { call: 12, kind: "refused", variant: random.pick([0, 3]) },
    ],
  }),
  noLookAfterALostWrite: (random: Dice): Aim => ({
    loads: grows,
    incidents: [
      { call: 10, kind: "late", ms: 20_000 },
      { call: 11, kind: "refused", variant: random.between(0, 3), isLasting: true },
    ],
  }),
  aLostWriteAtTheEndOfItsSlot: (random: Dice): Aim => ({
    loads: grows,
    incidents: [
      { call: 8, kind: "freezeBefore", ms: 4_750 + 25 * random.between(0, 4) },
      { call: 10, kind: "late", ms: 20_000 },
    ],
  }),
  anAnswerAfterTheSlot: (random: Dice): Aim => ({
    loads: grows,
    incidents: [{ call: 10, kind: "freezeAfter", ms: 14_900 - 50 * random.between(0, 10) }],
  }),
  aRecordWhoseAnswerIsLost: (random: Dice): Aim => ({
    loads: grows,
    incidents: [{ call: random.pick([8, 12, 12]), kind: "answerLost" }],
  }),
  aMergeWhileTheSlotFinishes: (random: Dice): Aim => {
    const keys = [hpa, "shop/h1", "team/h2", "team/h3"];
    return {
      loads: [[0, 4]],
      hpas: keys.map((key) => plan(key, 20)),
      acts: keys.slice(1).map((key): Act => ({ atMs: M + 20_000, do: "delete", hpa: key })),
      incidents: [0, 1].map(() => ({
        atMs: 2 * M,
        on: "table PutItem prod",
        kind: "freezeBefore",
        ms: 1_000 * random.between(5, 9),
      })),
    };
  },
  /** Call 6 of a tick that splits: the left shard's range ends in the middle. The next tick finds a gap. */
  aTickThatIsPausedWhileItSplits: (random: Dice): Aim => ({
    loads: [[0, 4]],
    hpas: [hpa, "shop/h1", "team/h2", "team/h3"].map((key) => plan(key, 20)),
    incidents: [
      {
        ...{ fn: "tick", atMs: M, call: 6, kind: "freezeAfter", ms: 1_000 * random.between(65, 85) },
        ...(random.chance(0.5) ? { clockStops: true } : {}),
      },
    ],
  }),
  aLostWriteThatIsUndone: (random: Dice): Aim => ({
    loads: grows,
    acts: [{ atMs: M + 1_000 * random.between(3, 9), do: "scale", hpa, replicas: 4 }],
    incidents: [{ call: 10, kind: "answerLost" }],
  }),
  aSizeSetByHandAsAnnounced: (random: Dice): Aim => ({
    ...emptiedByHand(M + 1_000 * random.between(4, 12)),
    incidents: [{ call: 10, kind: "killBefore" }],
  }),
  aSizeSetByHandWhileItWrites: (random: Dice): Aim => ({
    ...emptiedByHand(M + 100 * random.between(20, 90)),
    incidents: [{ call: 10, kind: "late", ms: 40_000 }],
  }),
  /** The first reads nothing and is about to write that, while the second sees 10 once more and finishes the slot. */
  twoRunsThatSeeDifferentThings: (random: Dice): Aim => ({
    loads: [...([[0, 10]] as const), [M + 1_000 * random.between(2, 12), 4]],
    window: random.pick([20, 25]),
    acts: [{ atMs: M - 500, do: "again", byMs: 100 }],
    incidents: [
      { on: "cluster getScale", kind: "refused", variant: random.between(0, 3) },
      { on: "table PutItem STATE", kind: "freezeBefore", ms: 1_000 * random.between(2, 10) },
    ],
  }),
  /** A slot writes the paused HPA's state without a look at its target, and comes again after the wake. */
  aSlotThatComesAgainAfterAWake: (random: Dice): Aim => ({
    loads: [[0, 4]],
    acts: [
      { atMs: M + 5_000, do: "annotate", hpa, annotations: { "ebb.dev/paused": "true" } },
      { atMs: M + slot + 100 * random.between(10, 20), do: "annotate", hpa, annotations: {} },
    ],
    incidents: [{ atMs: M + slot, on: "table PutItem prod", kind: "refused", isLasting: true }],
  }),
  /**
   * A run of M reads nothing, and its write is applied two slots later, when its neighbour reads no states any more.
   * The neighbour sees 10 until M + 3. Then another process syncs.
   */
  aWriteThatLandsWhileNobodyReads: (random: Dice): Aim => ({
    loads: [
      [0, 10],
      [M + 3 * slot + 5_000, 4],
    ],
    window: random.pick([20, 25]),
    acts: [
      { atMs: M - 500, do: "again", byMs: 100 },
      { atMs: M + 4 * slot - 500, do: "again", byMs: 100 },
    ],
    incidents: [
      { on: "cluster getScale", kind: "refused", variant: random.between(0, 3) },
      { on: "table PutItem STATE", kind: "late", ms: 1_000 * random.between(33, 42), isLasting: true },
      { atMs: M + 4 * slot, call: 1, kind: "freezeBefore", ms: 6_000 },
    ],
  }),
} satisfies Record<string, (random: Dice) => Aim>;
