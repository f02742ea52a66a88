import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Pod } from "../../../lib/k8s/objects";
import { Fault } from "../../../lib/model/fault";
import type { SourceQuery } from "../../../lib/model/ports";
import { workload } from "../../../lib/sources/workload/kind";
import { openWorkloadSource } from "../../../lib/sources/workload/workload";
import { parseWorkloadQuery } from "../../../lib/sources/workload/workload-query";
import { fakeCluster } from "../../fakes/fake-cluster";
import { turnOf } from "../turn";

const pod = (name: string, phase?: string, labels = { app: "producer" }, namespace = "shop"): Pod => ({
  metadata: { name, namespace, labels },
  ...(phase !== undefined && { status: { phase } }),
});
const query = (parameters: SourceQuery["parameters"]): SourceQuery => ({ metricName: "producers", parameters });
const producers = { namespace: "shop", podSelector: "app=producer" };

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
  return { listed, turn: turnOf({ cluster: { name: "prod", api } }) };
}

async function valueOf(pods: readonly Pod[], parameters: SourceQuery["parameters"] = producers) {
  const reading = await openWorkloadSource().open(clusterOf(pods).turn).read(query(parameters));
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

test("queries for the same pods share one list, however the selector is written", async () => {
  const { listed, turn } = clusterOf([pod("p", "Running")]);
  const reader = openWorkloadSource().open(turn);
  const selectors = ["app=producer,tier!=x", " tier != x , app = producer "];
  await Promise.all(selectors.map((podSelector) => reader.read(query({ namespace: "shop", podSelector }))));
  expect(listed).toHaveLength(1);
});

test("without the right, or without the API server, it is an error and not 0", async () => {
  const forbidden = new Fault("forbidden", 'pods is forbidden: User "ebb" cannot list resource "pods"');
  const api = () => Promise.resolve({ ...fakeCluster(), listPods: () => Promise.reject(forbidden) });
  const read = (turn = turnOf()) => openWorkloadSource().open(turn).read(query(producers));
  expect(await read(turnOf({ cluster: { name: "prod", api } }))).toEqual({
    error: forbidden.message,
    from: "workload",
  });
  expect(await read()).toEqual({ error: "no API server in this test", from: "workload" });
});

test("a turn that is over is an error", async () => {
  const signal = AbortSignal.abort(new Fault("timeout", "the slot's time is up"));
  const { turn } = clusterOf([pod("p", "Running")]);
  const reading = await openWorkloadSource()
    .open({ ...turn, signal })
    .read(query(producers));
  expect(reading).toHaveProperty("error");
});

test.each<[SourceQuery["parameters"], string]>([
  [{ podSelector: "app=a" }, "parameter namespace: expected a namespace such as shop, got nothing"],
  [{ namespace: "shop" }, "parameter podSelector: expected a label selector such as app=producer"],
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

test("it needs the right to list the pods of its namespace, and of no other", () => {
  expect(workload.rights?.(producers)).toEqual([{ group: "", resource: "pods", verbs: ["list"], namespace: "shop" }]);
  expect(workload.rights?.({ namespace: "*" })).toEqual([]);
  expect(workload.rights?.({})).toEqual([]);
});

test("the page's example, and the file's, count what they say", async () => {
  const file = (path: string) => readFileSync(join(__dirname, "../../..", path), "utf8");
  const [, onPage = ""] = /```yaml\n([^`]*)```/.exec(file("docs/sources/workload.md")) ?? [];
  const { parameters } = (parse(onPage) as { readonly spec: { readonly parameters: Record<string, unknown> } }).spec;
  const [, inFile = ""] = file("examples/hpa-workload.yaml").split(/^---$/m);
  expect((parse(inFile) as { readonly spec: object }).spec).toEqual({ kind: "workload", parameters });
  const labels = { app: "recorder", tier: "edge" };
  const pods = [pod("a", "Running", labels, "media"), pod("b", "Failed", labels, "media")];
  expect(await valueOf(pods, parameters)).toEqual(["1"]);
});
