import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import { tolerancesOf } from "../replica-math";
import type { Options } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { Explained } from "../../model/stored/state";
import type { Step } from "../../model/step";
import { isRuleStep, readingOf, type MetricReading, type RuledStep } from "./metric-reading";

/** A decision as data: what was read, requested and held back. */
export interface Digest {
  readonly metrics: readonly MetricReading[];
  /** What the metrics together ask for. null: not read. */
  readonly proposed: number | null;
  /** For so many more slots, metrics must stay without work before the target may go to zero. */
  readonly slotsToZero?: number;
  /** For so many more slots, a metric must have work before it wakes the target. */
  readonly slotsToWake?: number;
  /** In the order of the stages. */
  readonly holds: readonly HeldSize[];
  /** Why no metric decided, or why the decision was not carried out. */
  readonly obstacle?: Obstacle;
}

export type HeldSize = Stabilized | RateLimited | Bounded | Unconfirmed;

/** A lower (`up`) or higher (`down`) recommendation holds the size until it leaves the window. */
export interface Stabilized {
  readonly by: "stabilization";
  readonly direction: "up" | "down";
  /** The recommendation is even higher than the size that the decision started from. */
  readonly raises?: true;
  readonly replicas: number;
  readonly windowSeconds: number;
  readonly recommendation: number | null;
  readonly lastSeen: EpochMs | null;
  readonly until: EpochMs | null;
}

export interface RateLimited {
  readonly by: "rate";
  readonly direction: "up" | "down";
  readonly replicas: number;
  /** "Pods 4 in 15 s", "at most double, or 4" */
  readonly policy: string;
  /** When the policy allows more. null: at the next sync, or never. */
  readonly until: EpochMs | null;
}

interface Bounded {
  readonly by: "minReplicas" | "maxReplicas";
  readonly replicas: number;
}

/** More slots without work must pass before the last replica goes. */
export interface Unconfirmed {
  readonly by: "confirm";
  readonly replicas: number;
  /** The metric that needs the most slots, as conditions name it. */
  readonly metric: string;
  readonly slotsToZero: number;
}

/** `reason`: a condition's. */
export interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

/**
 * `hpa` and `options` are the decision's: they give metric names and tolerance. Without an HPA, recorded names are
 * used.
 */
export function digest(
  { from, steps }: Pick<Explained, "from" | "steps">,
  { hpa, options }: { readonly hpa: HorizontalPodAutoscaler | undefined; readonly options: Options },
): Digest {
  const metricSteps = ruledSteps(steps);
  const combined = steps.find((step) => step.stage === "combine");
  const specs = hpa?.spec.metrics ?? [];
  // The spec may have changed since then.
  const describesSpec = metricSteps.length === specs.length;
  const tolerances = tolerancesOf(hpa?.spec.behavior, options);
  const metrics = metricSteps.map((step, index) =>
    readingOf(step, { spec: describesSpec ? specs[index] : undefined, from, tolerances }),
  );
  const slotsToZero = combined?.detail?.slotsToZero;
  const waits = metricSteps.flatMap(({ rules }) => rules.flatMap(slotsToWake));
  const obstacle = obstacleIn(steps, combined);
  return {
    metrics: combined === undefined ? [] : metrics,
    proposed: combined?.replicas ?? null,
    ...(slotsToZero === undefined ? {} : { slotsToZero }),
    ...(waits.length === 0 ? {} : { slotsToWake: Math.min(...waits) }),
    holds: combined === undefined ? [] : steps.flatMap((step) => holdOf(step, from)),
    ...(obstacle === undefined ? {} : { obstacle }),
  };
}

/** The steps of a metric's rules follow its own. */
function ruledSteps(steps: readonly Step[]): readonly RuledStep[] {
  const ruled: { found: RuledStep["found"]; rules: RuledStep["rules"][number][] }[] = [];
  for (const step of steps) {
    if (step.stage === "metric") ruled.push({ found: step, rules: [] });
    else if (isRuleStep(step)) ruled.at(-1)?.rules.push(step);
  }
  return ruled;
}

function slotsToWake({ stage, detail }: RuledStep["rules"][number]): readonly number[] {
  return stage === "confirmWake" && detail !== undefined ? [Number(detail.rule) - Number(detail.found)] : [];
}

function holdOf(step: Step, from: number | null): readonly HeldSize[] {
  const { stage, limitedBy, replicas } = step;
  if (limitedBy === undefined || replicas === null) return [];
  const direction = limitedBy === "ScaleUpStabilized" || limitedBy === "ScaleUpLimit" ? "up" : "down";
  if (stage === "stabilize") {
    const { window = 0, heldBy = null, lastSeen = null, until = null } = step.detail ?? {};
    const held = { windowSeconds: window, recommendation: heldBy, lastSeen, until };
    const raises = direction === "down" && from !== null && replicas > from;
    return [{ by: "stabilization", direction, ...(raises && { raises }), replicas, ...held }];
  }
  if (stage === "limitRate") {
    const { policy = step.because, until = null } = step.detail ?? {};
    return [{ by: "rate", direction, replicas, policy, until }];
  }
  if (stage === "confirm") {
    const { name = "a metric", slotsToZero = 1 } = step.detail ?? {};
    return [{ by: "confirm", replicas, metric: name, slotsToZero }];
  }
  if (stage !== "bounds") return [];
  return [{ by: limitedBy === "TooManyReplicas" ? "maxReplicas" : "minReplicas", replicas }];
}

/** True if a dry run decided to scale. */
export function isDryRunScaling({ steps }: Pick<Explained, "steps">): boolean {
  return steps.at(-1)?.limitedBy === "DryRun";
}

/**
 * Why nothing was scaled: an early step for a closed gate or a bad selector, the last step for a failed decision.
 * Unreadable metrics explain themselves. A dry run decides as any sync, so it is no obstacle.
 */
function obstacleIn(steps: readonly Step[], combined: Step | undefined): Obstacle | undefined {
  const last = isDryRunScaling({ steps }) ? steps.at(-2) : steps.at(-1);
  const decisive =
    combined === undefined
      ? steps.find(({ limitedBy }) => limitedBy !== undefined)
      : last?.limitedBy !== undefined && last.stage === "decide" && combined.replicas !== null
        ? last
        : undefined;
  return decisive === undefined ? undefined : { reason: decisive.limitedBy ?? "", message: decisive.because };
}
