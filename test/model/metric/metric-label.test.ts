import type { MetricSpec } from "../../../lib/k8s/hpa";
import { metricLabel } from "../../../lib/model/metric/metric-label";

const target = { type: "Value", value: "1" };

test.each<[MetricSpec, string]>([
  [{ type: "Resource", resource: { name: "cpu", target } }, "cpu"],
  [
    { type: "ContainerResource", containerResource: { name: "memory", container: "app", target } },
    "memory of container app",
  ],
  [{ type: "Pods", pods: { metric: { name: "requests" }, target } }, "requests of each pod"],
  [
    {
      type: "Object",
      object: { metric: { name: "hits" }, describedObject: { kind: "Ingress", name: "main" }, target },
    },
    "hits of Ingress/main",
  ],
  [{ type: "External", external: { metric: { name: "depth" }, target } }, "depth"],
  [
    {
      type: "External",
      external: { metric: { name: "sqs", selector: { matchLabels: { queue: "orders", account: "1" } } }, target },
    },
    "sqs(account=1,queue=orders)",
  ],
  [
    {
      type: "External",
      external: {
        metric: { name: "depth", selector: { matchExpressions: [{ key: "env", operator: "In", values: ["b", "a"] }] } },
        target,
      },
    },
    "depth(env in (a,b))",
  ],
  // A queue's URL is a parameter of a source, though no label of a Kubernetes object.
  [
    {
      type: "External",
      external: { metric: { name: "sqs", selector: { matchLabels: { queue: "https://sqs/1/q" } } }, target },
    },
    "sqs(queue=https://sqs/1/q)",
  ],
  [{ type: "Unheard" }, "Unheard"],
])("%j is named %s", (metric, label) => {
  expect(metricLabel(metric)).toBe(label);
});

test("labels are in order, valid or not, because the table keeps no order of a map", () => {
  const url = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";
  const labelOf = (matchLabels: Record<string, string>) =>
    metricLabel({ type: "External", external: { metric: { name: "sqs", selector: { matchLabels } }, target } });
  expect(labelOf({ region: "eu-west-1", queue: url })).toBe(`sqs(queue=${url},region=eu-west-1)`);
  expect(labelOf({ region: "eu-west-1", queue: "orders" })).toBe("sqs(queue=orders,region=eu-west-1)");
});
