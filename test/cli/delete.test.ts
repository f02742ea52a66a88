import { fromItem } from "../../lib/table/items/attributes";
import type { EntryKind } from "../../lib/model/entry/kinds";
import { encodeState } from "../../lib/table/items/hpa-items";
import type { Ran } from "./run-ebb";
import { signal, tableForTests } from "./table";

const { byHand, clear, entries, file, run } = tableForTests();

const clusterItem = (name: string) => ({
  pk: `CLUSTER#${name}`,
  sk: "CLUSTER",
  spec: { endpoint: "https://a.example", auth: { type: "token", secret: "s" } },
});

function document(name: string, namespace: string): object {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace, labels: { app: name } },
    spec: { scaleTargetRef, maxReplicas: 3 },
  };
}

const hpaItem = (name: string, namespace = "default") => ({
  pk: "CLUSTER#prod",
  sk: `HPA#${namespace}/${name}`,
  ...document(name, namespace),
});

beforeEach(async () => {
  await clear("prod");
  await clear("spare");
  await byHand(clusterItem("prod"));
  for (const name of ["web", "orders"]) await byHand(hpaItem(name));
  await byHand(hpaItem("web", "shop"));
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#lag", spec: { kind: "sqs" } });
});

async function left(kind: EntryKind = "HorizontalPodAutoscaler"): Promise<readonly string[]> {
  const all = await entries().list(kind, { cluster: "prod" }, signal);
  return all.map(({ ref: { namespace, name } }) => (namespace === undefined ? name : `${namespace}/${name}`));
}

const deleted = (name: string, namespace: string, suffix = "") =>
  `horizontalpodautoscaler.autoscaling "${name}" deleted from ${namespace} namespace${suffix}\n`;
const missing = 'Error from server (NotFound): horizontalpodautoscalers.autoscaling "x" not found\n';
const all = ["default/orders", "default/web", "shop/web"];

test.each<[string, Ran, readonly string[]]>([
  ["hpa web", { stdout: deleted("web", "default"), stderr: "", exitCode: 0 }, ["default/orders", "shop/web"]],
  ["hpa/web -n shop", { stdout: deleted("web", "shop"), stderr: "", exitCode: 0 }, ["default/orders", "default/web"]],
  ["hpa web x", { stdout: deleted("web", "default"), stderr: missing, exitCode: 1 }, ["default/orders", "shop/web"]],
  ["hpa x --ignore-not-found", { stdout: "", stderr: "", exitCode: 0 }, all],
  ["hpa web --dry-run", { stdout: deleted("web", "default", " (dry run)"), stderr: "", exitCode: 0 }, all],
  [
    "hpa web --dry-run=server",
    { stdout: deleted("web", "default", " (server dry run)"), stderr: "", exitCode: 0 },
    all,
  ],
  [
    "hpa web -o name",
    { stdout: "horizontalpodautoscaler.autoscaling/web\n", stderr: "", exitCode: 0 },
    ["default/orders", "shop/web"],
  ],
  ["hpa -l app=web", { stdout: deleted("web", "default"), stderr: "", exitCode: 0 }, ["default/orders", "shop/web"]],
  ["hpa -l app=none", { stdout: "No resources found\n", stderr: "", exitCode: 0 }, all],
  [
    "hpa --all",
    { stdout: deleted("orders", "default") + deleted("web", "default"), stderr: "", exitCode: 0 },
    ["shop/web"],
  ],
  [
    "hpa --all -A",
    {
      stdout: deleted("orders", "default") + deleted("web", "default") + deleted("web", "shop"),
      stderr: "",
      exitCode: 0,
    },
    [],
  ],
  ["hpa", { stdout: "", stderr: "error: resource(s) were provided, but no name was specified\n", exitCode: 1 }, all],
  ["hpa -A", { stdout: "", stderr: "error: resource(s) were provided, but no name was specified\n", exitCode: 1 }, all],
  [
    "hpa web --all",
    { stdout: "", stderr: "error: name cannot be provided when a selector is specified\n", exitCode: 1 },
    all,
  ],
  [
    "hpa --all -l a=b",
    { stdout: "", stderr: "error: cannot set --all and --selector at the same time\n", exitCode: 1 },
    all,
  ],
  [
    "events --all",
    {
      stdout: "",
      stderr: "error: events cannot be deleted: they expire after an hour, or go with their HPA\n",
      exitCode: 1,
    },
    all,
  ],
  [
    "cluster prod",
    {
      stdout: "",
      stderr:
        'error: cluster "prod" still has 3 HPAs and 1 metric source: delete them first, or delete everything with --cascade\n',
      exitCode: 1,
    },
    all,
  ],
  [
    "cluster prod --cascade",
    {
      stdout:
        deleted("orders", "default") +
        deleted("web", "default") +
        deleted("web", "shop") +
        'metricsource.ebb.dev "lag" deleted\ncluster.ebb.dev "prod" deleted\n',
      stderr: "",
      exitCode: 0,
    },
    [],
  ],
  ["source lag", { stdout: 'metricsource.ebb.dev "lag" deleted\n', stderr: "", exitCode: 0 }, all],
])("ebb delete %s", async (line, ran, rest) => {
  expect(await run(["delete", ...line.split(" ")])).toEqual(ran);
  expect(await left()).toEqual(rest);
});

