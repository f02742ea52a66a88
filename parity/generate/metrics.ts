import fc from "fast-check";
import { cpu, memory, targets, values } from "./quantities";

/** A metric of the spec, and what its API answers, given the pods that the target has. */
export interface Measured {
  readonly spec: object;
  readonly response: (pods: readonly PodName[]) => object;
}

interface PodName {
  readonly name: string;
  readonly at: string;
}

const selector = fc.constantFrom(
  undefined,
  { matchLabels: { queue: "orders" } },
  { matchLabels: { a: "b", c: "d" } },
  { matchExpressions: [{ key: "k", operator: "In", values: ["v1", "v2"] }] },
  { matchLabels: { verb: "GET" }, matchExpressions: [{ key: "k", operator: "Exists" }] },
);
const identifier = fc
  .record({ name: fc.constantFrom("queue-depth", "http_requests", "m", "packets.per-second"), selector })
  .map(({ name, selector: one }) => (one === undefined ? { name } : { name, selector: one }));

/** Rarely, the API answers with an error or with nothing. */
function answered<T>(items: fc.Arbitrary<T>): fc.Arbitrary<T | { readonly error: string }> {
  const errors = fc.constantFrom("boom", "context deadline exceeded", "the server is currently unable to handle it");
  return fc.oneof({ weight: 9, arbitrary: items }, { weight: 1, arbitrary: errors.map((error) => ({ error })) });
}

/** A list of random choices for pods that are generated elsewhere: one is used again when there are more pods. */
const many = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 8 });
const cycled = <T>(list: readonly T[], index: number) => list[index % list.length] as T;

const external: fc.Arbitrary<Measured> = fc
  .record({
    metric: identifier,
    target: fc.tuple(fc.constantFrom("value", "averageValue"), targets),
    read: answered(fc.array(values, { maxLength: 3 })),
  })
  .map(({ metric, target: [kind, amount], read }) => {
    const type = kind === "value" ? "Value" : "AverageValue";
    const items = Array.isArray(read)
      ? read.map((value) => ({ metricName: metric.name, metricLabels: {}, timestamp: "2026-03-01T11:59:58Z", value }))
      : [];
    const response = Array.isArray(read) ? { items } : read;
    return {
      spec: { type: "External", external: { metric, target: { type, [kind]: amount } } },
      response: () => response,
    };
  });

const object: fc.Arbitrary<Measured> = fc
  .record({
    metric: identifier,
    described: fc.constantFrom(
      { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "route" },
      { apiVersion: "v1", kind: "Service", name: "web" },
      { kind: "Namespace", name: "default" },
    ),
    target: fc.tuple(fc.constantFrom("value", "averageValue"), targets),
    read: answered(values.map((value) => [value])),
  })
  .map(({ metric, described: describedObject, target: [kind, amount], read }) => {
    const type = kind === "value" ? "Value" : "AverageValue";
    const rest = { metricName: metric.name, describedObject, timestamp: "2026-03-01T11:59:58Z" };
    const response = Array.isArray(read) ? { items: read.map((value) => ({ ...rest, value })) } : read;
    return {
      spec: { type: "Object", object: { describedObject, metric, target: { type, [kind]: amount } } },
      response: () => response,
    };
  });

const measuredPod = fc.constantFrom("yes", "yes", "yes", "yes", "no", "twice");

const perPod: fc.Arbitrary<Measured> = fc
  .record({ metric: identifier, target: targets, read: answered(many(fc.tuple(measuredPod, values))) })
  .map(({ metric, target, read }) => ({
    spec: { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: target } } },
    response: (pods) =>
      Array.isArray(read)
        ? {
            items: pods.flatMap(({ name, at }, index) => {
              const [how, value] = cycled(read, index);
              const describedObject = { kind: "Pod", namespace: "default", name, apiVersion: "v1" };
              return how === "no" ? [] : [{ describedObject, metricName: metric.name, timestamp: at, value }];
            }),
          }
        : read,
  }));

const usedContainer = fc.record({
  measured: measuredPod,
  window: fc.constantFrom("15s", "30s", "1m0s"),
  containers: fc.constantFrom(["app"], ["app"], ["app", "sidecar"], ["app", "sidecar"], ["sidecar"], []),
  cpu,
  memory,
  lacks: fc.constantFrom(undefined, undefined, undefined, undefined, "cpu", "memory"),
});
type Use = typeof usedContainer extends fc.Arbitrary<infer T> ? T : never;

function podMetrics({ name, at }: PodName, use: Use): object {
  const usage = Object.fromEntries(
    (["cpu", "memory"] as const).flatMap((resource) => (resource === use.lacks ? [] : [[resource, use[resource]]])),
  );
  const containers = use.containers.map((container) => ({ name: container, usage }));
  return { metadata: { name, namespace: "default" }, timestamp: at, window: use.window, containers };
}

const resource: fc.Arbitrary<Measured> = fc
  .record({
    name: fc.constantFrom("cpu", "cpu", "memory"),
    container: fc.constantFrom(undefined, undefined, "app", "sidecar"),
    utilization: fc.option(fc.integer({ min: 1, max: 200 }), { freq: 2 }),
    cpu: targets,
    memory,
    read: answered(many(usedContainer)),
  })
  .map((given) => {
    const { name, container, utilization, read } = given;
    const target =
      utilization === null
        ? { type: "AverageValue", averageValue: given[name] }
        : { type: "Utilization", averageUtilization: utilization };
    return {
      spec:
        container === undefined
          ? { type: "Resource", resource: { name, target } }
          : { type: "ContainerResource", containerResource: { name, container, target } },
      response: (pods) =>
        Array.isArray(read)
          ? {
              items: pods.flatMap((pod, index) => {
                const use = cycled(read, index);
                return use.measured === "no" ? [] : [podMetrics(pod, use)];
              }),
            }
          : read,
    };
  });

export const measured: fc.Arbitrary<Measured> = fc.oneof(
  { weight: 3, arbitrary: external },
  { weight: 2, arbitrary: object },
  { weight: 2, arbitrary: perPod },
  { weight: 4, arbitrary: resource },
);
