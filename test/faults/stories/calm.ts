import type { HpaSpec } from "../../../lib/k8s/hpa";
import type { Act, HpaPlan, Setting, Story } from "./story";

/** Of every metric's target. */
export const targetPerReplica = 5;

type Phase = "all" | "nothing" | "some";

/**
 * What ends every story: nothing goes wrong any more. The load wants all, nothing, and some. What is broken by then
 * stays so, and must not matter to the others.
 */
export function withCalm(
  story: Pick<Story, "seed" | "setting" | "hpas" | "acts" | "incidents" | "faultsEndMs">,
  calmFromMs: number,
  phases: readonly Phase[] = ["all", "nothing", "some"],
): Story {
  const before = story.acts.filter(({ atMs }) => atMs < calmFromMs);
  const { acts, atMs: calmAtMs, checksMs, endMs } = calmAfter({ ...story, acts: before }, calmFromMs, phases);
  return { ...story, acts: [...before, ...acts].sort((a, b) => a.atMs - b.atMs), calmAtMs, checksMs, endMs };
}

interface Calm {
  readonly atMs: number;
  readonly acts: readonly Act[];
  readonly checksMs: readonly number[];
  readonly endMs: number;
}

/** The users' and the loads' part in a calm that begins with the first slot after `fromMs`. */
export function calmAfter(
  { setting, hpas, acts: before }: Pick<Story, "setting" | "hpas" | "acts">,
  fromMs: number,
  phases: readonly Phase[],
): Calm {
  const periodMs = setting.periodSeconds * 1_000;
  const atMs = Math.ceil(fromMs / periodMs) * periodMs;
  const acts: Act[] = [];
  const lastOf = (key: string, act: Act["do"]) =>
    before.findLast((each) => "hpa" in each && each.hpa === key && each.do === act);
  const checksMs: number[] = [];
  for (const { key } of hpas) {
    acts.push({ atMs: atMs - 2_000, do: "annotate", hpa: key, annotations: {} });
    const byHand = before.findLast(
      (each) => "hpa" in each && each.hpa === key && each.do === "scale" && each.replicas === 0,
    );
    if (byHand !== undefined) acts.push({ atMs: atMs - 1_000, do: "scale", hpa: key, replicas: 1 });
  }
  let at = atMs;
  for (const [phase, wanted] of phases.entries()) {
    for (const { key, spec } of hpas) {
      const bad = phase === 0 ? undefined : lastOf(key, "blind");
      for (const index of (spec.metrics ?? []).keys())
        if (bad === undefined || (bad.do === "blind" && bad.metric !== index))
          acts.push({ atMs: at, do: "load", hpa: key, metric: index, depth: depthFor(wanted, spec) });
    }
    at +=
      5_000 +
      Math.max(
        ...hpas.map(
          ({ spec, rules, zero, busy }) =>
            settlingMs(spec, setting, rules) + 1_000 * (zero?.afterSeconds ?? 0) + (busy === undefined ? 0 : sparingMs),
        ),
      );
    checksMs.push(at - 1);
  }
  return { atMs, acts, checksMs, endMs: at + 1_000 };
}

function depthFor(wanted: Phase, { maxReplicas }: HpaSpec): number {
  if (wanted === "all") return 2 * targetPerReplica * maxReplicas;
  return wanted === "nothing" ? 0 : targetPerReplica * Math.ceil(maxReplicas / 2);
}

/** What `spare-busy-for` holds back at most, a late controller, and the slots of costs that come and go. */
const sparingMs = 60_000 + 20_000 + 7 * 15_000;

/** Two slots of the HPA, and what windows and policies hold back at most. */
function settlingMs(
  { behavior, metrics = [], ...spec }: HpaSpec,
  setting: Setting,
  rules: HpaPlan["rules"] = {},
): number {
  const slotMs = setting.periodSeconds * 1_000;
  const periodMs = Math.ceil(Math.max(1, (spec.syncPeriodSeconds ?? 0) / setting.periodSeconds)) * slotMs;
  const window = (seconds: number) => Math.ceil((seconds * 1_000 + 1) / periodMs) * periodMs;
  const rulesMs = [behavior?.scaleUp, behavior?.scaleDown].map((rules) => {
    const [policy] = rules?.policies ?? [];
    if (policy === undefined) return 6 * periodMs;
    return window(policy.periodSeconds) * (2 + Math.ceil(spec.maxReplicas / policy.value));
  });
  const keptMs = metrics.some(({ external }) => external?.metric.name === "periodic") ? window(61) : 0;
  const up = window(behavior?.scaleUp?.stabilizationWindowSeconds ?? 0);
  const down = window(behavior?.scaleDown?.stabilizationWindowSeconds ?? setting.downscaleStabilizationSeconds);
  // A count that must be confirmed is one in later slots; a fallback begins after its time.
  const confirmedMs = Object.values(rules).map(
    ({ confirm = 1, confirmWake = 1, fallback: { after = 0 } = {} }) =>
      (Math.max(confirm, confirmWake) - 1) * periodMs + window(after),
  );
  // Counts settle twice, as messages come and are received, and then zero is confirmed for as long.
  const isStale = metrics.some(({ external }) => external?.metric.name === "stale");
  const staleMs = isStale ? 3 * 60_000 + 2 * periodMs + 40_000 : 0;
  return staleMs + 2 * periodMs + Math.max(0, ...confirmedMs) + Math.max(...rulesMs) + Math.max(up, down) + keptMs;
}
