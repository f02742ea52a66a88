import type { Behavior, HorizontalPodAutoscaler, ScalingRules } from "../hpa";
import type { Condition } from "../meta";
import { alignColumns } from "./align-columns";
import { describeMeta } from "./describe-meta";
import { describeMetric } from "./describe-metric";
import { humanDuration } from "./human-duration";

/** An event as `kubectl describe` lists it. Times are milliseconds since the epoch; `count` is how often it came since `firstAt`. */
export interface DescribedEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly from: string;
  readonly at: number;
  readonly count?: number;
  readonly firstAt?: number;
}

/** What `kubectl describe hpa` prints, to the space. Upstream: describeHorizontalPodAutoscalerV2, kubectl pkg/describe. */
export function describeHpa(hpa: HorizontalPodAutoscaler, events: readonly DescribedEvent[], now: number): string {
  const { metadata, spec, status } = hpa;
  const { kind, name } = spec.scaleTargetRef;
  const lines = [
    ...describeMeta(metadata),
    `Reference:\t${kind}/${name}`,
    "Metrics:\t( current / target )",
    ...(spec.metrics ?? []).map((metric, index) => `  ${describeMetric(metric, status?.currentMetrics?.[index])}`),
    `Min replicas:\t${spec.minReplicas ?? "<unset>"}`,
    `Max replicas:\t${spec.maxReplicas}`,
    ...(spec.behavior === undefined ? [] : describeBehavior(spec.behavior)),
    `${kind} pods:\t${status?.currentReplicas ?? 0} current / ${status?.desiredReplicas ?? 0} desired`,
    ...describeConditions(status?.conditions ?? []),
    ...describeEvents(events, now),
  ];
  return alignColumns(`${lines.join("\n")}\n`, { minWidth: 0, padding: 2 });
}

/** kubectl does not print tolerances. */
function describeBehavior({ scaleUp, scaleDown }: Behavior): string[] {
  return [
    "Behavior:",
    ...(scaleUp === undefined ? [] : ["  Scale Up:", ...describeRules(scaleUp)]),
    ...(scaleDown === undefined ? [] : ["  Scale Down:", ...describeRules(scaleDown)]),
  ];
}

function describeRules({ stabilizationWindowSeconds, selectPolicy, policies = [] }: ScalingRules): string[] {
  const window =
    stabilizationWindowSeconds === undefined ? [] : [`    Stabilization Window: ${stabilizationWindowSeconds} seconds`];
  if (policies.length === 0) return window;
  return [
    ...window,
    `    Select Policy: ${selectPolicy ?? "Max"}`,
    "    Policies:",
    ...policies.map(
      ({ type, value, periodSeconds }) => `      - Type: ${type}\tValue: ${value}\tPeriod: ${periodSeconds} seconds`,
    ),
  ];
}

function describeConditions(conditions: readonly Condition[]): string[] {
  if (conditions.length === 0) return [];
  return [
    "Conditions:",
    "  Type\tStatus\tReason\tMessage",
    "  ----\t------\t------\t-------",
    ...conditions.map(({ type, status, reason = "", message = "" }) => `  ${type}\t${status}\t${reason}\t${message}`),
  ];
}

function describeEvents(events: readonly DescribedEvent[], now: number): string[] {
  if (events.length === 0) return ["Events:\t<none>"];
  return [
    "Events:",
    "  Type\tReason\tAge\tFrom\tMessage",
    "  ----\t------\t----\t----\t-------",
    ...[...events]
      .sort((a, b) => a.at - b.at)
      .map(
        (event) =>
          `  ${event.type}\t${event.reason}\t${ageOfEvent(event, now)}\t${event.from}\t${event.message.trim()}`,
      ),
  ];
}

function ageOfEvent({ at, count = 1, firstAt = at }: DescribedEvent, now: number): string {
  return count > 1
    ? `${humanDuration(now - at)} (x${count} over ${humanDuration(now - firstAt)})`
    : humanDuration(now - firstAt);
}
