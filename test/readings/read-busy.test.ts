import type { MetricValue, Pod } from "../../lib/k8s/objects";
import { Fault } from "../../lib/model/fault";
import type { BusySource } from "../../lib/model/entry/busy-rule";
import { readBusy } from "../../lib/readings/read-busy";
import { fakeCluster } from "../fakes/fake-cluster";
import { noLimit } from "../time/no-limit";

const at = Date.parse("2026-03-01T12:00:00Z");

/** "1 Running", "2 Pending", "3 Running ending"; ready unless it says "unready". */
function podOf(text: string): Pod {
  const [index = "", phase = "", ...more] = text.split(" ");
  const controller = { apiVersion: "apps/v1", kind: "ReplicaSet", controller: true };
  return {
    metadata: {
      ...{ name: `web-${index}`, namespace: "shop", labels: { app: "web" } },
      ...(more.includes("ending") && { deletionTimestamp: "2026-03-01T12:00:00Z" }),
      ...(more.includes("marked") && { annotations: { "worker.example/busy": "1" } }),
      ...{ ownerReferences: [{ ...controller, name: more.includes("new") ? "web-b" : "web-a" }] },
    },
    status: { phase, conditions: [{ type: "Ready", status: more.includes("unready") ? "False" : "True" }] },
  };
}

function clusterOf(...pods: readonly string[]) {
  const cluster = fakeCluster();
  cluster.pods = pods.map(podOf);
  return cluster;
}

async function read(cluster: ReturnType<typeof clusterOf>, source: BusySource, selector = "app=web") {
  const query = { rule: { source, spares: true }, namespace: "shop", selector, workload: "Deployment/web" };
  return readBusy({ cluster, now: () => at, signal: noLimit(), limitMs: 60_000 }, query);
}

const marked: BusySource = { kind: "annotation", name: "worker.example/busy" };
const metric: BusySource = { kind: "metric", name: "jobs" };
const http: BusySource = { kind: "http", port: 8_080, path: "/busy" };

test("an annotation says it, in any phase; pods that end or have ended do not count", async () => {
  const cluster = clusterOf(
    ...["1 Running marked", "2 Running", "3 Pending marked unready", "4 Running marked ending"],
    ...["5 Succeeded marked", "6 Failed marked"],
  );
  const { counts, pods, at: began } = await read(cluster, marked);
  expect(counts).toEqual({ busy: 2, unknown: 0, idle: 1, notReady: 1, replicaSets: 1 });
  expect(pods.map(({ name, isBusy }) => `${name} ${isBusy}`)).toEqual(["web-1 true", "web-2 false", "web-3 true"]);
  expect(began).toBe(at);
});

test("a rollout has pods of several ReplicaSets", async () => {
  const { counts } = await read(clusterOf("1 Running", "2 Running new", "3 Running new ending"), marked);
  expect(counts).toMatchObject({ replicaSets: 2 });
});

test("an unreadable pod is unknown", async () => {
  const cluster = clusterOf("1 Running");
  const found = await cluster.listWorkers({ namespace: "shop", selector: "app=web" }, noLimit());
  cluster.listWorkers = () => Promise.resolve({ ...found, unreadable: 2 });
  expect((await read(cluster, marked)).counts).toMatchObject({ busy: 0, unknown: 2, idle: 1 });
});

test.each<[string, string, BusySource]>([
  ["the pods cannot be listed", "pods is forbidden", marked],
  ["the metric cannot be read", "the server could not find the metric jobs for pods", metric],
])("%s: an error, not a count", async (_, error, source) => {
  const cluster = clusterOf("1 Running");
  if (source === marked) cluster.listWorkers = () => Promise.reject(new Fault("forbidden", "pods is forbidden"));
  expect(await read(cluster, source)).toEqual({ at, counts: { error }, pods: [] });
});

test("without a selector, no pod is listed", async () => {
  const cluster = clusterOf("1 Running");
  const { counts } = await read(cluster, marked, "");
  expect(counts).toEqual({ error: "the target's scale has no selector" });
  expect(cluster.calls["listWorkers"]).toBeUndefined();
});

