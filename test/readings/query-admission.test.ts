import type { HorizontalPodAutoscaler, MetricSpec } from "../../lib/k8s/hpa";
import { hpaKey } from "../../lib/model/hpa-key";
import { planShares } from "../../lib/readings/shares";

const target = { type: "AverageValue", averageValue: "5" };
const external = (name: string): MetricSpec => ({ type: "External", external: { metric: { name }, target } });
const object = (name: string): MetricSpec => {
  const describedObject = { kind: "Ingress", name: "main" };
  return { type: "Object", object: { metric: { name }, target, describedObject } };
};
const pods = (name: string): MetricSpec => ({ type: "Pods", pods: { metric: { name }, target } });
const cpu: MetricSpec = { type: "Resource", resource: { name: "cpu", target } };

const key = (name: string) => hpaKey("shop", name);
const nameOf = ({ external, object, pods }: MetricSpec) => [(external ?? object ?? pods)?.metric.name ?? "cpu"];

function plan(hpas: Readonly<Record<string, readonly MetricSpec[] | undefined>>, most?: number) {
  const all = Object.entries(hpas).map(([name, metrics]) => ({
    key: key(name),
    hpa: { metadata: { name, namespace: "shop" }, spec: { ...(metrics && { metrics }) } } as HorizontalPodAutoscaler,
  }));
  return planShares(all, nameOf, most === undefined ? {} : { queries: most });
}

test("metrics of every kind have a place, and name the HPA where it comes first", () => {
  const shares = plan({ a: [external("q"), object("o"), pods("p")], b: [pods("p"), external("r")] });
  expect([0, 1, 2].map((index) => shares.admissionOf(key("a"), index))).toEqual([
    { priority: 0, requester: key("a") },
    { priority: 1, requester: key("a") },
    { priority: 0, requester: key("b") },
  ]);
});

test("of HPAs where a query comes equally early, the first in the list asks", () => {
  const shares = plan({ a: [external("q")], b: [external("q")] });
  expect(shares.admissionOf(key("b"), 0)).toEqual({ priority: 0, requester: key("a") });
});

test("CPU and memory take no query, and are never refused", () => {
  const shares = plan({ a: [cpu, external("q1"), cpu, external("q2")], b: [cpu, cpu, cpu] }, 1);
  expect(shares.admissionOf(key("a"), 0)).toEqual({ priority: 0, requester: key("a") });
  expect(shares.admissionOf(key("a"), 1)).toEqual({ priority: 0, requester: key("a") });
  expect(shares.admissionOf(key("a"), 3)).toHaveProperty("refused");
  expect(shares.admissionOf(key("b"), 2)).toEqual({ priority: 0, requester: key("b") });
});

test("they do not count towards the limit", () => {
  const shares = plan({ a: [cpu, external("q1"), external("q2")] }, 2);
  expect(shares.admissionOf(key("a"), 2)).toEqual({ priority: 1, requester: key("a") });
});

test("an HPA without metrics counts nothing", () => {
  const shares = plan({ a: undefined, b: [external("q1"), external("q2")] }, 2);
  expect(shares.admissionOf(key("b"), 1)).toEqual({ priority: 1, requester: key("b") });
});

test("an HPA or a metric that was not planned goes first", () => {
  const shares = plan({ a: [external("q")] });
  expect(shares.admissionOf(key("unknown"), 0)).toEqual({ priority: 0, requester: key("unknown") });
  expect(shares.admissionOf(key("a"), 9)).toEqual({ priority: 0, requester: key("a") });
});

test("a refusal says how many there are, and which share the HPA has", () => {
  const shares = plan({ a: [external("a1"), external("a2"), external("a3")], b: [external("b1")] }, 3);
  expect(shares.admissionOf(key("a"), 2)).toEqual({
    refused:
      "expected at most 3 queries in a slot from the HPAs of a shard, got 4: the share of this HPA is its first 2, " +
      "and this one comes later (a limit of ebb): remove metrics that you do not need",
  });
});

test("a refusal promises another shard only if the tick makes one", () => {
  const three = (name: string) => [external(`${name}1`), external(`${name}2`), external(`${name}3`)];
  const many = plan({ a: three("a"), b: three("b"), c: three("c"), d: three("d") }, 3);
  expect(many.wanted).toBe(4);
  expect(many.admissionOf(key("d"), 2)).toEqual({
    refused:
      "expected at most 3 queries in a slot from the HPAs of a shard, got 12: the share of this HPA is its first 1, " +
      "and this one comes later (a limit of ebb): the next tick splits the shard",
  });
});
