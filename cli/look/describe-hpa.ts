import { goQuote } from "../../lib/k8s/go-text";
import type {
  Behavior,
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
  ScalingRules,
} from "../../lib/k8s/hpa";
import type { Condition } from "../../lib/k8s/objects";
import { alignColumns } from "../shell/print/columns";
import { escapeLine, escapeTerminal } from "../../lib/k8s/escape-terminal";
import { describeMeta } from "./describe-resource";
import { averageOf, percent, quantityText, targetPercent, valueOf } from "../shell/print/get-row";
import { type PrintedEvent, describeEvents } from "./print-events";

/** A tab separates the cells. Upstream: describeHorizontalPodAutoscalerV2 of kubectl. */
function describeMetric(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { type, external, object, pods, resource, containerResource } = metric;
  if (type === "External" && external) {
    const current = status?.external?.current;
    const average = external.target.averageValue === undefined ? undefined : (current?.averageValue ?? "<unknown>");
    return `${goQuote(external.metric.name)} ${total(external.target, current, average)}`;
  }
  if (type === "Object" && object) {
    const { kind, name } = object.describedObject;
    const current = status?.object?.current;
    const average = object.target.type === "AverageValue" ? averageOf(current) : undefined;
    return `"${escapeLine(object.metric.name)}" on ${escapeLine(`${kind}/${name}`)} ${total(object.target, current, average)}`;
  }
  if (type === "Pods" && pods) {
    const current = averageOf(status?.pods?.current);
    return `${goQuote(pods.metric.name)} on pods:\t${current} / ${quantityText(pods.target.averageValue)}`;
  }
  if (type === "Resource" && resource) {
    return `resource ${escapeLine(resource.name)} on pods${ofPods(resource.target, status?.resource?.current)}`;
  }
  if (type === "ContainerResource" && containerResource) {
    const { name, container, target } = containerResource;
    return `resource ${escapeLine(name)} of container "${escapeLine(container)}" on pods${ofPods(target, status?.containerResource?.current)}`;
  }
  return `<unknown metric type ${goQuote(type)}>`;
}

/** `average` is the printed current average, for a target that is an average. */
function total(target: MetricTarget, current: MetricValueStatus | undefined, average: string | undefined): string {
  return average === undefined
    ? `(target value):\t${valueOf(current)} / ${quantityText(target.value)}`
    : `(target average value):\t${average} / ${quantityText(target.averageValue)}`;
}

function ofPods(target: MetricTarget, current: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined) return `:\t${averageOf(current)} / ${quantityText(target.averageValue)}`;
  const utilization = percent(current?.averageUtilization);
  const shown = utilization === undefined ? "<unknown>" : `${utilization} (${quantityText(current?.averageValue)})`;
  return `  (as a percentage of request):\t${shown} / ${targetPercent(target)}`;
}

/** Equals `kubectl describe hpa`, to the space. Upstream: describeHorizontalPodAutoscalerV2, kubectl pkg/describe. */
export function describeHpa(
  hpa: HorizontalPodAutoscaler,
  events: readonly PrintedEvent[] | undefined,
  now: number,
): string {
  return alignColumns(hpaDescription(hpa, events, now), { minWidth: 0, padding: 2 });
}

export function hpaDescription(
  hpa: HorizontalPodAutoscaler,
  events: readonly PrintedEvent[] | undefined,
  now: number,
  held: readonly string[] = [],
): string {
  const { metadata, spec, status } = hpa;
  const [kind, name] = [spec.scaleTargetRef.kind, spec.scaleTargetRef.name].map(escapeLine);
  const lines = [
    ...describeMeta(metadata),
    `Reference:\t${kind}/${name}`,
    "Metrics:\t( current / target )",
    ...(spec.metrics ?? []).map((metric, index) => `  ${describeMetric(metric, status?.currentMetrics?.[index])}`),
    `Min replicas:\t${spec.minReplicas ?? "<unset>"}`,
    `Max replicas:\t${spec.maxReplicas}`,
    ...(spec.behavior === undefined ? [] : describeBehavior(spec.behavior)),
    `${kind} pods:\t${status?.currentReplicas ?? 0} current / ${status?.desiredReplicas ?? 0} desired`,
    ...held.map((text, index) => `${index === 0 ? "Held:" : ""}\t${escapeLine(text)}`),
    ...describeConditions(status?.conditions ?? []),
    ...(events === undefined ? [] : describeEvents(events, now)),
  ];
  return escapeTerminal(`${lines.join("\n")}\n`);
}

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
    ...conditions.map(
      ({ type, status, reason = "", message = "" }) =>
        `  ${[type, status, reason, message].map(escapeLine).join("\t")}`,
    ),
  ];
}
