import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Pod } from "../../../lib/k8s/objects";
import { Fault } from "../../../lib/model/fault";
import type { ObjectReference } from "../../../lib/model/ports/cluster";
import type { SourceQuery } from "../../../lib/model/ports/sources";
import { workload } from "../../../lib/sources/workload/kind";
import { openWorkloadSource, parseWorkloadQuery } from "../../../lib/sources/workload/workload";
import { fakeCluster } from "../../fakes/fake-cluster";
import { sourceContract } from "../contract/contract";
import { contextOf } from "../read-context";

const pod = (name: string, phase?: string, labels = { app: "producer" }, namespace = "shop"): Pod => ({
  metadata: { name, namespace, labels },
  ...(phase !== undefined && { status: { phase } }),
});
const query = (parameters: SourceQuery["parameters"]): SourceQuery => ({ metricName: "producers", parameters });
const producers = { namespace: "shop", podSelector: "app=producer" };
const active = {
  apiVersion: "batch/v1",
  resource: "jobs",
  namespace: "shop",
  name: "backfill",
  field: "$.status.active",
};

/** A cluster with these pods, and what was listed there. */
function clusterOf(pods: readonly Pod[]) {
  const cluster = fakeCluster();
  cluster.pods = [...pods];
  const listed: unknown[][] = [];
  const api = () =>
    Promise.resolve({
      ...cluster,
      listPods: (namespace: string, selector: string, signal: AbortSignal) => {
        listed.push([namespace, selector]);
        return cluster.listPods(namespace, selector, signal);
      },
    });
  return { listed, context: contextOf({ cluster: { name: "prod", api } }) };
}

async function valueOf(pods: readonly Pod[], parameters: SourceQuery["parameters"] = producers) {
  const reading = await openWorkloadSource().open(clusterOf(pods).context).read(query(parameters));
  return "items" in reading ? reading.items.map(({ value }) => value) : reading;
}

test("counts the pods that are not terminated", async () => {
  const phases = ["Running", "Pending", "Unknown", "Succeeded", "Failed", undefined];
  const others = [pod("x", "Running", { app: "other" }), pod("y", "Running", { app: "producer" }, "elsewhere")];
  expect(await valueOf([...phases.map((phase, i) => pod(`p${i}`, phase)), ...others])).toEqual(["4"]);
});

test("a pod that cannot be read is a pod", async () => {
  expect(await valueOf([{ ...pod("p"), unreadable: true }])).toEqual(["1"]);
});

test("no pods are 0, because the API server said so", async () => {
  expect(await valueOf([])).toEqual(["0"]);
});

test("10,000 pods are counted", async () => {
  expect(await valueOf(Array.from({ length: 10_000 }, (_, i) => pod(`p${i}`, "Running")))).toEqual(["10000"]);
});

test("queries for other pods, or for pods elsewhere, have lists of their own", async () => {
  const pods = [
    pod("a"),
    pod("b"),
    pod("x", "Running", { app: "other" }),
    ...["c", "d", "e"].map((name) => pod(name, "Running", { app: "producer" }, "elsewhere")),
  ];
  const reader = openWorkloadSource().open(clusterOf(pods).context);
  const asked = [producers, { ...producers, podSelector: "app=other" }, { ...producers, namespace: "elsewhere" }];
  const readings = await Promise.all(asked.map((parameters) => reader.read(query(parameters))));
  expect(readings.map((reading) => "items" in reading && reading.items[0]?.value)).toEqual(["2", "1", "3"]);
});

test("queries for the same pods share one list, however the selector is written", async () => {
  const { listed, context } = clusterOf([pod("p", "Running")]);
  const reader = openWorkloadSource().open(context);
  const selectors = ["app=producer,tier!=x", " tier != x , app = producer "];
  await Promise.all(selectors.map((podSelector) => reader.read(query({ namespace: "shop", podSelector }))));
  expect(listed).toHaveLength(1);
});

