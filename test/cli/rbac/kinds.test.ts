import { findResources, rightsByNamespace, rulesOf } from "../../../cli/set-up/rbac-rules";
import type { ServedResource } from "../../../lib/cluster/api/discovery-documents";
import type { MetricSpec } from "../../../lib/k8s/hpa";
import { requiredPermissionsOf } from "../../../lib/read/required-permissions";
import { hpaWith } from "../../core/build";

/** What a cluster that lies, or an entry of somebody who wants more, gets. */
const { signal } = new AbortController();

function serving(...resources: readonly string[]) {
  const found = resources.map((resource): ServedResource => {
    return { group: "example.com", version: "v1", resource, kind: "Worker", hasScale: true };
  });
  const discovery = { resources: () => Promise.resolve(found), versions: () => Promise.resolve([]) };
  return findResources(() => Promise.resolve({ discovery }), signal);
}

const worker = { apiVersion: "example.com/v1", kind: "Worker" };

test.each(["*", "*/scale", "", "../secrets", "Workers", "workers\n"])(
  "a cluster names a resource %j",
  async (resource) => {
    const expected = `Worker: expected the cluster to name a resource, got ${JSON.stringify(resource)}`;
    await expect(serving("workers", resource).ofTarget(worker)).rejects.toMatchObject({
      message: expected,
      exitCode: 1,
    });
  },
);

test("every resource of a kind that has a scale", async () => {
  const found = await serving("workers", "bigworkers").ofTarget(worker);
  expect(found.map(({ resource }) => resource)).toEqual(["workers", "bigworkers"]);
});

test("metrics named * grant nothing but themselves", async () => {
  const target = { type: "AverageValue", averageValue: "1" };
  const metrics: MetricSpec[] = [
    { type: "External", external: { metric: { name: "*" }, target } },
    { type: "Pods", pods: { metric: { name: "*" }, target } },
  ];
  const needs = requiredPermissionsOf([hpaWith({ metrics })], {
    locate: () => ({ kind: "cluster" }),
    mirrorsEvents: false,
  });
  const rights = await rightsByNamespace(needs, serving());
  const resources = rulesOf(rights.get("shop") ?? []).flatMap((rule) => rule.resources);
  // RBAC reads "*" and "*/x" as patterns, and "pods/*" as it is written.
  expect(resources).toEqual(["deployments/scale", "pods", "pods/*"]);
});

test("a kind of source says what its queries need, also as the operand of a formula", async () => {
  const target = { type: "AverageValue", averageValue: "1" };
  const metrics: MetricSpec[] = [{ type: "External", external: { metric: { name: "sum" }, target } }];
  const found = { kind: "source" as const, source: "counting", parameters: { namespace: "media" } };
  const operands = [{ name: "a", metricName: "jobs", found }];
  const needs = requiredPermissionsOf([hpaWith({ metrics })], {
    locate: () => ({ kind: "source", source: "formula", parameters: {}, operands }),
    sources: {
      counting: {
        rights: ({ namespace }) => [{ group: "", resource: "pods", verbs: ["list"], namespace: String(namespace) }],
      },
    },
    mirrorsEvents: false,
  });
  const rights = await rightsByNamespace(needs, serving());
  expect(rulesOf(rights.get("media") ?? [])).toEqual([{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }]);
});
