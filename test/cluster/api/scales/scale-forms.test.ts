import { builtInForm, customForm, mayBeListed } from "../../../../lib/cluster/api/scales/scale-forms";

const served = (group: string, version: string, resource: string, kind: string) =>
  ({ group, version, resource, kind, isScalable: true, namespaced: true }) as never as Parameters<
    typeof builtInForm
  >[0];
const deployments = builtInForm(served("apps", "v1", "deployments", "Deployment"))!;

test("lists of Kubernetes' own kinds and of custom resources may say scales, in RBAC's words", () => {
  const may = (group: string, resource: string) => mayBeListed({ group, resource });
  expect(may("apps", "deployments")).toBe(true);
  expect(may("", "replicationcontrollers")).toBe(true);
  expect(may("argoproj.io", "rollouts")).toBe(true);
  expect([
    may("apps", "daemonsets"),
    may("", "deployments"),
    may("batch", "deployments"),
    may("app", "deployments"),
  ]).toEqual([...[false, false, false, false]]);
});

test("only kinds of Kubernetes' own have a form of their own", () => {
  for (const [resource, kind] of [
    ["deployments", "Deployment"],
    ["statefulsets", "StatefulSet"],
    ["replicasets", "ReplicaSet"],
  ] as const)
    expect(builtInForm(served("apps", "v1", resource, kind))?.listKind).toBe(`${kind}List`);
  const large = ["managedFields", "template", "strategy", "updateStrategy", "volumeClaimTemplates", "conditions"];
  expect(deployments.unread).toEqual(expect.arrayContaining(large));
  expect(builtInForm(served("apps", "v1beta1", "deployments", "Deployment"))).toBeUndefined();
  expect(builtInForm(served("batch", "v1", "jobs", "Job"))).toBeUndefined();
});

test.each<[string, object, object]>([
  [
    "whole",
    { spec: { replicas: 3, selector: { a: 1 } }, status: { replicas: 2 } },
    { replicas: 3, statusReplicas: 2, selector: { a: 1 } },
  ],
  ["without a status", { spec: { replicas: 3 } }, { replicas: 3, statusReplicas: 0, selector: undefined }],
  ["of texts", { spec: "x", status: 1 }, { replicas: undefined, statusReplicas: 0, selector: undefined }],
])("the parts of an object %s", (_what, object, expected) => {
  expect(deployments.parts(object as never)).toEqual(expected);
});

describe("a selector", () => {
  test.each<[unknown, string | undefined]>([
    [{ matchLabels: { app: "web" } }, "app=web"],
    [{ matchExpressions: [{ key: "a", operator: "In", values: ["x", "y"] }] }, "a in (x,y)"],
    [{ matchExpressions: [{ key: "a", operator: "Exists" }] }, "a"],
    [{}, ""],
    [{ matchExpressions: [{ key: "a", operator: "In", values: [1] }] }, undefined],
    [{ matchExpressions: [{ key: "a", operator: "In", values: "x" }] }, undefined],
    [{ matchExpressions: [{ key: 1, operator: "Exists" }] }, undefined],
    [{ matchExpressions: [{ key: "a", operator: 1 }] }, undefined],
    [{ matchExpressions: [{ key: "a", operator: "Near" }] }, undefined],
    [{ matchExpressions: ["a"] }, undefined],
    [{ matchExpressions: [null] }, undefined],
    [{ matchExpressions: {} }, undefined],
    [{ matchLabels: { app: 1 } }, undefined],
    ["app=web", undefined],
    [null, undefined],
  ])("%j is %j", (selector, expected) => {
    expect(deployments.selectorText(selector)).toBe(expected);
  });

  test("of a replication controller is its labels", () => {
    const form = builtInForm(served("", "v1", "replicationcontrollers", "ReplicationController"))!;
    expect(form.selectorText({ app: "web" })).toBe("app=web");
    expect(form.selectorText({ matchLabels: { app: "web" } })).toBeUndefined();
  });
});

describe("a custom kind", () => {
  const paths = {
    ...{ listKind: "RolloutList", specReplicasPath: ["spec", "size"] },
    ...{ statusReplicasPath: ["status", "annotations"], labelSelectorPath: ["status", "selector"] },
  };
  const form = customForm(paths, "a.io/v1");
  const parts = (object: object) => form.parts({ apiVersion: "a.io/v1", ...object });

  test.each<[string, object, object]>([
    [
      "whole",
      { spec: { size: 3 }, status: { annotations: 2, selector: "a=b" } },
      { replicas: 3, statusReplicas: 2, selector: "a=b" },
    ],
    ["without a status", { spec: { size: 3 } }, { replicas: 3, statusReplicas: 0, selector: "" }],
    ["whose status is null", { spec: { size: 3 }, status: null }, { replicas: 3, statusReplicas: 0, selector: "" }],
    [
      "whose size is a map",
      { spec: { size: {} }, status: 5 },
      { replicas: null, statusReplicas: null, selector: null },
    ],
    ["whose size is missing", { spec: {} }, { replicas: undefined, statusReplicas: 0, selector: "" }],
  ])("says its parts %s", (_what, object, expected) => {
    expect(parts(object)).toEqual(expected);
  });

  test("says nothing in another version, and no member that only an object of ours inherits", () => {
    expect(form.parts({ apiVersion: "a.io/v2", spec: { size: 3 } }).replicas).toBeNull();
    const inherited = customForm({ ...paths, specReplicasPath: ["constructor", "name"] }, "a.io/v1");
    expect(inherited.parts({ apiVersion: "a.io/v1" }).replicas).toBeUndefined();
  });

  test("keeps the metadata that its paths name, and has a selector only where they name one", () => {
    expect(form.unread).not.toContain("annotations");
    expect(form.unread).toContain("managedFields");
    expect([form.selectorText("a=b"), form.selectorText({ a: "b" })]).toEqual(["a=b", undefined]);
    const { labelSelectorPath: _, ...without } = paths;
    expect(customForm(without, "a.io/v1").parts({ apiVersion: "a.io/v1" }).selector).toBe("");
  });
});
