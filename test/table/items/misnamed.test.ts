import { misnamed } from "../../../lib/table/items/resource-items";

type Ref = Parameters<typeof misnamed>[0]["ref"];
const cluster = { kind: "Cluster", name: "prod" } as Ref;
const source = { kind: "MetricSource", cluster: "prod", name: "jobs" } as Ref;
const hpa = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "web" } as Ref;

test.each<[string, Ref, unknown, string | undefined]>([
  ["a cluster's own", cluster, { name: "prod" }, undefined],
  ["a source's own", source, { name: "jobs", namespace: "any" }, undefined],
  ["an HPA's own", hpa, { name: "web", namespace: "shop" }, undefined],
  ["an HPA's own, without a namespace", hpa, { name: "web" }, undefined],
  ["another cluster's", cluster, { name: "test" }, 'the name "prod" as in the partition key, got "test"'],
  ["another source's", source, { name: "mails" }, 'the name "jobs" as in the sort key, got "mails"'],
  ["another HPA's", hpa, { name: "api" }, 'the name "shop/web" as in the sort key, got "shop/api"'],
  ["another namespace's", hpa, { name: "web", namespace: "x" }, 'the name "shop/web" as in the sort key, got "x/web"'],
  ["no name", hpa, "web", 'the name "shop/web" as in the sort key, got "shop/undefined"'],
])("a document with %s", (_what, ref, metadata, expected) => {
  expect(misnamed({ ref, document: { metadata } })).toBe(expected && `metadata: expected ${expected}`);
});
