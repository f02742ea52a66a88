import type { Behavior, ScalingPolicy, ScalingRules } from "../k8s/hpa";
import { WITHIN_RANGE, type StageStep } from "./conditions";
import { ceilToInt32, MAX_INT32, MIN_INT32, truncToInt32 } from "./replica-math";
import type { History, ScaleEvent } from "../model/situation";
import type { EpochMs } from "../k8s/time";
import { zeroAnnotation } from "../model/entry/zero-rule";
import type { RateDetail } from "../model/step";

interface LimitInput {
  readonly wanted: number;
  readonly current: number;
  readonly min: number;
  /** `min` is `from` of `ebb.dev/zero`. */
  readonly isFrom?: boolean;
  readonly max: number;
  readonly history: History;
  readonly behavior: Behavior | undefined;
}

export function limitRate(input: LimitInput, now: EpochMs): StageStep {
  const bound = input.behavior === undefined ? defaultBound(input) : policyBound(input, input.behavior, now);
  return bound ?? { stage: "limitRate", replicas: input.wanted, because: WITHIN_RANGE };
}

/** Double the size, or 4 from less than 2. Upstream: convertDesiredReplicasWithRules, horizontal.go. */
function defaultBound(input: LimitInput): StageStep | undefined {
  const { wanted, current, min } = input;
  const rate = Math.max(2 * current, 4);
  const policy = "at most double, or 4";
  const detail = { policy, periodSeconds: null, start: current, allowed: rate, until: null };
  const ceiling = highestAllowed(input, { replicas: rate, because: `${policy}: ${rate} from ${current}`, detail });
  if (wanted < min) return tooFew(input);
  return wanted > ceiling.replicas ? ceiling : undefined;
}

/** Upstream: convertDesiredReplicasWithBehaviorRate, horizontal.go. */
function policyBound(input: LimitInput, behavior: Behavior, now: EpochMs): StageStep | undefined {
  const { wanted, current } = input;
  if (wanted > current) {
    const limit = scaleUpLimit(input, behavior.scaleUp ?? {}, now);
    const ceiling = highestAllowed(input, { ...limit, replicas: Math.max(limit.replicas, current) });
    return wanted > ceiling.replicas ? ceiling : undefined;
  }
  if (wanted < current) {
    const limit = scaleDownLimit(input, behavior.scaleDown ?? {}, now);
    const floor = lowestAllowed(input, { ...limit, replicas: Math.min(limit.replicas, current) });
    return wanted < floor.replicas ? floor : undefined;
  }
  return undefined;
}

function highestAllowed({ min, max }: LimitInput, rate: Limit): StageStep {
  if (max > rate.replicas) return limitedByRate(rate, "ScaleUpLimit");
  const because = `spec.maxReplicas is ${max}`;
  const detail = { minReplicas: min, maxReplicas: max };
  return { stage: "bounds", replicas: max, limitedBy: "TooManyReplicas", because, detail };
}

function lowestAllowed(input: LimitInput, rate: Limit): StageStep {
  return input.min < rate.replicas ? limitedByRate(rate, "ScaleDownLimit") : tooFew(input);
}

function limitedByRate({ replicas, because, detail }: Limit, limitedBy: "ScaleUpLimit" | "ScaleDownLimit"): StageStep {
  return { replicas, because, detail, stage: "limitRate", limitedBy };
}

export function tooFew({ min, max, isFrom = false }: Pick<LimitInput, "min" | "max" | "isFrom">): StageStep {
  const because = isFrom ? `from of ${zeroAnnotation} is ${min}` : `spec.minReplicas is ${min}`;
  const detail = isFrom ? { minReplicas: 0, maxReplicas: max, from: min } : { minReplicas: min, maxReplicas: max };
  return { stage: "bounds", replicas: min, limitedBy: "TooFewReplicas", because, detail };
}

interface Limit {
  readonly replicas: number;
  readonly because: string;
  readonly detail: RateDetail;
}

