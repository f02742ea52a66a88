import { withDefaults } from "../../lib/k8s/defaults";
import type { HorizontalPodAutoscaler, HpaSpec, HpaStatus, MetricIdentifier, MetricSpec } from "../../lib/k8s/hpa";
import type { SourceEntry } from "../../lib/model/entry/entries";
import { rulesAnnotation } from "../../lib/model/entry/metric-rules";
import { demoNamespace } from "./demo-workloads";

export const demoSource: SourceEntry = {
  name: "digest-time",
  spec: { kind: "schedule", parameters: { start: "*/2 * * * *", end: "1-59/2 * * * *", value: 2 } },
};

/**
 * As if another controller had scaled all but web to zero, so the HPAs may wake them. Short windows show everything
 * within a minute.
 */
export function demoHpas(now: Date): readonly HorizontalPodAutoscaler[] {
  const lastTransitionTime = now.toISOString();
  const message = "the HPA controller scaled the workload to zero";
  const scaledToZero: HpaStatus = {
    conditions: [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message, lastTransitionTime }],
  };
  const hpa = (name: string, spec: HpaSpec, status?: HpaStatus): HorizontalPodAutoscaler =>
    withDefaults({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name, namespace: demoNamespace, ...(readsQueues(spec) && { annotations: exactQueues }) },
      spec,
      ...(status === undefined ? {} : { status }),
    });

  const orders: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "orders" },
    minReplicas: 0,
    maxReplicas: 10,
    metrics: [queueLength("orders", "5")],
    behavior: { scaleDown: { stabilizationWindowSeconds: 10 } },
  };
  const invoices: HpaSpec = {
    scaleTargetRef: { apiVersion: "demo.ebb.dev/v1", kind: "Worker", name: "invoices" },
    minReplicas: 0,
    maxReplicas: 6,
    metrics: [queueLength("invoices", "4")],
    behavior: { scaleDown: { stabilizationWindowSeconds: 10 } },
  };
  const digest: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "digest" },
    minReplicas: 0,
    maxReplicas: 4,
    metrics: [external({ name: demoSource.name }, "1")],
    behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
  };
  const web: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 1,
    maxReplicas: 6,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } }],
    behavior: { scaleDown: { stabilizationWindowSeconds: 20 } },
  };
  return [
    hpa("orders", orders, scaledToZero),
    hpa("invoices", invoices, scaledToZero),
    hpa("digest", digest, scaledToZero),
    hpa("web", web),
  ];
}

/** The embedded queues count exactly, so one empty reading is enough for zero. */
const exactQueues = { [rulesAnnotation]: JSON.stringify({ sqs: { confirm: 1 } }) };

function readsQueues({ metrics = [] }: HpaSpec): boolean {
  return metrics.some(({ external }) => external?.metric.name === "sqs");
}

function queueLength(queue: string, averageValue: string) {
  return external({ name: "sqs", selector: { matchLabels: { queue } } }, averageValue);
}

function external(metric: MetricIdentifier, averageValue: string): MetricSpec {
  return { type: "External", external: { metric, target: { type: "AverageValue", averageValue } } };
}
