import { withDefaults } from "../../lib/k8s/defaults";
import type { HpaSpec } from "../../lib/k8s/hpa";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const cpu80 = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } };
const percent = { type: "Percent", value: 100, periodSeconds: 15 };
const pods = { type: "Pods", value: 4, periodSeconds: 15 };
const scaleDown = { selectPolicy: "Max", policies: [percent] };
const scaleUp = { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [pods, percent] };
const filled = { scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [cpu80] };

test.each<[string, Partial<HpaSpec>, Partial<HpaSpec>]>([
  ["nothing but what is required", {}, {}],
  ["a minimum of zero", { minReplicas: 0 }, { minReplicas: 0 }],
  ["an empty list of metrics", { metrics: [] }, { metrics: [cpu80] }],
  ["an empty behavior", { behavior: {} }, { behavior: { scaleUp, scaleDown } }],
  [
    "one direction, one field",
    { behavior: { scaleUp: { selectPolicy: "Min" } } },
    { behavior: { scaleUp: { ...scaleUp, selectPolicy: "Min" }, scaleDown } },
  ],
  [
    "tolerance and a window for scaling down",
    { behavior: { scaleDown: { tolerance: "50m", stabilizationWindowSeconds: 0 } } },
    { behavior: { scaleUp, scaleDown: { ...scaleDown, tolerance: "50m", stabilizationWindowSeconds: 0 } } },
  ],
  [
    "an empty list of policies, which stays and is an error later",
    { behavior: { scaleDown: { policies: [] } } },
    { behavior: { scaleUp, scaleDown: { selectPolicy: "Max", policies: [] } } },
  ],
])("%s", (_, given, expected) => {
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: { scaleTargetRef, maxReplicas: 3, ...given },
  };
  expect(withDefaults(hpa)).toEqual({ ...hpa, spec: { ...filled, ...expected } });
});
