import { validateHpa } from "../../lib/k8s/validate/validate-hpa";

const prefix = "autoscaling.alpha.kubernetes.io";
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

function cpu(averageUtilization: number): object {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function validate(spec: object, annotations: Record<string, unknown> = {}) {
  return validateHpa({
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      name: "web",
      namespace: "shop",
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([name, value]) => [
          name === "note" ? name : `${prefix}/${name}`,
          typeof value === "string" ? value : JSON.stringify(value),
        ]),
      ),
    },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  });
}

test("a CPU target, or 80 % when there is no metric at all", () => {
  expect(validate({ targetCPUUtilizationPercentage: 50 }).hpa?.spec.metrics).toEqual([cpu(50)]);
  expect(validate({}).hpa?.spec).toEqual({ scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [cpu(80)] });
});

test("every source of the metrics annotation, before the CPU target", () => {
  const selector = { matchLabels: { Queue: "orders" } };
  const describedObject = { kind: "Ingress", name: "main", apiVersion: "networking.k8s.io/v1" };
  const metrics = [
    { type: "External", external: { metricName: "e", metricSelector: selector, targetAverageValue: "0.5" } },
    { type: "External", external: { metricName: "v", targetValue: "5" } },
    { type: "Pods", pods: { metricName: "p", targetAverageValue: "10" } },
    { type: "Object", object: { target: describedObject, metricName: "o", targetValue: "7" } },
    { type: "Object", object: { target: describedObject, metricName: "a", targetValue: "0", averageValue: "2" } },
    { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } },
    { type: "ContainerResource", containerResource: { name: "cpu", container: "app", targetAverageUtilization: 60 } },
  ];
  expect(validate({ targetCPUUtilizationPercentage: 50 }, { metrics }).hpa?.spec.metrics).toEqual([
    {
      type: "External",
      external: { metric: { name: "e", selector }, target: { type: "AverageValue", averageValue: "500m" } },
    },
    { type: "External", external: { metric: { name: "v" }, target: { type: "Value", value: "5" } } },
    { type: "Pods", pods: { metric: { name: "p" }, target: { type: "AverageValue", averageValue: "10" } } },
    { type: "Object", object: { describedObject, metric: { name: "o" }, target: { type: "Value", value: "7" } } },
    {
      type: "Object",
      object: { describedObject, metric: { name: "a" }, target: { type: "AverageValue", averageValue: "2" } },
    },
    { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "app", target: { type: "Utilization", averageUtilization: 60 } },
    },
    cpu(50),
  ]);
});

test("behavior in Go's spelling, defaulted after validation", () => {
  const policies = [{ Type: "Pods", Value: 1, PeriodSeconds: 30 }];
  const { hpa } = validate(
    {},
    { behavior: { ScaleUp: { StabilizationWindowSeconds: 60, Policies: policies }, ScaleDown: null } },
  );
  expect(hpa?.spec.behavior).toEqual({
    scaleUp: {
      stabilizationWindowSeconds: 60,
      selectPolicy: "Max",
      policies: [{ type: "Pods", value: 1, periodSeconds: 30 }],
    },
    scaleDown: { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
  });
  expect(validate({}, { behavior: { ScaleUp: { SelectPolicy: "Max" } } }).errors).toEqual([
    "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy",
  ]);
});

test.each([
  ["is no JSON", "{"],
  ["has another shape", "[1]"],
  ["nests without end", "[".repeat(50_000) + "]".repeat(50_000)],
  ["has a broken quantity", [{ type: "Pods", pods: { metricName: "p", targetAverageValue: "x" } }]],
])("a metrics annotation that %s is ignored, as upstream does", (_, metrics) => {
  expect(validate({}, { metrics }).hpa?.spec.metrics).toEqual([cpu(80)]);
});

// What kube-apiserver 1.36.3 reads from the same annotations.
test.each<[string, object, object]>([
  [
    "a behavior in lower case",
    {
      behavior: { scaledown: { policies: [{ TYPE: "Pods", value: 1, periodseconds: 30 }], selectpolicy: "Disabled" } },
    },
    {
      behavior: { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 30 }], selectPolicy: "Disabled" } },
    },
  ],
  [
    "a long s, which folds to s",
    { behavior: { "\u017fcaleDown": { policies: [{ Type: "Pods", Value: 1, PeriodSeconds: 30 }] } } },
    { behavior: { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 30 }] } } },
  ],
  ["a rule that another spelling takes back", { behavior: '{"ScaleDown":{"Policies":[]},"scaledown":null}' }, {}],
  [
    "metrics in upper case, with the keys of labels as written",
    {
      metrics: [
        {
          TYPE: "External",
          EXTERNAL: {
            METRICNAME: "m",
            metricselector: { MATCHLABELS: { Aa: "b" }, matchexpressions: [{ KEY: "k", Operator: "Exists" }] },
            TargetValue: "5",
          },
        },
      ],
    },
    {
      metrics: [
        {
          type: "External",
          external: {
            metric: {
              name: "m",
              selector: { matchLabels: { Aa: "b" }, matchExpressions: [{ key: "k", operator: "Exists" }] },
            },
            target: { type: "Value", value: "5" },
          },
        },
      ],
    },
  ],
  [
    "an unknown field of a selector",
    { metrics: [{ type: "External", external: { metricName: "m", metricSelector: { foo: 1 }, targetValue: "5" } }] },
    {
      metrics: [
        { type: "External", external: { metric: { name: "m", selector: {} }, target: { type: "Value", value: "5" } } },
      ],
    },
  ],
])("annotations ignore letter case and unknown fields: %s", (_, annotations, expected) => {
  const { hpa, errors } = validate({}, annotations as Record<string, unknown>);
  expect(errors).toEqual([]);
  expect({ metrics: [cpu(80)], ...hpa?.spec }).toMatchObject(expected);
  expect(Object.hasOwn(hpa?.spec ?? {}, "behavior")).toBe(Object.hasOwn(expected, "behavior"));
});

