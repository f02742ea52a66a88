import { withDefaults } from "../../lib/k8s/defaults";
import type { HorizontalPodAutoscaler, HpaSpec, HpaStatus } from "../../lib/k8s/hpa";
import { demoNamespace } from "./demo-workloads";

/**
 * The demo's HPAs, as if imported from a cluster whose HPA controller scaled the two consumers to zero. The condition
 * says that the HPA set the zero, so the HPA may wake them. The windows are short, to show everything within a minute.
 * Upstream's default is five minutes.
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
      metadata: { name, namespace: demoNamespace },
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
  const web: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 1,
    maxReplicas: 6,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } }],
    behavior: { scaleDown: { stabilizationWindowSeconds: 20 } },
  };
  return [hpa("orders", orders, scaledToZero), hpa("invoices", invoices, scaledToZero), hpa("web", web)];
}

function queueLength(queue: string, averageValue: string) {
  const metric = { name: "sqs", selector: { matchLabels: { queue } } };
  return { type: "External", external: { metric, target: { type: "AverageValue", averageValue } } };
}