test("without the right, or without the API server, it is an error and not 0", async () => {
  const forbidden = new Fault("forbidden", 'pods is forbidden: User "ebb" cannot list resource "pods"');
  const api = () => Promise.resolve({ ...fakeCluster(), listPods: () => Promise.reject(forbidden) });
  const read = (context = contextOf()) => openWorkloadSource().open(context).read(query(producers));
  expect(await read(contextOf({ cluster: { name: "prod", api } }))).toEqual({
    error: forbidden.message,
    from: "workload",
  });
  expect(await read()).toEqual({ error: "no API server in this test", from: "workload" });
});

test("a run that is over is an error", async () => {
  const signal = AbortSignal.abort(new Fault("timeout", "the slot's time is up"));
  const { context } = clusterOf([pod("p", "Running")]);
  const reading = await openWorkloadSource()
    .open({ ...context, signal })
    .read(query(producers));
  expect(reading).toHaveProperty("error");
});

test.each<[SourceQuery["parameters"], string]>([
  [{ podSelector: "app=a" }, "parameter namespace: expected a namespace such as shop, got nothing"],
  [{ namespace: "shop" }, "parameter podSelector: expected podSelector (to count pods) or field (of an object)"],
  [{ ...producers, field: "$" }, "parameter podSelector: expected podSelector (to count pods) or field (of an object)"],
  [{ ...producers, name: "x" }, 'parameter name: expected none beside podSelector, got "x"'],
  [{ ...active, namespace: "../x" }, "parameter namespace: expected a namespace such as shop"],
  [{ ...active, apiVersion: "batch/v1/x" }, "parameter apiVersion: expected an API version such as v1"],
  [{ ...active, resource: "jobs/status" }, "parameter resource: expected a resource's plural name such as jobs"],
  [{ ...active, resource: ".." }, "parameter resource: expected a resource's plural name such as jobs"],
  [{ ...active, name: "../../nodes" }, "parameter name: expected an object's name such as backfill"],
  [{ ...active, name: ".." }, "parameter name: expected an object's name such as backfill"],
  [{ ...active, name: "x?watch=1" }, "parameter name: expected an object's name such as backfill"],
  [{ ...active, field: ".status" }, "parameter field: expected an RFC 9535 JSONPath such as $.status.active"],
  [{ ...active, field: "$..a..b" }, "parameter field: expected a path with one .. at most"],
  [{ ...active, field: "$[" }, "parameter field: expected an RFC 9535 JSONPath"],
  [{ ...active, apiVersion: "v1", resource: "secrets" }, "parameter resource: expected anything but secrets"],
  [
    { namespace: "shop", field: "$.x" },
    "parameter apiVersion: expected an API version such as v1 or batch/v1, got nothing",
  ],
  [{ namespace: "../x", podSelector: "app=a" }, "parameter namespace: expected a namespace such as shop"],
  [{ namespace: "*", podSelector: "app=a" }, "parameter namespace: expected a namespace such as shop"],
  [{ namespace: "shop", podSelector: " " }, "parameter podSelector: expected a label selector"],
  [{ namespace: "shop", podSelector: "app in a" }, "parameter podSelector: expected a label selector"],
  [{ namespace: "shop", podSelector: "app=a&limit=1" }, "parameter podSelector: expected a label selector"],
  [{ namespace: "shop", podSelector: "app=a\r\nx: y" }, "parameter podSelector: expected a label selector"],
])("refuses %j", async (parameters, message) => {
  expect(() => parseWorkloadQuery(query(parameters))).toThrow(message);
  expect(await valueOf([], parameters)).toMatchObject({ error: expect.stringContaining(message) as string });
});

/** What a query reads from an object, and how often it was asked for. */
function objectReader(document: Readonly<Record<string, unknown>>) {
  const asked: ObjectReference[] = [];
  const getObject = (reference: ObjectReference) => {
    asked.push(reference);
    return Promise.resolve(document);
  };
  const api = () => Promise.resolve({ ...fakeCluster(), getObject });
  const reader = openWorkloadSource().open(contextOf({ cluster: { name: "prod", api } }));
  const read = async (more: object = {}) => {
    const reading = await reader.read(query({ ...active, ...more }));
    return "items" in reading ? reading.items.map(({ value }) => value) : reading.error;
  };
  return { asked, read };
}

