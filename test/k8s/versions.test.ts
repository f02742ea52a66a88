import type { HorizontalPodAutoscaler, HpaStatus, MetricSpec } from "../../lib/k8s/hpa";
import { toV1 } from "../../lib/k8s/codec/encode-v1";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import { readVectors } from "../core/vectors";

interface Vector {
  readonly id: string;
  readonly given: unknown;
  readonly v2: HorizontalPodAutoscaler;
}

test("every recorded document of an older version is the v2 object that the API server makes of it", () => {
  const vectors = readVectors<Vector>("versions");
  const read = vectors.map(({ id, given }) => {
    const { hpa, errors } = validateHpa(given);
    return [id, hpa === undefined ? errors : { ...hpa, status: served(hpa.status) }];
  });
  expect(read).toEqual(vectors.map(({ id, v2 }) => [id, { ...v2, status: served(v2.status) }]));
  expect(read).toHaveLength(300);
});

/** Go writes null for no moment and no list, and a zero for no count. */
function served({ currentReplicas, desiredReplicas, currentMetrics, conditions = [], ...rest }: HpaStatus = {}) {
  return {
    ...rest,
    currentReplicas: currentReplicas ?? 0,
    desiredReplicas: desiredReplicas ?? 0,
    currentMetrics: currentMetrics ?? [],
    conditions: conditions.map(({ lastTransitionTime, ...condition }) => ({
      ...condition,
      lastTransitionTime: lastTransitionTime ?? null,
    })),
  };
}

test("an HPA written as v1 reads back unchanged, except for CPU targets: only the first stays, and moves to the end", () => {
  const specs = readVectors<{ readonly v2: unknown }>("v1").map(({ v2 }) => {
    const { hpa } = validateHpa(v2);
    if (hpa === undefined) throw new Error("invalid");
    const metrics = hpa.spec.metrics ?? [];
    const isCpu = ({ resource }: MetricSpec) =>
      resource?.name === "cpu" && resource.target.averageUtilization !== undefined;
    const kept = [...metrics.filter((metric) => !isCpu(metric)), ...metrics.filter(isCpu).slice(0, 1)];
    return { written: { ...hpa.spec, metrics: kept }, read: validateHpa(toV1(hpa)).hpa?.spec };
  });
  expect(specs.map(({ read }) => read)).toEqual(specs.map(({ written }) => written));
  expect(specs).toHaveLength(400);
});

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

function read(version: string, spec: object) {
  return validateHpa({
    apiVersion: `autoscaling/${version}`,
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  });
}

const container = { name: "cpu", container: "app", targetAverageUtilization: 60 };
const pods = { metricName: "rps", targetAverageValue: "10" };

test.each(["v2beta1", "v2alpha1"])("%s has targets without a type", (version) => {
  const { hpa } = read(version, {
    metrics: [
      { type: "ContainerResource", containerResource: container },
      { type: "Pods", pods },
      { type: "Object", object: { target: scaleTargetRef, metricName: "o", targetValue: "0", averageValue: "2" } },
    ],
  });
  expect(hpa?.spec.metrics).toEqual([
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "app", target: { type: "Utilization", averageUtilization: 60 } },
    },
    { type: "Pods", pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "10" } } },
    {
      type: "Object",
      object: {
        describedObject: scaleTargetRef,
        metric: { name: "o" },
        target: { type: "AverageValue", averageValue: "2" },
      },
    },
  ]);
});

test.each<[string, object, string]>([
  ["v2beta2", { behavior: { scaleUp: { tolerance: "0.1" } } }, "spec.behavior.scaleUp.tolerance"],
  ["v2beta1", { behavior: {} }, "spec.behavior"],
  ["v2beta1", { metrics: [{ type: "Pods", pods: { ...pods, target: {} } }] }, "spec.metrics[0].pods.target"],
  ["v2alpha1", { targetCPUUtilizationPercentage: 5 }, "spec.targetCPUUtilizationPercentage"],
])("in %s, %j has a field of another version", (version, spec, field) => {
  expect(read(version, spec).errors).toEqual([`strict decoding error: unknown field "${field}"`]);
});

test("an older version is validated as v2 is", () => {
  expect(read("v2beta2", { minReplicas: 9 }).errors).toEqual([
    "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`",
  ]);
  expect(read("v2beta1", { metrics: [{ type: "Pods", pods: { metricName: "rps" } }] }).errors).toEqual([
    'spec.metrics[0].pods.target.averageValue: Invalid value: "0": must be positive',
  ]);
});
