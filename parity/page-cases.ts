import type { Case } from "./case";

/** For rows of docs/parity.md: the smallest questions that show what the row says. */
export interface PageCase extends Case {
  readonly row: string;
}

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
const pod = (name: string, status: object = {}) => ({
  metadata: { name, namespace: "default", labels: { app: "x" } },
  spec: { containers: [{ name: "app", resources: { requests: { cpu: "100m" } } }] },
  status: {
    phase: "Running",
    startTime: "2026-03-01T10:00:00Z",
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-03-01T10:00:00Z" }],
    ...status,
  },
});
const hpa = (spec: object, more: object = {}) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "hpa", namespace: "default" },
  spec: { scaleTargetRef, maxReplicas: 10, ...spec },
  ...more,
});
const scale = (replicas: number, running = replicas) => ({
  metadata: { name: "x", namespace: "default" },
  spec: { replicas },
  status: { replicas: running, selector: "app=x" },
});
const external = (target: object) => ({ type: "External", external: { metric: { name: "m" }, target } });
const describedObject = { kind: "Ingress", namespace: "default", name: "web" };
const read = (value: string) => ({
  items: [{ metricName: "m", metricLabels: {}, describedObject, timestamp: "2026-03-01T11:59:58Z", value }],
});
const now = "2026-03-01T12:00:00.500Z";
const pods = [pod("p0"), pod("p1")];
const perPod = external({ type: "AverageValue", averageValue: "10" });
const total = external({ type: "Value", value: "10" });
const scaledToZero = {
  status: {
    currentReplicas: 0,
    desiredReplicas: 0,
    conditions: [
      {
        ...{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "scaled to zero" },
        lastTransitionTime: "2026-03-01T11:00:00Z",
      },
    ],
  },
};
const objectMetric = (target: object) => ({
  type: "Object",
  object: { describedObject: { kind: "Ingress", name: "web" }, metric: { name: "m" }, target },
});

type Row = readonly [row: string, kind: Case["kind"], given: object];
const decision = (row: string, given: object): Row => [row, "decision", { now, scale: scale(2), pods, ...given }];
const document = (row: string, spec: object, more: object = {}): Row => [row, "document", hpa(spec, more)];
const withAnnotation = (given: ReturnType<typeof hpa>, name: string) => ({
  ...given,
  metadata: { ...given.metadata, annotations: { [name]: "true" } },
});

const observing = hpa(
  { metrics: [perPod] },
  { status: { currentReplicas: 2, desiredReplicas: 2, observedGeneration: 3 } },
);

/** Replaces an HPA of generation 3. */
const update = (spec: object, metadata: object = {}): Row => {
  const [old, next] = [hpa({ metrics: [total] }), hpa(spec)];
  const replacing = { ...next, metadata: { ...next.metadata, ...metadata } };
  return ["Updates", "update", { old: { ...old, metadata: { ...old.metadata, generation: 3 } }, new: replacing }];
};