test("the six carriers are removed, and other annotations stay", () => {
  const conditions = [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "m" }];
  const carried = {
    note: "kept",
    metrics: [],
    behavior: {},
    conditions,
    "current-metrics": [],
    "scale-up-tolerance": "1",
  };
  expect(validate({}, carried).hpa?.metadata).toEqual({
    name: "web",
    namespace: "shop",
    annotations: { note: "kept" },
  });
});

test("a field of v2 is unknown to v1", () => {
  expect(validate({ metrics: [] }).errors).toEqual(['strict decoding error: unknown field "spec.metrics"']);
});

const conditions = [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "m" }];
const cpu3 = { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 3 } } };

test.each<[string, object, object | undefined]>([
  ["nothing", {}, undefined],
  ["conditions alone", { conditions }, { conditions }],
  [
    "conditions in another letter case",
    { conditions: [{ Type: "ScaledToZero", STATUS: "True", reason: "ScaledToZero", message: "m" }] },
    { conditions },
  ],
  [
    "a condition's time, in UTC",
    { conditions: conditions.map((one) => ({ ...one, lastTransitionTime: "2026-03-01T2:00:00,5+01:00" })) },
    { conditions: conditions.map((one) => ({ ...one, lastTransitionTime: "2026-03-01T01:00:00Z" })) },
  ],
  [
    "conditions, one with an unreadable time: none",
    { conditions: [...conditions, { type: "AbleToScale", status: "True", lastTransitionTime: "yesterday" }] },
    undefined,
  ],
  [
    "a condition with an empty time: none",
    { conditions: conditions.map((one) => ({ ...one, lastTransitionTime: "" })) },
    undefined,
  ],
  [
    "a condition whose time is null",
    { conditions: conditions.map((one) => ({ ...one, lastTransitionTime: null })) },
    { conditions },
  ],
  [
    "a CPU utilization",
    { status: { currentReplicas: 0, desiredReplicas: 0, currentCPUUtilizationPercentage: 3 }, conditions },
    { currentReplicas: 0, desiredReplicas: 0, currentMetrics: [cpu3], conditions },
  ],
  [
    "the metrics of the annotation, which know more",
    {
      status: { currentReplicas: 1, currentCPUUtilizationPercentage: 3 },
      "current-metrics": [{ type: "Pods", pods: { metricName: "rps" } }, { type: "" }],
    },
    {
      currentReplicas: 1,
      currentMetrics: [
        { type: "Pods", pods: { metric: { name: "rps" }, current: { averageValue: "0" } } },
        { type: "" },
      ],
    },
  ],
])("status from %s", (_, { status, ...carried }: { status?: object }, expected) => {
  const annotations = Object.entries(carried).map(([name, value]) => [`${prefix}/${name}`, JSON.stringify(value)]);
  const { hpa } = validateHpa({
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", annotations: Object.fromEntries(annotations) as Record<string, string> },
    spec: { scaleTargetRef, maxReplicas: 3 },
    status,
  });
  expect(hpa?.status).toEqual(expected);
});

test("v2 ignores the six carriers, and drops them", () => {
  const annotations = { [`${prefix}/metrics`]: "[]", [`${prefix}/conditions`]: JSON.stringify(conditions) };
  const { hpa } = validateHpa({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", annotations },
    spec: { scaleTargetRef, maxReplicas: 3 },
  });
  expect(hpa?.metadata).toEqual({ name: "web", namespace: "default" });
  expect(hpa?.status).toBeUndefined();
});
