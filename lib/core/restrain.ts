import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";
import { zeroAnnotation } from "../model/entry/zero-rule";
import type { History, Options } from "../model/situation";
import type { Step } from "../model/step";
import type { KnownDemand } from "./combine";
import { ableToScale, scalingLimited, type Verdict } from "./conditions";
import { BELOW_MIN, minReplicas } from "./gate";
import { type ZeroByActivity, NO_WORK, unconfirmedStep, waitSteps, zeroStep } from "./idle";
import { limitRate, tooFew } from "./limit-rate";
import type { ZeroHold } from "./rules/rule";
import { stabilize } from "./stabilize";

interface Restraints {
  readonly hpa: HorizontalPodAutoscaler;
  readonly options: Options;
  /** Without this sync's recommendation. */
  readonly history: History;
  readonly current: number;
  readonly zeroHold?: ZeroHold | undefined;
  /** For an HPA with `ebb.dev/zero`, in place of `zeroHold`. */
  readonly idle?: ZeroByActivity | undefined;
}

interface Restrained {
  readonly replicas: number;
  /** Why the target rescales if no metric asks for it. */
  readonly reason: string;
  /** Whatever the metrics ask for. */
  readonly overrides?: true;
  readonly verdicts: readonly Verdict[];
  readonly steps: readonly Step[];
}

export function restrain(
  proposed: number,
  { hpa, options, history, current, zeroHold, idle }: Restraints,
  now: EpochMs,
): Restrained {
  const zero = idle && goToZero(idle, current, now);
  if (zero !== undefined) return zero;
  const { behavior, maxReplicas: max } = hpa.spec;
  const bounds = { min: idle?.from ?? minReplicas(hpa), max, isFrom: idle !== undefined };
  const stabilized = stabilize({ proposed, current, history, behavior, options }, now);
  const limited = limitRate({ wanted: stabilized.replicas, current, ...bounds, history, behavior }, now);
  const verdicts = [ableToScale(stabilized), scalingLimited(limited)];
  if (idle !== undefined) {
    const floored = limited.replicas < bounds.min ? [tooFew(bounds)] : [];
    const replicas = Math.max(limited.replicas, bounds.min);
    const steps = [stabilized, limited, ...floored, ...waitSteps(idle, replicas, now)];
    const isRaised = current < bounds.min && proposed <= current;
    return { replicas, reason: BELOW_FROM, ...(isRaised && { overrides: true }), verdicts, steps };
  }
  if (zeroHold !== undefined && current > 0 && limited.replicas === 0) {
    return { replicas: 1, reason: "", verdicts, steps: [stabilized, limited, unconfirmedStep(zeroHold, 1)] };
  }
  if (current !== 0 || limited.replicas >= bounds.min) {
    return { replicas: limited.replicas, reason: "", verdicts, steps: [stabilized, limited] };
  }
  // The gate lets only our own zero through. Raising minReplicas ends it at any rate limit.
  const floored = { ...tooFew(bounds), because: BELOW_MIN };
  return { replicas: bounds.min, reason: BELOW_MIN, verdicts, steps: [stabilized, limited, floored] };
}

const BELOW_FROM = `Current number of replicas below from of ${zeroAnnotation}`;

/** Past windows, policies and metrics of pods. */
function goToZero(idle: ZeroByActivity, current: number, now: EpochMs): Restrained | undefined {
  const step = zeroStep(idle, current, now);
  if (step === undefined) return undefined;
  const unheld = { stage: "stabilize", replicas: 0, because: step.because } as const;
  const verdicts = [ableToScale(unheld), scalingLimited(unheld)];
  return { replicas: 0, reason: NO_WORK, overrides: true, verdicts, steps: [step] };
}

/** Without a demand. Metrics of pods that cannot be read hold neither zero nor a size below `from`. */
export function restrainBlind(
  { hpa, current, idle }: Restraints,
  now: EpochMs,
): Restrained | { readonly steps: readonly Step[] } {
  if (idle === undefined || current === 0) return { steps: [] };
  const zero = goToZero(idle, current, now);
  if (zero !== undefined) return zero;
  if (current >= idle.from) return { steps: waitSteps(idle, current, now) };
  const floored = tooFew({ min: idle.from, max: hpa.spec.maxReplicas, isFrom: true });
  return { replicas: idle.from, reason: BELOW_FROM, verdicts: [], steps: [floored] };
}

export function reasonOf({ replicas, name }: KnownDemand, { reason, overrides }: Restrained, current: number): string {
  if (overrides === true || replicas === current) return reason;
  return replicas > current ? `${name} above target` : "All metrics below target";
}