/**
 * Percent rounds up, in floats: 100 + 10 % is 110.00000000000001, so 111. Upstream:
 * calculateScaleUpLimitWithScalingRules.
 */
function scaleUpLimit(input: LimitInput, rules: ScalingRules, now: EpochMs): Limit {
  if (rules.selectPolicy === "Disabled") return disabled("scaleUp", input.current);
  const limits = policyLimits(countLong(input, "scaleUpEvents"), rules, now, ({ type, value }, start) =>
    type === "Percent" ? ceilToInt32(start * (1 + value / 100)) : (start + value) | 0,
  );
  return rules.selectPolicy === "Min" ? smallest(limits, input.current) : largest(limits, input.current);
}

/** The largest change is the smallest size. Upstream: calculateScaleDownLimitWithBehaviors. */
function scaleDownLimit(input: LimitInput, rules: ScalingRules, now: EpochMs): Limit {
  if (rules.selectPolicy === "Disabled") return disabled("scaleDown", input.current);
  const limits = policyLimits(countLong(input, "scaleDownEvents"), rules, now, ({ type, value }, start) =>
    type === "Percent" ? truncToInt32(start * (1 - value / 100)) : (start - value) | 0,
  );
  return rules.selectPolicy === "Min" ? largest(limits, input.current) : smallest(limits, input.current);
}

function disabled(direction: string, current: number): Limit {
  const because = `behavior.${direction}.selectPolicy is Disabled`;
  const detail = { policy: "Disabled", periodSeconds: null, start: current, allowed: current, until: null };
  return { replicas: current, because, detail };
}

/**
 * A found scale counts from its last possible moment, and gives the other direction nothing back: a limit may hold
 * longer, but is never exceeded.
 */
function countLong(input: LimitInput, direction: "scaleUpEvents" | "scaleDownEvents"): LimitInput {
  const { history } = input;
  const other = direction === "scaleUpEvents" ? "scaleDownEvents" : "scaleUpEvents";
  const limited = history[direction].map(({ change, at, foundAt = at }) => ({ change, at: foundAt }));
  const certain = history[other].filter(({ foundAt }) => foundAt === undefined);
  return { ...input, history: { ...history, [direction]: limited, [other]: certain } };
}

/**
 * From the size at the start of each policy's period. Sums wrap like Go's int32: a policy of 2147483647 pods allows
 * none.
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
    const { periodSeconds } = policy;
    const name = `${policy.type} ${policy.value} in ${periodSeconds} s`;
    const oldest = Math.min(
      firstSince(history.scaleUpEvents, since, now),
      firstSince(history.scaleDownEvents, since, now),
    );
    const detail = { policy: name, periodSeconds, start, allowed: replicas, until: oldest + periodSeconds * 1000 };
    return { replicas, because: `policy ${name} allows ${replicas}`, detail };
  });
}

function firstSince(events: readonly ScaleEvent[], since: EpochMs, none: EpochMs): EpochMs {
  return events.reduce((first, { at }) => (at > since && at < first ? at : first), none);
}

function changeSince(events: readonly ScaleEvent[], since: EpochMs): number {
  return events.reduce((sum, { change, at }) => (at > since ? sum + change : sum), 0);
}

/** Without policies, Max allows no change, and Min any. */
function largest(limits: readonly Limit[], current: number): Limit {
  return limits.reduce((best, limit) => (limit.replicas > best.replicas ? limit : best), noPolicy(MIN_INT32, current));
}

function smallest(limits: readonly Limit[], current: number): Limit {
  return limits.reduce((best, limit) => (limit.replicas < best.replicas ? limit : best), noPolicy(MAX_INT32, current));
}

function noPolicy(replicas: number, current: number): Limit {
  const detail = { policy: "none", periodSeconds: null, start: current, allowed: replicas, until: null };
  return { replicas, because: "there is no policy", detail };
}