const conditions = [
  { type: "A", weight: "1500m" },
  { type: "B", weight: 2 },
];

test.each([
  ["v1", "configmaps"],
  ["example.com/v1", "secrets"],
])("only Kubernetes' own secrets are not read: %s %s is", (apiVersion, resource) => {
  const query = { metricName: "jobs", parameters: { ...active, apiVersion, resource } };
  expect(parseWorkloadQuery(query)).toMatchObject({ object: { apiVersion, resource } });
});

test.each<[object, unknown]>([
  [{}, ["3"]],
  [{ field: "$.status.conditions[?@.type == 'A'].weight" }, ["1500m"]],
  [{ field: "$.status.conditions[*].weight" }, ["1500m", "2"]],
  [{ field: "$.status.failed", absent: 0 }, ["0"]],
  [
    { field: "$.status.failed" },
    "batch/v1 jobs shop/backfill: the object has nothing at $.status.failed; set absent if that means a number",
  ],
  [
    { field: "$.status.failed", absent: "error" },
    "batch/v1 jobs shop/backfill: the object has nothing at $.status.failed; set absent if that means a number",
  ],
  [{ field: "$.status" }, "batch/v1 jobs shop/backfill: expected a number at $.status, got an object"],
  [
    { field: "$.status.conditions", absent: 0 },
    "batch/v1 jobs shop/backfill: expected a number at $.status.conditions, got a list",
  ],
  [
    { field: "$.metadata.name", absent: 0 },
    "batch/v1 jobs shop/backfill: expected a number at $.metadata.name, got a string",
  ],
])("of an object, %j reads %j", async (more, expected) => {
  const { read } = objectReader({ metadata: { name: "backfill" }, status: { active: 3, conditions } });

  expect(await read(more)).toEqual(expected);
});

test("queries for several fields of an object share one request", async () => {
  const { asked, read } = objectReader({ status: { active: 3, failed: 1 } });
  await Promise.all([read(), read({ field: "$.status.failed" }), read({ name: "other" })]);
  expect(asked.map(({ name }) => name)).toEqual(["backfill", "other"]);
});

test("an object that is not there is an error, whatever absent says", async () => {
  const cluster = fakeCluster();
  const context = contextOf({ cluster: { name: "prod", api: () => Promise.resolve(cluster) } });
  const object = { apiVersion: "apps/v1", resource: "deployments", field: "$.spec.replicas", absent: 0 };
  const read = () =>
    openWorkloadSource()
      .open(context)
      .read(query({ ...active, ...object }));
  expect(await read()).toEqual({ error: 'deployments.apps "backfill" not found', from: "workload" });
  cluster.add("shop/backfill", 4);
  expect(await read()).toMatchObject({ items: [{ value: "4" }] });
});

test("it needs the right to get the one object", () => {
  const right = { group: "batch", resource: "jobs", name: "backfill", verbs: ["get"], namespace: "shop" };
  expect(workload.rights?.(active)).toEqual([right]);
  expect(workload.rights?.({ ...active, apiVersion: "v1", resource: "configmaps" })).toEqual([
    { ...right, group: "", resource: "configmaps" },
  ]);
  for (const wrong of [{ name: "*" }, { resource: "*" }, { apiVersion: "*/v1" }, { namespace: "*" }])
    expect(workload.rights?.({ ...active, ...wrong })).toEqual([]);
});

test("it needs the right to list the pods of its namespace, and of no other", () => {
  expect(workload.rights?.(producers)).toEqual([{ group: "", resource: "pods", verbs: ["list"], namespace: "shop" }]);
  expect(workload.rights?.({ namespace: "*" })).toEqual([]);
  expect(workload.rights?.({})).toEqual([]);
});

