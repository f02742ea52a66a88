import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { MetricSpec } from "../../../lib/k8s/hpa";
import { validateSourceParameters } from "../../../lib/sources/validate-parameters";
import { putCluster, putHpa } from "../../../local/entries";
import { startSimulatedCluster, type SimulatedCluster } from "../../../local/backends/kubernetes/cluster";
import { customResourceDefinitions } from "../../../local/backends/kubernetes/resources/kinds";
import { hpaWith } from "../../core/build";
import { ebb } from "../run-ebb";
import { tableForTests } from "../table";

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: object;
  readonly subjects?: readonly object[];
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

// Connecting by a kubeconfig loads a library first, which takes its time on a busy machine.
jest.setTimeout(60_000);

const { table, folder, byHand } = tableForTests();
const kubeconfig = () => join(folder(), "kubeconfig");
const run = (...args: readonly string[]) =>
  ebb(["rbac", ...args, "--directory", folder()], { table: table(), env: { KUBECONFIG: kubeconfig() } });
const rulesIn = async (...args: readonly string[]): Promise<readonly Rule[]> => {
  const { stdout } = await run(...args);
  return parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Manifest).rules ?? []);
};

const average = { type: "AverageValue", averageValue: "1" };
const value = { type: "Value", value: "1" };
const sqs = external("sqs", { queue: "orders" });
const cpu: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};
const requests: MetricSpec = { type: "Pods", pods: { metric: { name: "requests" }, target: average } };

function external(name: string, matchLabels?: Record<string, string>): MetricSpec {
  return {
    type: "External",
    external: { metric: { name, ...(matchLabels && { selector: { matchLabels } }) }, target: average },
  };
}

/** The entries of the page about sources, as a reader copies them. */
function documented() {
  const page = readFileSync(join(__dirname, "../../../docs/sources/README.md"), "utf8");
  const [, example = ""] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  return parseAllDocuments(example).map((document) => document.toJS() as Documented);
}

interface Documented {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly kind: string; readonly parameters: object };
}

function ofObject(kind: string, apiVersion: string, metric: string): MetricSpec {
  const describedObject = { kind, apiVersion, name: "o" };
  return { type: "Object", object: { describedObject, metric: { name: metric }, target: value } };
}

async function put(cluster: string, key: string, kind: string, metrics: readonly MetricSpec[]): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  const apiVersions: Record<string, string> = { ReplicationController: "v1", Worker: "example.com/v1" };
  const scaleTargetRef = { apiVersion: apiVersions[kind] ?? "apps/v1", kind, name };
  const hpa = hpaWith({ scaleTargetRef, metrics });
  await putHpa(table(), cluster, { ...hpa, metadata: { name, namespace } });
}

const workers = {
  metadata: { name: "workers.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Worker", plural: "workers", singular: "worker" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
      },
    ],
  },
};

let simulated: SimulatedCluster;
beforeAll(async () => {
  simulated = await startSimulatedCluster({ controllers: false });
  simulated.api.create({ resource: customResourceDefinitions, namespace: "" }, workers);
  const file = kubeconfig();
  await writeFile(file, simulated.kubeconfig("default"));
  const nowhere = { endpoint: "https://127.0.0.1:1", auth: { type: "token", secret: "ebb/x" } } as const;
  for (const name of ["prod", "empty", "offline", "services", "forwarded", "formulas", "documented"])
    await putCluster(table(), name, nowhere);
  await putCluster(table(), "mirroring", { ...nowhere, options: { mirrorEvents: true } });
  await putCluster(table(), "custom", { auth: { type: "kubeconfig", file } });
  await put("prod", "shop/orders", "Deployment", [sqs]);
  await put("prod", "pay/db", "StatefulSet", [cpu]);
  await put("prod", "pay/old", "ReplicationController", [sqs]);
  await put("prod", "edge/web", "deployment", [
    requests,
    external("depth"),
    ofObject("Ingress", "networking.k8s.io/v1", "hits"),
    ofObject("Service", "v1", "latency"),
    ofObject("Namespace", "v1", "tickets"),
  ]);
  const via = { namespace: "monitoring", service: "prometheus", port: "9090" };
  await byHand({
    pk: "CLUSTER#services",
    sk: "SOURCE#jobs",
    spec: { kind: "prometheus", parameters: { query: "jobs", via } },
  });
  const operands = [{ name: "a", source: "jobs" }];
  const formula = { kind: "formula", parameters: { formula: "a * 2", operands } };
  await byHand({ pk: "CLUSTER#formulas", sk: "SOURCE#sum", spec: formula });
  await byHand({
    pk: "CLUSTER#formulas",
    sk: "SOURCE#jobs",
    spec: { kind: "prometheus", parameters: { query: "jobs", via } },
  });
  await put("formulas", "shop/orders", "Deployment", [external("sum")]);
  await put("services", "shop/orders", "Deployment", [external("jobs")]);
  for (const [name, port] of [
    ["named", "client"],
    ["numbered", "6379"],
  ] as const) {
    await byHand({
      pk: "CLUSTER#forwarded",
      sk: `SOURCE#${name}`,
      spec: { kind: "redis", parameters: { key: "jobs", via: { namespace: name, service: "redis", port } } },
    });
  }
  for (const { metadata, spec } of documented()) {
    await byHand({ pk: "CLUSTER#documented", sk: `SOURCE#${metadata.name}`, spec });
  }
  await put("documented", "web/orders", "Deployment", [external("jobs"), external("tasks")]);
  await put("forwarded", "shop/orders", "Deployment", [external("named"), external("numbered")]);
  await put("mirroring", "shop/orders", "Deployment", [sqs]);
  await put("custom", "shop/invoices", "Worker", [sqs]);
  await put("offline", "shop/invoices", "Worker", [sqs]);
  await byHand({ pk: "CLUSTER#prod", sk: "HPA#shop/bad", spec: { maxReplicas: 0 } });
});
afterAll(() => simulated.close());

