import type { Behavior, ScalingPolicy, ScalingRules } from "../api/hpa";
import type { Verdict } from "./conditions";
import { ceilToInt32, MAX_INT32, MIN_INT32, truncToInt32 } from "./replica-math";
import type { EpochMs, History, ScaleEvent, Step } from "./situation";

export interface Limited {
  readonly replicas: number;
  readonly verdict: Verdict;
  readonly step: Step;
}

export interface LimitInput {
  /** Stabilized. */
  readonly wanted: number;
  readonly current: number;
  readonly min: number;
  readonly max: number;
  readonly history: History;
  readonly behavior: Behavior | undefined;
}

/** A bound that a size ran into: how far it may go, and what upstream calls it. */
interface Bound {
  readonly replicas: number;
  readonly reason: keyof typeof messages;
  readonly because: string;
}

const messages = {
  ScaleUpLimit: "the desired replica count is increasing faster than the maximum scale rate",
  ScaleDownLimit: "the desired replica count is decreasing faster than the maximum scale rate",
  TooManyReplicas: "the desired replica count is more than the maximum replica count",
  TooFewReplicas: "the desired replica count is less than the minimum replica count",
};

/** How much of the wanted change may happen now: the rate, then minReplicas and maxReplicas. */
export function limitRate(input: LimitInput, now: EpochMs): Limited {
  const { wanted } = input;
  const bound = input.behavior === undefined ? defaultBound(input) : policyBound(input, input.behavior, now);
  return bound === undefined ? within(wanted) : limitedBy(bound);
}

/** Without `behavior`: at most double, or 4 from less than 2. Upstream: convertDesiredReplicasWithRules, horizontal.go. */
function defaultBound({ wanted, current, min, max }: LimitInput): Bound | undefined {
  const rate = Math.max(2 * current, 4);
  const ceiling = highestAllowed(max, rate, `at most double, or 4: ${rate} from ${current}`);
  if (wanted < min) return tooFew(min);
  return wanted > ceiling.replicas ? ceiling : undefined;
}

/** Upstream: convertDesiredReplicasWithBehaviorRate, horizontal.go. */
function policyBound(input: LimitInput, behavior: Behavior, now: EpochMs): Bound | undefined {
  const { wanted, current, min, max } = input;
  if (wanted > current) {
    const limit = scaleUpLimit(input, behavior.scaleUp ?? {}, now);
    const ceiling = highestAllowed(max, Math.max(limit.replicas, current), limit.because);
    return wanted > ceiling.replicas ? ceiling : undefined;
  }
  if (wanted < current) {
    const limit = scaleDownLimit(input, behavior.scaleDown ?? {}, now);
    const floor = lowestAllowed(min, Math.min(limit.replicas, current), limit.because);
    return wanted < floor.replicas ? floor : undefined;
  }
  return undefined;
}

function highestAllowed(max: number, rate: number, because: string): Bound {
  if (max > rate) return { replicas: rate, reason: "ScaleUpLimit", because };
  return { replicas: max, reason: "TooManyReplicas", because: `spec.maxReplicas is ${max}` };
}

function lowestAllowed(min: number, rate: number, because: string): Bound {
  return min < rate ? { replicas: rate, reason: "ScaleDownLimit", because } : tooFew(min);
}

function tooFew(min: number): Bound {
  return { replicas: min, reason: "TooFewReplicas", because: `spec.minReplicas is ${min}` };
}

interface Limit {
  readonly replicas: number;
  readonly because: string;
}

/** Upstream: calculateScaleUpLimitWithScalingRules. Percent rounds up, in floats: 100 and 10 % are 110.00000000000001, so 111. */
function scaleUpLimit(input: LimitInput, rules: ScalingRules, now: EpochMs): Limit {
  if (rules.selectPolicy === "Disabled") return disabled("scaleUp", input.current);
  const limits = policyLimits(input, rules, now, ({ type, value }, start) =>
    type === "Percent" ? ceilToInt32(start * (1 + value / 100)) : (start + value) | 0,
  );
  return rules.selectPolicy === "Min" ? smallest(limits) : largest(limits);
}

/** Upstream: calculateScaleDownLimitWithBehaviors. The largest change is the smallest size, and the other way round. */
function scaleDownLimit(input: LimitInput, rules: ScalingRules, now: EpochMs): Limit {
  if (rules.selectPolicy === "Disabled") return disabled("scaleDown", input.current);
  const limits = policyLimits(input, rules, now, ({ type, value }, start) =>
    type === "Percent" ? truncToInt32(start * (1 - value / 100)) : (start - value) | 0,
  );
  return rules.selectPolicy === "Min" ? largest(limits) : smallest(limits);
}

function disabled(direction: string, current: number): Limit {
  return { replicas: current, because: `behavior.${direction}.selectPolicy is Disabled` };
}

/**
 * One limit for each policy, counted from the size at the start of its period: what was added since is taken off, what was
 * removed is put back. Additions wrap like Go's int32: a policy of 2147483647 pods allows none.
 */
function policyLimits(
  { current, history }: LimitInput,
  { policies = [] }: ScalingRules,
  now: EpochMs,
  allow: (policy: ScalingPolicy, start: number) => number,
): readonly Limit[] {
  return policies.map((policy) => {
    const since = now - policy.periodSeconds * 1000;
    const start =
      (current - changeSince(history.scaleUpEvents, since) + changeSince(history.scaleDownEvents, since)) | 0;
    const replicas = allow(policy, start);
    return {
      replicas,
      because: `policy ${policy.type} ${policy.value} in ${policy.periodSeconds} s allows ${replicas}`,
    };
  });
}

function changeSince(events: readonly ScaleEvent[], since: EpochMs): number {
  return events.reduce((sum, { change, at }) => (at > since ? sum + change : sum), 0);
}

/** Of no policies upstream takes the int32 at the far end: a rate of none where it is the limit, no limit where it is not. */
function largest(limits: readonly Limit[]): Limit {
  return limits.reduce((best, limit) => (limit.replicas > best.replicas ? limit : best), noPolicy(MIN_INT32));
}

function smallest(limits: readonly Limit[]): Limit {
  return limits.reduce((best, limit) => (limit.replicas < best.replicas ? limit : best), noPolicy(MAX_INT32));
}

function noPolicy(replicas: number): Limit {
  return { replicas, because: "there is no policy" };
}

function within(replicas: number): Limited {
  const message = "the desired count is within the acceptable range";
  const verdict: Verdict = { type: "ScalingLimited", status: "False", reason: "DesiredWithinRange", message };
  return { replicas, verdict, step: { stage: "limitRate", replicas, because: message } };
}

function limitedBy({ replicas, reason, because }: Bound): Limited {
  const verdict: Verdict = { type: "ScalingLimited", status: "True", reason, message: messages[reason] };
  const stage = reason === "ScaleUpLimit" || reason === "ScaleDownLimit" ? "limitRate" : "bounds";
  return { replicas, verdict, step: { stage, replicas, limitedBy: reason, because } };
}