test("the page's example, and the file's, count what they say", async () => {
  const file = (path: string) => readFileSync(join(__dirname, "../../..", path), "utf8");
  const [parameters = {}, ofField = {}] = [...file("docs/sources/workload.md").matchAll(/```yaml\n([^`]*)```/g)].map(
    ([, text = ""]) => (parse(text) as { readonly spec: { readonly parameters: object } }).spec.parameters,
  ) as SourceQuery["parameters"][];
  const [, inFile = ""] = file("examples/hpa-workload.yaml").split(/^---$/m);
  expect((parse(inFile) as { readonly spec: object }).spec).toEqual({ kind: "workload", parameters });
  const labels = { app: "recorder", tier: "edge" };
  const pods = [pod("a", "Running", labels, "media"), pod("b", "Failed", labels, "media")];
  expect(await valueOf(pods, parameters)).toEqual(["1"]);
  expect(await objectReader({ status: { failed: 2 } }).read(ofField)).toEqual(["2"]);
});

describe("the contract", () => {
  const { cluster: unreachable } = contextOf();
  let api: () => Promise<object> = () => Promise.reject(new Error("no case has set it"));
  const failing = (kind: "unreachable" | "badAnswer" | "unauthorized", message: string) => () => {
    api = () => {
      const fail = () => Promise.reject(new Fault(kind, message));
      return Promise.resolve({ ...fakeCluster(), listPods: fail, getObject: fail });
    };
  };
  const holding = (document: object) => () => {
    api = () => Promise.resolve({ ...fakeCluster(), getObject: () => Promise.resolve(document) });
  };
  const ofTheApi = (where: string) => ({ notApplicable: `the connection is the one of the cluster: ${where}` });
  sourceContract({
    connections: "none",
    open() {
      const source = openWorkloadSource();
      const cluster = { ...unreachable, api: () => api() as ReturnType<typeof unreachable.api> };
      return { ...source, open: (context) => source.open({ ...context, cluster }) };
    },
    cases: {
      found: () => ({
        parameters: producers,
        before() {
          api = () => Promise.resolve({ ...fakeCluster(), listPods: () => Promise.resolve([pod("a"), pod("b")]) });
        },
        expected: { values: ["2"] },
      }),
      missing: () => ({
        parameters: active,
        before() {
          api = () => Promise.resolve(fakeCluster());
        },
        expected: { error: /could not find the requested resource/ },
      }),
      empty: () => ({
        parameters: active,
        before: holding({}),
        expected: { error: /has nothing at \$.status.active/ },
      }),
      malformed: () => ({
        parameters: active,
        before: holding({ status: { active: "3 pods" } }),
        expected: { error: /expected a number at \$.status.active, got a string/ },
      }),
      many: () => ({
        parameters: { ...active, field: "$.status[*]" },
        before: holding({ status: { active: 1, failed: "500m" } }),
        expected: { values: ["1", "500m"] },
      }),
      hostile: () => ({
        parameters: { ...active, name: "../secrets/x" },
        before: holding({ status: { active: 1 } }),
        expected: { error: /parameter name: expected an object's name/ },
      }),
      refused: () => ({
        parameters: producers,
        before: failing("unreachable", "https://prod.example: connection refused"),
        expected: { error: /connection refused/ },
      }),
      dropped: () => ({
        parameters: producers,
        before: failing("unreachable", "https://prod.example: the connection broke"),
        expected: { error: /the connection broke/ },
      }),
      huge: () => ({
        parameters: producers,
        before: failing("badAnswer", "https://prod.example: the answer is larger than 16 MB"),
        expected: { error: /larger than/ },
      }),
      slow: ofTheApi("its requests have its timeout (test/cluster/transport.test.ts)"),
      authFailure: ofTheApi("the source takes no secret"),
      rotated: ofTheApi("its credential is read again after a 401 (test/cluster/clusters.test.ts)"),
      wrongCa: ofTheApi("test/cluster/tls.test.ts"),
      wrongHost: ofTheApi("test/cluster/tls.test.ts"),
    },
  });
});
