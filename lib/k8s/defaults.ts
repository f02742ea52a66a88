import type { Behavior, HorizontalPodAutoscaler, HpaSpec, MetricSpec, ScalingPolicy, ScalingRules } from "./hpa";

const cpu80: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};

const scaleUpPolicies: readonly ScalingPolicy[] = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
];

const scaleDownPolicies: readonly ScalingPolicy[] = [{ type: "Percent", value: 100, periodSeconds: 15 }];

/**
 * An absent `behavior` stays absent: the controller then has other rules. Upstream:
 * pkg/apis/autoscaling/v2/defaults.go.
 */
export function withDefaults(hpa: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  return { ...hpa, spec: defaultSpec(hpa.spec) };
}

function defaultSpec(spec: HpaSpec): HpaSpec {
  const minReplicas = spec.minReplicas ?? 1;
  const metrics = spec.metrics !== undefined && spec.metrics.length > 0 ? spec.metrics : [cpu80];
  if (!("behavior" in spec)) return { ...spec, minReplicas, metrics };
  const { behavior, ...rest } = spec;
  return { ...rest, minReplicas, metrics, ...(behavior && { behavior: defaultBehavior(behavior) }) };
}

/** An absent scaleDown window stays absent: the controller's flag applies. */
function defaultBehavior(behavior: Behavior): Behavior {
  return {
    scaleUp: { stabilizationWindowSeconds: 0, ...defaultRules(behavior.scaleUp, scaleUpPolicies) },
    scaleDown: defaultRules(behavior.scaleDown, scaleDownPolicies),
  };
}

/** An empty list is an error. */
function defaultRules(rules: ScalingRules | undefined, policies: readonly ScalingPolicy[]): ScalingRules {
  return { ...rules, selectPolicy: rules?.selectPolicy ?? "Max", policies: rules?.policies ?? policies };
}