const asRows: readonly Row[] = [
  decision("Metrics and targets", {
    hpa: hpa({ metrics: [perPod, total, objectMetric({ type: "Value", value: "3" })] }),
    metrics: [read("25"), read("30"), read("4")],
  }),
  decision("Several metrics", {
    hpa: hpa({ metrics: [perPod, total] }),
    metrics: [read("1"), { error: "boom" }],
  }),
  decision("Zero", { hpa: hpa({ minReplicas: 0, metrics: [perPod] }), scale: scale(0), metrics: [read("5")] }),
  decision("Zero", {
    hpa: hpa({ minReplicas: 0, metrics: [perPod] }, scaledToZero),
    scale: scale(0, 1),
    metrics: [read("5")],
  }),
  [
    "Windows, policies and bounds",
    "story",
    {
      hpa: hpa({ metrics: [perPod], behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } }),
      steps: [
        { now, scale: scale(2), pods, metrics: [read("70")] },
        { now: "2026-03-01T12:00:30.500Z", scale: scale(6), pods, metrics: [read("20")] },
        { now: "2026-03-01T12:01:45.500Z", scale: scale(6), pods, metrics: [read("20")] },
      ],
    },
  ],
  decision("An Object metric with AverageValue", {
    hpa: hpa({ metrics: [objectMetric({ type: "AverageValue", averageValue: "2" })] }),
    metrics: [read("9")],
  }),
  decision("A total below zero", { hpa: hpa({ metrics: [perPod] }), metrics: [read("-5")] }),
  decision("A rollout with a surge", {
    hpa: hpa({ maxReplicas: 50, metrics: [perPod] }),
    scale: scale(20, 21),
    metrics: [read("200")],
  }),
  decision("A rollout with a surge", {
    hpa: hpa({ maxReplicas: 50, metrics: [perPod], behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } }),
    scale: scale(20, 19),
    metrics: [read("200")],
  }),
  decision("A resize in place", {
    hpa: hpa({
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
    }),
    // Of 100m, 200 %; of the 400m that the node has: 50 %.
    pods: ["p0", "p1"].map((name) =>
      pod(name, { containerStatuses: [{ name: "app", resources: { requests: { cpu: "400m" } } }] }),
    ),
    metrics: [
      {
        items: ["p0", "p1"].map((name) => ({
          metadata: { name, namespace: "default" },
          timestamp: "2026-03-01T11:59:58Z",
          window: "30s",
          containers: [{ name: "app", usage: { cpu: "200m" } }],
        })),
      },
    ],
  }),
  decision("A Pods policy beyond an int32", {
    hpa: hpa({
      metrics: [perPod],
      behavior: { scaleUp: { policies: [{ type: "Pods", value: 2_147_483_647, periodSeconds: 60 }] } },
    }),
    metrics: [read("90")],
  }),
  decision("A scaleUp with only Percent policies", {
    hpa: hpa(
      {
        minReplicas: 0,
        metrics: [perPod],
        behavior: { scaleUp: { policies: [{ type: "Percent", value: 100, periodSeconds: 60 }] } },
      },
      scaledToZero,
    ),
    scale: scale(0, 1),
    metrics: [read("90")],
  }),
  decision("Pods in phase Succeeded", {
    hpa: hpa({
      metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "50m" } } }],
    }),
    pods: [pod("p0"), pod("p1", { phase: "Succeeded" })],
    metrics: [
      {
        items: ["p0", "p1"].map((name) => ({
          metadata: { name, namespace: "default" },
          timestamp: "2026-03-01T11:59:40Z",
          window: "30s",
          containers: [{ name: "app", usage: { cpu: "100m" } }],
        })),
      },
    ],
  }),
  document("Defaults and errors of a document", { behavior: { scaleUp: {} } }),
  document("Defaults and errors of a document", { minReplicas: -1, maxReplicas: 0, metrics: [{ type: "" }] }),
  [
    "Updates",
    "update",
    {
      old: hpa({ scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "v1" } }),
      new: hpa({ maxReplicas: 9, scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "v1" } }),
    },
  ],
  update({ maxReplicas: 9 }, { generation: 1 }),
  update({ metrics: [external({ type: "Value", value: "10000m" })] }),
  update({ metrics: [total], minReplicas: 1 }, { labels: { a: "b" }, generation: 5 }),
  decision("An Object metric that cannot be read", {
    hpa: hpa({ metrics: [objectMetric({ type: "Value", value: "2" })] }),
    metrics: [{ error: "boom" }],
  }),
  decision("AmbiguousSelector", {
    hpa: hpa({ metrics: [perPod] }),
    metrics: [read("5")],
    otherHpas: [{ namespace: "default", name: "other", selector: "app=x" }],
  }),
  ...[{ metrics: [read("5")] }, { scale: { error: "boom" }, metrics: [read("5")] }].map((seen) =>
    decision("status.observedGeneration", {
      hpa: { ...observing, metadata: { ...observing.metadata, generation: 4 } },
      ...seen,
    }),
  ),
  document("Errors of a document", { minReplicas: -1, maxReplicas: undefined }),

  decision("An average over zero running pods", {
    hpa: hpa({ minReplicas: 0, metrics: [perPod] }, scaledToZero),
    scale: scale(0),
    metrics: [read("0")],
  }),
  document("A quantity from 1000E on", { metrics: [external({ type: "Value", value: "1000E" })] }),
  decision("A quantity below zero", { hpa: hpa({ metrics: [total] }), metrics: [read("-105.0Gi")] }),
  decision("A float beyond an int32", {
    hpa: hpa({
      metrics: [
        { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "1m" } } },
      ],
    }),
    metrics: [
      {
        items: ["p0", "p1"].map((name) => ({
          describedObject: { kind: "Pod", name, namespace: "default" },
          metricName: "m",
          timestamp: "2026-03-01T11:59:58Z",
          value: "9000000000000",
        })),
      },
    ],
  }),
  decision("A quantity beyond an int64 of thousandths", {
    hpa: hpa({ metrics: [total] }),
    metrics: [read("9223372036854775807")],
  }),
  decision("A Pods metric without averageValue", {
    hpa: hpa({ metrics: [{ type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue" } } }] }),
    metrics: [{ items: [] }],
  }),
  document("A wrong type", { minReplicas: "one", maxReplicas: "ten" }),
  document("A control character", {
    metrics: [{ ...total, external: { ...total.external, metric: { name: "m\u0001" } } }],
  }),
  document(
    "ownerReferences and other housekeeping",
    {},
    { metadata: { name: "hpa", namespace: "default", ownerReferences: [{ kind: "Release" }] } },
  ),
  [
    "Recommendations and scale events",
    "story",
    {
      hpa: hpa({
        metrics: [perPod],
        behavior: { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } },
      }),
      steps: [
        { now, scale: scale(2), pods, metrics: [read("90")] },
        { now: "2026-03-01T12:00:15.500Z", scale: scale(4), pods, metrics: [read("90")], restarted: true },
      ],
    },
  ],
  decision("A conflict when the scale is written", {
    hpa: hpa({ metrics: [perPod] }),
    scale: { ...scale(2), changedTo: 7 },
    metrics: [read("40")],
  }),
  [
    "Latest values",
    "story",
    {
      hpa: hpa({ metrics: [perPod] }),
      steps: ["19", "19500m", "20", "20500m", "21"].map((depth, index) => ({
        now: new Date(Date.parse(now) + index * 15_000).toISOString(),
        ...{ scale: scale(2), pods, metrics: [read(depth)] },
      })),
    },
  ],
  decision("Reasons of sources", { hpa: hpa({ metrics: [perPod] }), metrics: [{ error: "boom", from: "sqs" }] }),
  document("spec.syncPeriodSeconds", { syncPeriodSeconds: 60 }),
  decision("Fallback", {
    hpa: hpa({ metrics: [perPod] }),
    metrics: [{ error: "boom" }],
    rules: [{ fallback: { after: 0, replicas: 6 } }],
  }),
  document("Fallback", {
    metrics: [{ ...total, external: { ...total.external, fallback: { failureDurationSeconds: 180, replicas: 3 } } }],
  }),
  decision("Rules of a metric", {
    hpa: hpa({ metrics: [perPod] }),
    metrics: [read("90")],
    rules: [{ maxReplicas: 3 }],
  }),
  ...["ebb.dev/paused", "ebb.dev/dry-run"].map((name) =>
    decision("Paused and dry runs", {
      hpa: withAnnotation(hpa({ metrics: [perPod] }), name),
      metrics: [read("90")],
    }),
  ),
];

/** As JSON holds them. */
export const pageCases = asRows.map(
  ([row, kind, given]) => JSON.parse(JSON.stringify({ row, kind, given })) as PageCase,
);
