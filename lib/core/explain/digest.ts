import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import { tolerancesOf } from "../replica-math";
import type { Options } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import { holdOf } from "../../model/hpa-signs";
import type { Explained } from "../../model/stored/state";
import type { IdleDetail, Step } from "../../model/step";
import { isRuleStep, readingOf, type MetricReading, type RuledStep } from "./metric-reading";

export interface Digest {
  readonly metrics: readonly MetricReading[];
  /** null: not read. */
  readonly proposed: number | null;
  /** Slots without work before the target may go to zero. */
  readonly slotsToZero?: number;
  /** Slots with work before a metric wakes the target. */
  readonly slotsToWake?: number;
  /** `ebb.dev/zero` found no work. `isZero`: the target goes to zero, or stays there. */
  readonly idle?: Pick<IdleDetail, "until"> & { readonly isZero: boolean; readonly because: string };
  readonly holds: readonly HeldSize[];
  /** Why no metric decided, or why the decision was not carried out. */
  readonly obstacle?: Obstacle;
}

export type HeldSize = Stabilized | RateLimited | Bounded | Unconfirmed | CoolingDown | Spared;

export interface Stabilized {
  readonly by: "stabilization";
  readonly direction: "up" | "down";
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
  readonly policy: string;
  /** null: at the next sync, or never. */
  readonly until: EpochMs | null;
}

interface Bounded {
  readonly by: "minReplicas" | "maxReplicas" | "from";
  readonly replicas: number;
}

/** `ebb.dev/zero` waits. */
export interface CoolingDown {
  readonly by: "cooldown";
  readonly replicas: number;
  /** null: a metric that could not be read may have work. */
  readonly until: EpochMs | null;
}

/** `ebb.dev/spare-busy` waits. */
export interface Spared {
  readonly by: "busy";
  readonly replicas: number;
  readonly because: string;
  /** null: as long as pods are busy. */
  readonly until: EpochMs | null;
  readonly isForCosts?: true;
}

/** The last replica stays until more slots are without work. */
export interface Unconfirmed {
  readonly by: "confirm";
  readonly replicas: number;
  readonly metric: string;
  readonly slotsToZero: number;
}

export interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

/** `hpa` and `options`: the decision's, for names and tolerance. */
export function digest(
  { from, steps }: Pick<Explained, "from" | "steps">,
  { hpa, options }: { readonly hpa: HorizontalPodAutoscaler | undefined; readonly options: Options },
): Digest {
  const metricSteps = ruledSteps(steps);
  const combined = steps.find((step) => step.stage === "combine");
  const specs = hpa?.spec.metrics ?? [];
  // The spec may have changed since.
  const describesSpec = metricSteps.length === specs.length;
  const tolerances = tolerancesOf(hpa?.spec.behavior, options);
  const metrics = metricSteps.map((step, index) =>
    readingOf(step, { spec: describesSpec ? specs[index] : undefined, from, tolerances }),
  );
  const slotsToZero = combined?.detail?.slotsToZero;
  const waits = metricSteps.flatMap(({ rules }) => rules.flatMap(slotsToWake));
  const obstacle = obstacleIn(steps, combined);
  const idle = idleIn(steps);
  return {
    metrics: combined === undefined ? [] : metrics,
    proposed: combined?.replicas ?? null,
    ...(slotsToZero === undefined ? {} : { slotsToZero }),
    ...(waits.length === 0 ? {} : { slotsToWake: Math.min(...waits) }),
    ...(idle === undefined ? {} : { idle }),
    holds: combined === undefined ? [] : steps.flatMap((step) => heldSizeOf(step, from)),
    ...(obstacle === undefined ? {} : { obstacle }),
  };
}

function ruledSteps(steps: readonly Step[]): readonly RuledStep[] {
  const ruled: { found: RuledStep["found"]; rules: RuledStep["rules"][number][] }[] = [];
  for (const step of steps) {
    if (step.stage === "metric") ruled.push({ found: step, rules: [] });
    else if (isRuleStep(step)) ruled.at(-1)?.rules.push(step);
  }
  return ruled;
}

function idleIn(steps: readonly Step[]): Digest["idle"] {
  const step = steps.find(({ stage }) => stage === "idle");
  if (step?.stage !== "idle") return undefined;
  return { until: step.detail?.until ?? null, isZero: step.replicas === 0, because: step.because };
}

function slotsToWake({ stage, detail }: RuledStep["rules"][number]): readonly number[] {
  return stage === "confirmWake" && detail !== undefined ? [Number(detail.rule) - Number(detail.found)] : [];
}

function heldSizeOf(step: Step, from: number | null): readonly HeldSize[] {
  const by = holdOf(step);
  const { stage, limitedBy, replicas } = step;
  if (by === undefined || by === "unknownMetric" || replicas === null) return [];
  if (stage === "stabilize" || stage === "limitRate") {
    const direction = limitedBy === "ScaleUpStabilized" || limitedBy === "ScaleUpLimit" ? "up" : "down";
    if (stage === "stabilize") {
      const { window = 0, heldBy = null, lastSeen = null, until = null } = step.detail ?? {};
      const held = { windowSeconds: window, recommendation: heldBy, lastSeen, until };
      const raises = direction === "down" && from !== null && replicas > from;
      return [{ by: "stabilization", direction, ...(raises && { raises }), replicas, ...held }];
    }
    const { policy = step.because, until = null } = step.detail ?? {};
    return [{ by: "rate", direction, replicas, policy, until }];
  }
  if (stage === "confirm") {
    const { name = "a metric", slotsToZero = 1 } = step.detail ?? {};
    return [{ by: "confirm", replicas, metric: name, slotsToZero }];
  }
  if (stage === "idle") return [{ by: "cooldown", replicas, until: step.detail?.until ?? null }];
  if (stage === "spare") {
    const { until = null, costsSeenAt } = step.detail ?? {};
    const isForCosts = costsSeenAt !== undefined && ({ isForCosts: true } as const);
    return [{ by: "busy", replicas, because: step.because, until, ...isForCosts }];
  }
  return by === "minReplicas" || by === "maxReplicas" || by === "from" ? [{ by, replicas }] : [];
}

export function isDryRunScaling({ steps }: Pick<Explained, "steps">): boolean {
  return steps.at(-1)?.limitedBy === "DryRun";
}

/**
 * An early step for a closed gate or a bad selector, the last one for a failed decision. Unreadable metrics explain
 * themselves.
 */
function obstacleIn(steps: readonly Step[], combined: Step | undefined): Obstacle | undefined {
  const last = isDryRunScaling({ steps }) ? steps.at(-2) : steps.at(-1);
  const decisive =
    combined === undefined
      ? (steps.find(({ stage, limitedBy }) => stage === "spare" && limitedBy !== undefined) ??
        steps.find(({ limitedBy }) => limitedBy !== undefined))
      : last?.limitedBy !== undefined && last.stage === "decide" && combined.replicas !== null
        ? last
        : undefined;
  return decisive === undefined ? undefined : { reason: decisive.limitedBy ?? "", message: decisive.because };
}