test("a metric says it: busy above 0, idle at 0, unknown below, without a number, and without a value", async () => {
  const cluster = clusterOf("1 Running", "2 Running", "3 Running", "4 Running", "5 Running", "6 Pending unready");
  const values: Readonly<Record<string, string>> = {
    ...{ "web-1": "1m", "web-2": "0", "web-3": "-1", "web-4": "NaN" },
    ...{ "of-another-workload": "1" },
  };
  const timestamp = "2026-03-01T12:00:00Z";
  cluster.podsMetric = () =>
    Promise.resolve(
      Object.entries(values).map(([name, value]): MetricValue => ({ describedObject: { name }, timestamp, value })),
    );
  const { counts, pods } = await read(cluster, metric);
  expect(counts).toEqual({
    ...{ busy: 1, unknown: 3, idle: 2, notReady: 0, replicaSets: 1 },
    problem: 'pod web-3: expected a number, 0 or more, got "-1"',
  });
  expect(pods.filter(({ isBusy }) => !isBusy).map(({ name }) => name)).toEqual(["web-2", "web-6"]);
});

describe("http", () => {
  const answerOf = (status: number, text: string) => ({ status, headers: {}, body: Buffer.from(text) });

  test.each<[string, number, string, "busy" | "idle" | "unknown"]>([
    ["one job", 200, "1", "busy"],
    ["a fraction, and a line's end", 200, " 0.5\n", "busy"],
    ["none", 200, "0", "idle"],
    ["none, with a fraction", 200, "0.0", "idle"],
    ["nothing", 200, "", "unknown"],
    ["below zero", 200, "-1", "unknown"],
    ["a page", 200, "<html>0</html>", "unknown"],
    ["JSON", 200, '{"busy": 0}', "unknown"],
    ["no number", 200, "NaN", "unknown"],
    ["two numbers", 200, "0 0", "unknown"],
    ["another notation", 200, "0x0", "unknown"],
    ["an exponent", 200, "0e9", "unknown"],
    ["a digit of another script", 200, "\uff10", "unknown"],
    ["a byte behind it", 200, "0\0", "unknown"],
    ["more digits than a number has", 200, "0".repeat(19), "unknown"],
    ["an error", 500, "0", "unknown"],
    ["somewhere else", 302, "0", "unknown"],
  ])("%s (%d, %j): %s", async (_, status, text, expected) => {
    const cluster = clusterOf("1 Running");
    cluster.answers.set("shop/web-1:8080", () => answerOf(status, text));
    const { counts } = await read(cluster, http);
    const none = { busy: 0, unknown: 0, idle: 0 };
    expect(counts).toMatchObject({ ...none, [expected]: 1 });
    expect("problem" in counts).toBe(expected === "unknown");
  });

  test("of 2,000 pods that answer as much as they may, one is named, and shortly", async () => {
    const cluster = clusterOf(...Array.from({ length: 2_000 }, (_, index) => `${index} Running`));
    const lie = answerOf(200, "0".repeat(16_384));
    for (let index = 0; index < 2_000; index += 1) cluster.answers.set(`shop/web-${index}:8080`, () => lie);
    const { counts, pods } = await read(cluster, http);
    expect(counts).toMatchObject({ busy: 0, unknown: 2_000, idle: 0 });
    expect(JSON.stringify(counts).length).toBeLessThan(500);
    expect(pods.filter(({ isBusy }) => isBusy)).toHaveLength(2_000);
  });

  test("each running pod is asked once, at its path; one that does not answer is unknown, and the others count", async () => {
    const cluster = clusterOf("1 Running", "2 Running", "3 Running", "4 Pending unready", "5 Running ending");
    const paths: string[] = [];
    for (const name of ["web-1", "web-2", "web-4", "web-5"])
      cluster.answers.set(`shop/${name}:8080`, (path) => {
        paths.push(`${name}${path}`);
        return answerOf(200, name === "web-1" ? "2" : "0");
      });
    cluster.answers.set("shop/web-3:8080", () => new Fault("unreachable", "connection refused"));
    const { counts } = await read(cluster, http);
    expect(paths).toEqual(["web-1/busy", "web-2/busy"]);
    expect(counts).toMatchObject({ busy: 1, unknown: 1, idle: 2, problem: "pod web-3: connection refused" });
  });
});
