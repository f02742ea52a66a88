import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import { humanDuration } from "../k8s/human-duration";
import { type EpochMs, formatSeconds, parseInstant } from "../k8s/time";
import type { Activity } from "../model/activity";
import type { ZeroRule } from "../model/entry/zero-rule";
import type { History, Situation } from "../model/situation";
import type { Step } from "../model/step";
import type { Work, ZeroHold } from "./rules/rule";

export interface ZeroByActivity {
  /** The least size above zero. */
  readonly from: number;
  /** Any work wakes. `unknown` and `unconfirmed` only keep a running target from zero. */
  readonly work: Work;
  readonly activity: Activity | undefined;
  /** When zero is allowed, if no work comes. Undefined while there is work, or while nobody knows. */
  readonly zeroAt: EpochMs | undefined;
  readonly zeroHold?: ZeroHold | undefined;
}

interface Weighed {
  readonly work: readonly Work[];
  readonly zeroHold?: ZeroHold | undefined;
  readonly current: number;
  /** The history remembers when it was last known. */
  readonly demand: { readonly kind: "known" | "unknown" };
}

/**
 * As KEDA decides about activity:
 *
 *     work           ■ ■ ■ ? ? □ □ □ □        ■ work  □ none  ? unknown
 *     lastWork           │                    moves only while every metric is read
 *     may be zero        └── after ──┤□       and never while one is unknown
 *
 * Upstream, KEDA 2.21: RequestScale and scaleToZeroOrIdle (pkg/scaling/executor/scale_scaledobjects.go), and
 * getScaledObjectState (pkg/scaling/scale_handler.go), where CPU and memory do not count.
 */
export function weighIdle(
  { hpa, history, activity: before }: Pick<Situation, "hpa" | "history" | "activity">,
  rule: ZeroRule,
  { work: each, zeroHold, current, demand }: Weighed,
  now: EpochMs,
): ZeroByActivity {
  const isUnknown = each.includes("unknown");
  const hasWork = each.includes("work");
  // KEDA notes the wake itself even while another trigger errs.
  const isSeen = hasWork && (!isUnknown || current < rule.from);
  const activity = isSeen ? working(demand.kind === "known") : ended(before, history, now);
  const work = hasWork ? "work" : isUnknown ? "unknown" : each.includes("unconfirmed") ? "unconfirmed" : "none";
  const zeroAt = hasWork || isUnknown ? undefined : zeroFrom(activity, { hpa, rule, now });
  return { from: Math.min(rule.from, hpa.spec.maxReplicas), work, activity, zeroAt, zeroHold };
}

function working(isKnown: boolean): Activity {
  return isKnown ? { working: true } : { working: true, unobserved: true };
}

function ended(before: Activity | undefined, history: History | null, now: EpochMs): Activity | undefined {
  const { working: wasWorking, unobserved, lastWork } = before ?? {};
  const observed = unobserved === true ? now : (history?.recommendations.at(-1)?.at ?? now);
  const last = wasWorking === true ? observed : lastWork;
  // From a clock that was wrong.
  return last === undefined ? undefined : { lastWork: Math.min(last, now) };
}

interface Sought {
  readonly hpa: HorizontalPodAutoscaler;
  readonly rule: ZeroRule;
  readonly now: EpochMs;
}

function zeroFrom(activity: Activity | undefined, { hpa, rule, now }: Sought): EpochMs {
  if (activity?.lastWork !== undefined) return activity.lastWork + rule.afterMs;
  const { creationTimestamp } = hpa.metadata;
  return creationTimestamp === undefined ? now : parseInstant(creationTimestamp) + rule.initialAfterMs;
}

export const NO_WORK = "No External or Object metric has work";

export type IdleStep = Extract<Step, { stage: "idle" | "confirm" }> & { readonly replicas: number };

/** The step to zero, or that the target stays there. Undefined: it has work, or waits. */
export function zeroStep(
  { work, zeroAt, activity }: ZeroByActivity,
  current: number,
  now: EpochMs,
): IdleStep | undefined {
  const detail = { lastWork: activity?.lastWork ?? null, until: null };
  if (current === 0 && work !== "work") {
    const because = work === "none" ? "no External or Object metric has work" : "no work is known for certain";
    return { stage: "idle", replicas: 0, limitedBy: "NoWork", because, detail };
  }
  if (current === 0 || work !== "none" || zeroAt === undefined || now < zeroAt) return undefined;
  const since = detail.lastWork === null ? "so far" : `for ${humanDuration(now - detail.lastWork)}`;
  const because = `no External or Object metric has had work ${since}`;
  return { stage: "idle", replicas: 0, limitedBy: "NoWork", because, detail };
}

export function waitSteps(
  { work, zeroAt, zeroHold, activity }: ZeroByActivity,
  replicas: number,
  now: EpochMs,
): readonly IdleStep[] {
  if (work === "work") return [];
  const detail = { lastWork: activity?.lastWork ?? null, until: zeroAt ?? null };
  if (zeroAt === undefined) {
    const because = "a metric that cannot be read may have work";
    return [{ stage: "idle", replicas, limitedBy: "ActivityUnknown", because, detail }];
  }
  if (now < zeroAt) {
    const because = `zero follows at ${formatSeconds(zeroAt)}, if no work comes`;
    return [{ stage: "idle", replicas, limitedBy: "CoolingDown", because, detail }];
  }
  if (zeroHold === undefined) return [];
  return [unconfirmedStep(zeroHold, replicas)];
}

export function unconfirmedStep(zeroHold: ZeroHold, replicas: number): IdleStep {
  const because = `${zeroHold.name} must have no work in more slots in a row: ${zeroHold.slotsToZero}`;
  return { stage: "confirm", replicas, limitedBy: "ZeroNotConfirmed", because, detail: zeroHold };
}