test("the entries with via in the documentation are valid, and get the rights that it names", async () => {
  expect(documented().flatMap(({ spec }) => validateSourceParameters(spec))).toEqual([]);
  const rules = await rulesIn("documented");
  expect(rules.map(({ resources, resourceNames, verbs }) => [resources, resourceNames, verbs])).toEqual([
    [["services/proxy"], ["prometheus:9090"], ["get"]],
    [["pods/portforward"], undefined, ["get", "create"]],
    [["endpointslices"], undefined, ["list"]],
    [["deployments/scale"], undefined, ["get", "update"]],
  ]);
});

test.each([
  ["a source's service", "services"],
  ["the service of a formula's operand", "formulas"],
])("%s is read through the API server by a rule that names it", async (_name, cluster) => {
  expect(await rulesIn(cluster)).toEqual([
    { apiGroups: [""], resources: ["services/proxy"], resourceNames: ["prometheus:9090"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["get", "update"] },
  ]);
});

test("a service over TCP is read by port forwarding, whose rights no rule can narrow to a service", async () => {
  const slices = { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list"] };
  const pods = { apiGroups: [""], resources: ["pods/portforward"], verbs: ["get", "create"] };
  // A port's number is in the service alone.
  const service = { apiGroups: [""], resources: ["services"], resourceNames: ["redis"], verbs: ["get"] };
  const rules = await rulesIn("forwarded");
  for (const rule of [slices, pods, service]) expect(rules).toContainEqual(rule);
  expect(rules).toHaveLength(6);
});

test("a Role and a RoleBinding for each namespace, for exactly what its HPAs need; nothing is asked", async () => {
  const { stdout, stderr, exitCode } = await run("prod", "--group", "ebb");
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^Warning: HPA shop\/bad is valid: no, spec\..*; the rights that it needs are left out\n$/);
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  const places = manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
  expect(places).toEqual(["edge", "pay", "shop"].flatMap((ns) => [`Role ${ns}/ebb`, `RoleBinding ${ns}/ebb`]));
  expect(manifests.flatMap(({ rules }) => (rules ? [rules] : []))).toEqual([
    [
      { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["get", "update"] },
      { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
      {
        apiGroups: ["custom.metrics.k8s.io"],
        resources: ["ingresses.networking.k8s.io/hits", "metrics", "pods/requests", "services/latency"],
        verbs: ["get"],
      },
      { apiGroups: ["external.metrics.k8s.io"], resources: ["depth"], verbs: ["list"] },
    ],
    [
      { apiGroups: [""], resources: ["replicationcontrollers/scale"], verbs: ["get", "update"] },
      { apiGroups: ["apps"], resources: ["statefulsets/scale"], verbs: ["get", "update"] },
      { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
      { apiGroups: ["metrics.k8s.io"], resources: ["pods"], verbs: ["list"] },
    ],
    [{ apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["get", "update"] }],
  ]);
  const group = { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "ebb" };
  for (const { kind, roleRef, subjects } of manifests) {
    if (kind !== "RoleBinding") continue;
    expect(roleRef).toEqual({ apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "ebb" });
    expect(subjects).toEqual([group]);
  }
});

test("--lists adds the right to list the targets, of kinds whose lists say their scale", async () => {
  const lists = (rules: readonly Rule[]) => rules.filter(({ verbs }) => verbs.join() === "list");
  const added = lists(await rulesIn("prod", "--lists")).flatMap(({ resources }) => resources);
  expect(added.filter((resource) => !["depth", "pods"].includes(resource)).sort()).toEqual([
    ...["deployments", "deployments", "replicationcontrollers", "statefulsets"],
  ]);
});

test("--lists of a custom kind also adds the right to read its definition, which has no namespace", async () => {
  const { stdout } = await run("custom", "--lists");
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  const reading = {
    ...{ apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] },
    ...{ resourceNames: ["workers.example.com"], verbs: ["get"] },
  };
  const listing = { apiGroups: ["example.com"], resources: ["workers"], verbs: ["list"] };
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
    ...["ClusterRole undefined/ebb-definitions", "ClusterRoleBinding undefined/ebb-definitions"],
    ...["Role shop/ebb", "RoleBinding shop/ebb"],
  ]);
  expect(manifests[0]?.rules).toEqual([reading]);
  expect(manifests[1]?.roleRef).toMatchObject({ kind: "ClusterRole", name: "ebb-definitions" });
  expect(manifests[2]?.rules).toContainEqual(listing);
  const everywhere = await rulesIn("custom", "--lists", "--cluster-wide");
  expect(everywhere).toEqual(expect.arrayContaining([reading, listing]));
});

