import type { Behavior, HorizontalPodAutoscaler, ScalingRules } from "../hpa";
import type { Condition } from "../meta";
import { alignColumns } from "./align-columns";
import { describeEvents } from "./describe-events";
import { describeMeta } from "./describe-meta";
import { describeMetric } from "./describe-metric";
import { escapeTerminal } from "./escape-terminal";
import type { PrintedEvent } from "./printed-event";

/**
 * What `kubectl describe hpa` prints, to the space. Without events nothing is said of them, as kubectl does for several objects at once.
 * Upstream: describeHorizontalPodAutoscalerV2, kubectl pkg/describe.
 */
export function describeHpa(
  hpa: HorizontalPodAutoscaler,
  events: readonly PrintedEvent[] | undefined,
  now: number,
): string {
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
    ...(events === undefined ? [] : describeEvents(events, now)),
  ];
  return alignColumns(escapeTerminal(`${lines.join("\n")}\n`), { minWidth: 0, padding: 2 });
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
