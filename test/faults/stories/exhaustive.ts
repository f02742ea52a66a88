import type { HpaSpec } from "../../../lib/k8s/hpa";
import { live } from "../world/world";
import { withCalm } from "./calm";
import type { Act, Incident, IncidentKind, Story } from "./story";

/** Grows by four in a period, down to zero after four periods. */
function daySpec(periodSeconds: number): HpaSpec {
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "orders" },
    minReplicas: 0,
    maxReplicas: 8,
    metrics: [
      {
        type: "External",
        external: { metric: { name: "shop.orders.0" }, target: { type: "AverageValue", averageValue: "5" } },
      },
    ],
    behavior: {
      scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds }] },
      scaleDown: { stabilizationWindowSeconds: 4 * periodSeconds },
    },
  };
}

const hpa = "shop/orders";
/** In slots: a burst, nothing, a change of the entry, a burst again, and half of it. */
const loads = [
  [1, 40],
  [4, 0],
  [10, 40],
  [12, 20],
] as const;
const slots = 14;

/** With periods of 15 s a pause of an hour is 240 slots, with 300 s it is 12. */
function day(periodSeconds: number, incidents: readonly Incident[]): Story {
  const periodMs = periodSeconds * 1_000;
  const acts: Act[] = loads.map(([slot, depth]) => ({
    atMs: slot * periodMs - 500,
    do: "load",
    hpa,
    metric: 0,
    depth,
  }));
  acts.push({ atMs: 11 * periodMs + periodMs / 3, do: "edit", hpa, spec: { maxReplicas: 7 } });
  acts.push({ atMs: 13 * periodMs + periodMs / 3, do: "touch", hpa });
  const longest = Math.max(0, ...incidents.map(({ ms = 0, kind }) => (kind.startsWith("kill") ? 0 : ms)));
  const last = Math.max(0, ...incidents.map(({ atMs }) => atMs));
  const story = {
    seed: 1,
    setting: { periodSeconds, downscaleStabilizationSeconds: 300, skewsMs: [0], lagMs: 1_000, batchSize: 1 },
    hpas: [{ key: hpa, spec: daySpec(periodSeconds), replicas: 1 }],
    acts,
    incidents,
    faultsEndMs: Infinity,
  };
  return withCalm(story, Math.max(slots * periodMs, last + longest + 60_000), ["all", "nothing"]);
}

interface Position extends Pick<Incident, "atMs" | "fn" | "call"> {
  readonly invocation: number;
  readonly name: string;
}

/** Every call that a day makes while nothing goes wrong, before it is calm. */
async function positionsOf(periodSeconds: number): Promise<readonly Position[]> {
  const story = day(periodSeconds, []);
  const { invocations, violations } = await live(story, { calls: true });
  if (violations.length > 0) throw new Error(`expected a day without faults to be right, got ${violations[0]?.what}`);
  return invocations
    .filter(({ atMs }) => atMs < (slots + 1) * periodSeconds * 1_000)
    .flatMap(({ atMs, fn, names }, invocation) =>
      names.map((name, index) => ({ atMs, fn, call: index + 1, name, invocation })),
    );
}

type Kind = Pick<Incident, "kind" | "ms" | "isLasting" | "variant" | "clockStops">;

const shortKinds: readonly Kind[] = [
  { kind: "refused" },
  { kind: "refused", variant: 1, isLasting: true },
  { kind: "failedAfter" },
  { kind: "failedAfter", variant: 1, isLasting: true },
  { kind: "answerLost" },
  { kind: "answerLost", isLasting: true },
  { kind: "late", ms: 2_000 },
  { kind: "late", ms: 40_000, isLasting: true },
  { kind: "freezeBefore", ms: 16_000 },
  { kind: "freezeAfter", ms: 16_000 },
  { kind: "freezeAfter", ms: 50_000, clockStops: true },
  { kind: "killBefore" },
  { kind: "killAfter" },
];
const hourMs = 3_600_000;
const longKinds: readonly Kind[] = [
  { kind: "freezeBefore", ms: hourMs },
  { kind: "freezeAfter", ms: hourMs },
  { kind: "freezeBefore", ms: hourMs, clockStops: true },
  { kind: "late", ms: hourMs, isLasting: true },
];

/** Every call of the day × every kind: one fault in each story. */
export async function singleFaults(): Promise<readonly Story[]> {
  const [short, long] = [await positionsOf(15), await positionsOf(300)];
  return [
    ...short.flatMap((position) => shortKinds.map((kind) => day(15, [incident(position, kind)]))),
    ...long.flatMap((position) => longKinds.map((kind) => day(300, [incident(position, kind)]))),
  ];
}

const pairKinds: readonly Kind[] = [
  { kind: "refused" },
  { kind: "failedAfter", isLasting: true },
  { kind: "answerLost", isLasting: true },
  { kind: "late", ms: 20_000, isLasting: true },
  { kind: "freezeBefore", ms: 20_000 },
  { kind: "freezeAfter", ms: 40_000 },
  { kind: "killAfter" },
];

/**
 * Two faults: one anywhere on the path of a scale write, the other later on that path or in the next slot. Once for a
 * growth and once for the way to zero.
 */
export async function pairsOfFaults(): Promise<readonly Story[]> {
  const positions = await positionsOf(15);
  const writing = positions.filter(({ name }) => name.startsWith("cluster putScale"));
  const chosen = [writing.find(({ name }) => !name.endsWith(" 0")), writing.find(({ name }) => name.endsWith(" 0"))];
  return chosen.flatMap((write) => {
    if (write === undefined) throw new Error("expected the day to scale up, and to zero");
    const own = positions.filter(({ invocation }) => invocation === write.invocation);
    const announcing = own.findIndex(({ name }) => name.includes("STATE#shop/orders") && name.includes("PutItem"));
    const path = own.slice(announcing);
    const next = positions.find(({ invocation, fn }) => invocation > write.invocation && fn === "sync")?.invocation;
    const after = positions.filter(({ invocation }) => invocation === next);
    const all = [...path, ...after];
    return path.flatMap((first, index) =>
      all
        .slice(index + 1)
        .flatMap((second) =>
          pairKinds.flatMap((one) =>
            pairKinds.map((other) => day(15, [incident(first, one), incident(second, other)])),
          ),
        ),
    );
  });
}

function incident({ atMs, fn, call }: Position, kind: Kind): Incident {
  return { atMs, fn, call, ...kind };
}

export type { IncidentKind };
