import type { HpaStatus, MetricSpec } from "../../../../lib/k8s/hpa";
import { isMap } from "../../../../lib/k8s/map";
import { longestSeconds, zeroAnnotation } from "../../../../lib/model/entry/zero-rule";
import type { Pauses } from "./convert-behavior";
import type { Fields, Note, Taking } from "./left-over";

export const kedaDefaults = {
  minReplicaCount: 0,
  maxReplicaCount: 100,
  cooldownPeriod: 300,
  initialCooldownPeriod: 0,
} as const;

export interface ConvertedReplicas {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly notes: readonly Note[];
}

/**
 * `initialAfter` has the cooldown: a new entry does not know when KEDA last saw work. A pause to one side and a forced
 * activation keep KEDA from zero. Upstream, KEDA 2.21: RequestScale,
 * scaleToZeroOrIdle and getIdleOrMinimumReplicaCount (pkg/scaling/executor/scale_scaledobjects.go), and
 * GetHPAMinReplicas (apis/keda/v1alpha1/scaledobject_types.go).
 */
export function convertReplicas(
  spec: Taking,
  metrics: readonly MetricSpec[],
  pauses: Pick<Pauses, "scaleIn" | "scaleOut" | "forced">,
): ConvertedReplicas {
  const least = Number(spec.take("minReplicaCount") ?? kedaDefaults.minReplicaCount);
  const maxReplicas = Number(spec.take("maxReplicaCount") ?? kedaDefaults.maxReplicaCount);
  const idle = Number(spec.take("idleReplicaCount") ?? least);
  const hasTotal = metrics.some(({ type }) => type === "External");
  const zero = zeroOf(spec, Math.max(1, least));
  if (idle > 0) return { minReplicas: idle, maxReplicas, annotations: {}, notes: idleNotes(idle, least) };
  if (!hasTotal) {
    const text = "becomes minReplicas 1, as in KEDA: without pods, no CPU or memory metric can start one";
    const notes: Note[] = least > 0 ? [] : [{ field: "spec.minReplicaCount", text, harm: "none" }];
    return { minReplicas: Math.max(1, least), maxReplicas, annotations: {}, notes };
  }
  const annotate = `annotate ${zeroAnnotation}='${zero.text}'`;
  if (pauses.forced) {
    const minReplicas = Math.max(1, least);
    const text = `becomes minReplicas ${minReplicas}: when you end it, set minReplicas to 0, and ${annotate}`;
    return { minReplicas, maxReplicas, annotations: {}, notes: [pauseNote("force-activation", text)] };
  }
  if (pauses.scaleIn || pauses.scaleOut) {
    const [name, side] = pauses.scaleIn ? ["paused-scale-in", "scaleDown"] : ["paused-scale-out", "scaleUp"];
    const text = `becomes ${side}.selectPolicy Disabled: when you end it, take that away, and ${annotate}`;
    return { minReplicas: 0, maxReplicas, annotations: {}, notes: [pauseNote(name ?? "", text)] };
  }
  return { minReplicas: 0, maxReplicas, annotations: { [zeroAnnotation]: zero.text }, notes: zero.notes };
}

/**
 * Makes a zero that KEDA would end ebb's: KEDA reads every trigger, found no work, and does not cool down. A pause's
 * zero is a person's. Upstream: as above.
 */
export function zeroStatus(
  status: unknown,
  { minReplicas, annotations }: ConvertedReplicas,
  { paused }: Pick<Pauses, "paused">,
): HpaStatus | undefined {
  const given = isMap(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isMap) : [];
  const conditionOf = (type: string): Fields => given.find((one) => one["type"] === type) ?? {};
  const { status: isActive, reason } = conditionOf("Active");
  const isIdle = isActive === "False" && reason === "ScalerNotActive";
  const isWell = conditionOf("Ready")["status"] === "True" && conditionOf("Paused")["status"] !== "True";
  if (paused || minReplicas > 0 || annotations[zeroAnnotation] === undefined || !isIdle || !isWell) return undefined;
  const [type, message] = ["ScaledToZero", "KEDA scaled the workload to zero"];
  return { conditions: [{ type, status: "True", reason: type, message }] };
}

function zeroOf(spec: Taking, from: number): { readonly text: string; readonly notes: readonly Note[] } {
  const cooldown = Number(spec.take("cooldownPeriod") ?? kedaDefaults.cooldownPeriod);
  const initial = Math.max(cooldown, Number(spec.take("initialCooldownPeriod") ?? kedaDefaults.initialCooldownPeriod));
  const after = (seconds: number) => `${Math.min(seconds, longestSeconds)}s`;
  const rule = { after: after(cooldown), ...(from > 1 && { from }), initialAfter: after(initial) };
  const cut = initial > longestSeconds ? [cutNote(initial)] : [];
  return { text: JSON.stringify(rule), notes: cut };
}

function cutNote(seconds: number): Note {
  const text = `waits ${longestSeconds} s before zero, the longest that ebb allows, instead of ${seconds} s`;
  return { field: "spec.cooldownPeriod", text, harm: "zero" };
}

/** An idle size above zero: KEDA's own HPA raises it at once, unless it is one below. */
function idleNotes(idle: number, least: number): readonly Note[] {
  if (idle + 1 >= least) return [];
  const text = `becomes minReplicas: while there is work, the metrics may choose any size from ${idle + 1}, where KEDA has at least ${least}`;
  return [{ field: "spec.idleReplicaCount", text, harm: "size" }];
}

function pauseNote(name: string, text: string): Note {
  return { field: `metadata.annotations[autoscaling.keda.sh/${name}]`, text, harm: "zero" };
}