test("as kubectl prints YAML, for kubectl apply", async () => {
  const { stdout } = await run("mirroring");
  expect(stdout).toBe(`apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  labels:
    app.kubernetes.io/name: ebb
  name: ebb
  namespace: shop
rules:
- apiGroups:
  - apps
  resources:
  - deployments/scale
  verbs:
  - get
  - update
- apiGroups:
  - ""
  resources:
  - events
  verbs:
  - create
  - patch
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  labels:
    app.kubernetes.io/name: ebb
  name: ebb
  namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: ebb
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: ebb
`);
});

test("--cluster-wide: one ClusterRole with all of it", async () => {
  const { stdout } = await run("prod", "--cluster-wide", "-o", "json", "--name", "ebb-eu");
  const { kind, items } = JSON.parse(stdout) as { kind: string; items: readonly Manifest[] };
  expect(kind).toBe("List");
  expect(items.map((item) => [item.kind, item.metadata.name, item.metadata.namespace])).toEqual([
    ["ClusterRole", "ebb-eu", undefined],
    ["ClusterRoleBinding", "ebb-eu", undefined],
  ]);
  expect(items[1]?.roleRef).toMatchObject({ kind: "ClusterRole", name: "ebb-eu" });
  expect(items[0]?.rules).toContainEqual({
    apiGroups: ["apps"],
    resources: ["deployments/scale", "statefulsets/scale"],
    verbs: ["get", "update"],
  });
  expect(items[0]?.rules?.filter(({ resources }) => resources.includes("pods"))).toHaveLength(2);
});

test("-n: the HPAs of one namespace", async () => {
  const { stdout } = await run("prod", "-n", "shop");
  expect(stdout.match(/namespace: .*/g)).toEqual(["namespace: shop", "namespace: shop"]);
});

test.each([
  [["--user", "ebb@example.com"], { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ebb@example.com" }],
  [["--group", "team"], { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "team" }],
  [["--service-account", "ops/ebb"], { kind: "ServiceAccount", name: "ebb", namespace: "ops" }],
])("the subject: %j", async (args, subject) => {
  const { stdout } = await run("mirroring", ...args, "-o", "json");
  const { items } = JSON.parse(stdout) as { items: readonly Manifest[] };
  expect(items.flatMap(({ subjects = [] }) => subjects)).toEqual([subject]);
});

test.each([
  [["prod", "--user", "a", "--group", "b"], /cannot be used with/],
  [["prod", "--service-account", "ebb"], /--service-account: expected <namespace>\/<name>, got "ebb"/],
])("two subjects, or half of one: %j", async (args, says) => {
  const { exitCode, stdout, stderr } = await run(...args);
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(says);
});

test("the cluster says which resource a kind of its own is", async () => {
  expect(await rulesIn("custom")).toEqual([
    { apiGroups: ["example.com"], resources: ["workers/scale"], verbs: ["get", "update"] },
  ]);
});

test("if it cannot, nothing is printed: half of the rights would be applied unseen", async () => {
  const { exitCode, stdout, stderr } = await run("offline");
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^error: expected the cluster to name the resource of kind Worker\.example\.com, got: /);
});

test("a kind without a scale is an error that names it", async () => {
  await put("offline", "shop/agents", "DaemonSet", [sqs]);
  const { exitCode, stdout, stderr } = await run("offline");
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/DaemonSet of apps\/v1 has no scale|which resource Worker/);
});

test("no HPAs: nothing to grant", async () => {
  const { exitCode, stdout, stderr } = await run("empty");
  expect([exitCode, stdout]).toEqual([0, ""]);
  expect(stderr).toBe("Cluster empty has no HPAs yet, so there is nothing to grant.\n");
});

test("a cluster that is not there", async () => {
  const { exitCode, stderr } = await run("nowhere");
  const words =
    'Error from server (NotFound): clusters.ebb.dev "nowhere" not found; the table has custom, documented, empty, formulas, ';
  expect([exitCode, stderr]).toEqual([1, `${words}forwarded, mirroring, offline, prod, services\n`]);
});