test("a cluster goes last", async () => {
  await run(["delete", "cluster", "prod", "--cascade"]);
  expect([await left("Cluster"), await left("MetricSource")]).toEqual([[], []]);
});

test("-f deletes the objects of a file, and reports a missing one with its place", async () => {
  const documents = [document("web", "default"), document("x", "default")];
  const path = await file(documents.map((one) => JSON.stringify(one)).join("\n---\n"));
  expect(await run(["delete", "-f", path])).toEqual({
    stdout: deleted("web", "default"),
    stderr: `${missing.trimEnd()} (${path}:3:1)\n`,
    exitCode: 1,
  });
  expect(await run(["delete", "-f", path, "--ignore-not-found"])).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  expect(await run(["delete", "hpa", "web", "-f", path])).toMatchObject({ stdout: "", exitCode: 1 });
});

test("with several clusters, you must choose one", async () => {
  await byHand(clusterItem("spare"));
  const { stderr, exitCode } = await run(["delete", "hpa", "web"]);
  expect([stderr, exitCode]).toEqual(["error: the table has 2 clusters (prod, spare): choose one with --cluster\n", 1]);
  expect((await run(["delete", "hpa", "web", "--cluster", "prod"])).stdout).toBe(deleted("web", "default"));
});

test("a warning says that a workload scaled to zero stays there", async () => {
  const status = { conditions: [{ type: "ScaledToZero", status: "True" }] } as const;
  const state = { version: 1, slot: 0, status, history: null, open: false };
  await byHand(fromItem(encodeState("prod", "default/web", state)));
  expect((await run(["delete", "hpa", "web"])).stderr).toBe(
    "Warning: deployment/web is at zero and stays there; wake it: `kubectl --context prod scale deployment/web -n default --replicas=1`\n",
  );
});

describe("a metric source that is still used", () => {
  const readsIt = (name: string, metric: string) => ({
    ...hpaItem(name),
    spec: {
      ...(document(name, "default") as { readonly spec: object }).spec,
      metrics: [{ type: "External", external: { metric: { name: metric }, target: { type: "Value", value: "1" } } }],
    },
  });
  const sum = { kind: "formula", parameters: { formula: "a", operands: [{ name: "a", source: "lag" }] } };

  test("is deleted, with a warning that names a few of those who use it", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await byHand(readsIt(name, "lag"));
    await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#sum", spec: sum });
    expect(await run(["delete", "source", "lag"])).toEqual({
      stdout: 'metricsource.ebb.dev "lag" deleted\n',
      stderr:
        'Warning: metric source "lag" is still used by HPAs default/a, default/b, default/c and 2 more, and by metric source sum: without it, ebb looks for the metric lag in the cluster (external.metrics.k8s.io), and an HPA that cannot read a metric does not shrink\n',
      exitCode: 0,
    });
    expect(await left("MetricSource")).toEqual(["sum"]);
  });

  test("warns in a dry run, too, and not of what goes with it", async () => {
    await byHand(readsIt("web", "lag"));
    expect((await run(["delete", "source", "lag", "--dry-run"])).stderr).toContain("still used by HPA default/web:");
    expect((await run(["delete", "cluster", "prod", "--cascade"])).stderr).not.toContain("used by");
  });

  test("says that the name of a built-in kind goes on to mean that kind", async () => {
    await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#sqs", spec: { kind: "sqs", parameters: { queue: "orders" } } });
    await byHand(readsIt("web", "sqs"));
    const { stderr } = await run(["delete", "source", "sqs"]);
    expect(stderr).toContain("from now on, sqs is the built-in kind");
  });
});
