import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { putCluster, putHpa } from "../../local/entries";
import { startSimulatedCluster, type SimulatedCluster } from "../../local/backends/kubernetes/cluster";
import type { HpaSpec } from "../../lib/k8s/hpa";
import { openEntries } from "../../lib/table/entries";
import { openStore } from "../../lib/table/store";
import { hpaWith } from "../core/build";
import { kubectlTarget } from "../../cli/shell/input/parse-targets";
import { ebb } from "./run-ebb";
import { signal, tableForTests } from "./table";

jest.setTimeout(120_000);
const { table, folder, stored, beforeNextWrite } = tableForTests();
const file = () => join(folder(), "kubeconfig");
let simulated: SimulatedCluster;

beforeAll(async () => {
  simulated = await startSimulatedCluster({ controllers: false, namespaces: ["shop"] });
  await writeFile(file(), simulated.kubeconfig("default"));
  await putCluster(table(), "prod", { auth: { type: "kubeconfig", file: file() } });
});
afterAll(() => simulated.close());

const adopt = (...args: readonly string[]) =>
  ebb(["adopt", ...args, "-n", "shop", "--cluster", "prod", "--directory", folder()], {
    table: table(),
    env: { KUBECONFIG: file() },
  });

const deployments = () => simulated.registry.find("apps", "v1", "deployments") as never;

interface Stored {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
}

/** With a target of that size. */
async function given(name: string, replicas: number): Promise<void> {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "app", image: "app" }] } };
  simulated.api.create(
    { resource: deployments(), namespace: "shop" },
    { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } },
  );
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
  const hpa = hpaWith({ scaleTargetRef, minReplicas: 0 });
  await putHpa(table(), "prod", { ...hpa, metadata: { name, namespace: "shop" } });
}

const zeroOf = (name: string) => {
  const { metadata } = simulated.api.get({ resource: deployments(), namespace: "shop", name }) as unknown as Stored;
  return `${metadata.uid}/${metadata.resourceVersion}`;
};
const refOf = (name: string) =>
  ({ kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name }) as const;
const requestOf = async (name: string) =>
  ((await stored(refOf(name))).document["metadata"] as { annotations?: Record<string, string> }).annotations?.[
    "ebb.dev/adopt-zero"
  ];

test("it names the zero that it found, in one conditional write; asked twice, it changes nothing", async () => {
  await given("orders", 0);
  expect(await adopt("hpa", "orders")).toEqual({
    stdout: "horizontalpodautoscaler.autoscaling/orders adopts its zero\n",
    stderr: "",
    exitCode: 0,
  });
  expect(await requestOf("orders")).toBe(zeroOf("orders"));
  const { version } = await stored(refOf("orders"));
  expect((await adopt("hpa/orders")).stdout).toBe(
    "horizontalpodautoscaler.autoscaling/orders has adopted its zero already\n",
  );
  expect((await stored(refOf("orders"))).version).toEqual(version);
});

test("two at once ask for the same zero", async () => {
  await given("twice", 0);
  const both = await Promise.all([adopt("hpa", "twice"), adopt("hpa", "twice")]);
  expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(await requestOf("twice")).toBe(zeroOf("twice"));
});

test("after another's write, it looks at the target again", async () => {
  await given("busy", 0);
  const busy = { resource: deployments(), namespace: "shop", name: "busy" };
  beforeNextWrite(async () => {
    simulated.api.patch(busy, { spec: { replicas: 2 } }, "application/merge-patch+json");
    const before = await stored(refOf("busy"));
    const document = { ...before.document, spec: { ...(before.document["spec"] as HpaSpec), maxReplicas: 9 } };
    await openEntries(table()).put({ ref: refOf("busy"), document }, before, signal);
  });
  const { stderr, exitCode } = await adopt("hpa", "busy");
  expect(stderr).toContain("expected deployment/busy at zero, got 2 replicas: nothing to adopt");
  expect(exitCode).toBe(1);
  expect(await requestOf("busy")).toBeUndefined();
});

test("a target that runs is refused", async () => {
  const name = "running";
  await given(name, 1);
  const problem = "expected deployment/running at zero, got 1 replica: nothing to adopt";
  expect(await adopt("hpa", name)).toEqual({
    stdout: "",
    stderr: `error: horizontalpodautoscalers.autoscaling "${name}": ${problem}\n`,
    exitCode: 1,
  });
  expect(await requestOf(name)).toBeUndefined();
});

test("a target that is gone, and a dry run", async () => {
  const gone = hpaWith({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "gone" }, minReplicas: 0 });
  await putHpa(table(), "prod", { ...gone, metadata: { name: "gone", namespace: "shop" } });
  expect((await adopt("hpa", "gone")).stderr).toMatch(
    /^error: \S+ "gone": the scale of deployment\/gone in cluster prod cannot be read: deployments\.apps "gone" not found\n$/,
  );
  await given("tried", 0);
  expect((await adopt("hpa", "tried", "--dry-run=server")).stdout).toBe(
    "horizontalpodautoscaler.autoscaling/tried adopts its zero (server dry run)\n",
  );
  expect(await requestOf("tried")).toBeUndefined();
});

test("a zero that is ebb's own needs no request", async () => {
  await given("own", 0);
  const store = openStore({ client: table().client, table: table().name, now: () => Date.now() });
  const conditions = [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "" }] as const;
  const state = { version: 1, slot: 0, status: { conditions }, history: null, open: false };
  await store.putState("prod", "shop/own", state, signal);
  expect((await adopt("hpa", "own")).stdout).toContain("own has adopted its zero already");
  expect(await requestOf("own")).toBeUndefined();
});

test("a target is named so that kubectl finds it", () => {
  const named = (apiVersion: string, kind: string) =>
    kubectlTarget({ spec: { scaleTargetRef: { apiVersion, kind, name: "w" }, maxReplicas: 1 } });
  expect(named("jobs.example.com/v1", "Worker")).toBe("Worker.jobs.example.com/w");
  expect(named("apps/v1", "StatefulSet")).toBe("statefulset/w");
});
