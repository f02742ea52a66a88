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
 * As the API server stores it: minReplicas 1, CPU 80 % if no metric is given, and every field of a direction of
 * `behavior`. An absent `behavior` stays absent: the controller then has other rules. Upstream:
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

/** An absent scaleDown window stays absent: --horizontal-pod-autoscaler-downscale-stabilization applies. */
function defaultBehavior(behavior: Behavior): Behavior {
  return {
    scaleUp: { stabilizationWindowSeconds: 0, ...defaultRules(behavior.scaleUp, scaleUpPolicies) },
    scaleDown: defaultRules(behavior.scaleDown, scaleDownPolicies),
  };
}

/** Defaults only an absent list. An empty one is the user's own, and an error. */
function defaultRules(rules: ScalingRules | undefined, policies: readonly ScalingPolicy[]): ScalingRules {
  return { ...rules, selectPolicy: rules?.selectPolicy ?? "Max", policies: rules?.policies ?? policies };
}
