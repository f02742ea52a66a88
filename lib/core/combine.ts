import type { MetricStatus } from "../k8s/hpa";
import type { Verdict } from "./conditions";
import type { Recommendation, Unavailable } from "./recommend/recommendation";
import type { ZeroHold } from "./rules/rule";
import type { HpaEvent } from "../model/situation";
import type { Step } from "../model/step";

/** `statuses`: empty for metrics that could not be read. */
type Demand = KnownDemand | UnknownDemand;

interface Combined {
  readonly statuses: readonly MetricStatus[];
  readonly events: readonly HpaEvent[];
  readonly verdicts: readonly Verdict[];
  readonly steps: readonly Step[];
}

export interface KnownDemand extends Combined {
  readonly kind: "known";
  readonly replicas: number;
  readonly name: string;
}

export interface UnknownDemand extends Combined {
  readonly kind: "unknown";
  readonly error: string;
}

/**
 * The highest wins. An unreadable metric could ask for any size: the others may then raise the size, never lower it.
 * Upstream: computeReplicasForMetrics, horizontal.go.
 */
export function combine(
  recommendations: readonly Recommendation[],
  currentReplicas: number,
  zeroHold?: ZeroHold,
): Demand {
  if (recommendations.length === 0) throw new Error("expected a defaulted HPA, got one without metrics");
  const { replicas, name } = highest(recommendations);
  const counted = recommendations.filter((one) => one.kind === "proposal" || one.isAtZero !== true);
  const blind = counted.filter((one) => one.kind === "unavailable");
  const shared = {
    statuses: recommendations.map((one) => (one.kind === "proposal" ? one.status : { type: "" })),
    events: recommendations.flatMap(eventsOf),
  };
  const steps = recommendations.flatMap(metricSteps);
  const [first] = blind;
  if (first !== undefined && (blind.length === counted.length || replicas < currentReplicas)) {
    const error = `invalid metrics (${blind.length} invalid out of ${recommendations.length}), first error is: ${first.error}`;
    const because = `${blind.length} of ${recommendations.length} metrics cannot be read, and without them the size must not shrink`;
    const step: Step = { stage: "combine", replicas: null, because, detail: { blind: blind.length } };
    return { kind: "unknown", ...shared, error, verdicts: [unableToCompute(first)], steps: [...steps, step] };
  }
  const because = `the highest of ${recommendations.length}: ${name}`;
  const detail = {
    blind: blind.length,
    ...(zeroHold && replicas <= 0 && { slotsToZero: zeroHold.slotsToZero }),
  };
  return {
    kind: "known",
    ...shared,
    replicas: Math.max(0, replicas),
    name,
    verdicts: [validMetricFound(name)],
    steps: [...steps, { stage: "combine", replicas: Math.max(0, replicas), because, detail }],
  };
}

/** The first of equals, the last of zeros: upstream reads a zero as "none yet". */
function highest(recommendations: readonly Recommendation[]): { readonly replicas: number; readonly name: string } {
  let best = { replicas: 0, name: "" };
  for (const one of recommendations) {
    if (one.kind === "proposal" && (best.replicas === 0 || one.replicas > best.replicas)) best = one;
  }
  return best;
}

function metricSteps(one: Recommendation): readonly Step[] {
  const ruled = one.kind === "proposal" ? one.ruled : undefined;
  return ruled === undefined ? [metricStep(one)] : [metricStep(ruled.found), ...ruled.steps];
}

function metricStep(one: Recommendation): Step {
  if (one.kind === "unavailable" && one.isAtZero === true)
    return { stage: "metric", replicas: 0, because: "no pod runs that it could measure" };
  return one.kind === "unavailable"
    ? {
        stage: "metric",
        replicas: null,
        limitedBy: one.reason,
        because: one.message,
        ...(one.pods && { detail: one.pods }),
      }
    : {
        stage: "metric",
        replicas: one.replicas,
        because: `${one.name}: ${one.because}`,
        detail: { name: one.name, ...one.detail },
      };
}

/** A metric in fallback still fails. */
function eventsOf(one: Recommendation): readonly HpaEvent[] {
  if (one.kind === "unavailable") return one.isAtZero === true ? [] : [warning(one)];
  const { found, events } = one.ruled ?? { found: one, events: [] };
  return found.kind === "unavailable" ? [warning(found), ...events] : events;
}

function warning({ reason, message }: Unavailable): HpaEvent {
  return { type: "Warning", reason, message };
}

function unableToCompute({ reason, message }: Unavailable): Verdict {
  return {
    type: "ScalingActive",
    status: "False",
    reason,
    message: `the HPA was unable to compute the replica count: ${message}`,
  };
}

function validMetricFound(name: string): Verdict {
  return {
    type: "ScalingActive",
    status: "True",
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${name}`,
  };
}
