import type { ManualClock } from "../../../../local/clock";
import { manualClock } from "../../../../local/clock";
import type { SimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { startSimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import type { PodProcess } from "../../../../local/backends/kubernetes/controllers/pod-lifecycle";
import { isConditionTrue } from "../../../../local/backends/kubernetes/controllers/machinery";
import type { KubernetesObject } from "../../../../local/backends/kubernetes/resources/object";
import { numberAt, textAt } from "../../../../local/backends/kubernetes/resources/object";
import type { ResourceKind } from "../../../../local/backends/kubernetes/resources/kinds";
import * as kinds from "../../../../local/backends/kubernetes/resources/kinds";
import { deployment } from "./client";

// Every step of a pod lasts exactly a second, so that a story's moments are literal.
const timing = {
  schedule: [1_000, 1_000],
  start: [1_000, 1_000],
  ready: [1_000, 1_000],
  stop: [1_000, 1_000],
} as const;
const namespace = "default";

let clock: ManualClock;
let cluster: SimulatedCluster;
let running: Set<string>;

beforeEach(async () => {
  clock = manualClock(Date.parse("2026-01-01T00:00:00Z"));
  running = new Set();
  cluster = await startSimulatedCluster({ clock, timing, runPod });
});
afterEach(() => cluster.close());

// Takes two seconds to finish what it has at hand.
function runPod({ metadata }: KubernetesObject): PodProcess {
  running.add(metadata.name);
  return {
    stop: (done) => void clock.after(2_000, done),
    kill: () => running.delete(metadata.name),
  };
}

const pods = (): KubernetesObject[] => cluster.store.list(kinds.pods, namespace);
const phases = (): string[] =>
  pods().map((pod) => {
    if (pod.metadata.deletionTimestamp !== undefined) return "Terminating";
    return isConditionTrue(pod, "Ready") ? "Ready" : (textAt(pod, "status.phase") ?? "");
  });
const scale = (resource: ResourceKind, name: string, replicas: number): void => {
  const target = { resource, namespace, name, subresource: "scale" } as const;
  cluster.api.update(target, { metadata: { name }, spec: { replicas } });
};
const statusOf = (resource: ResourceKind, name: string, field: string): number | undefined =>
  numberAt(cluster.api.get({ resource, namespace, name }), `status.${field}`);

test("a Deployment's pods are Pending, Running, Ready, and end gracefully", () => {
  cluster.api.create({ resource: kinds.deployments, namespace }, deployment("web", 0));
  clock.advance(10);
  expect(phases()).toEqual([]);
  scale(kinds.deployments, "web", 2);
  clock.advance(10);
  expect(phases()).toEqual(["Pending", "Pending"]);
  clock.advance(2_000);
  expect(phases()).toEqual(["Running", "Running"]);
  expect([statusOf(kinds.deployments, "web", "replicas"), running.size]).toEqual([2, 0]);
  clock.advance(1_000);
  expect(phases()).toEqual(["Ready", "Ready"]);
  expect([statusOf(kinds.deployments, "web", "readyReplicas"), running.size]).toEqual([2, 2]);
  expect(statusOf(kinds.deployments, "web", "observedGeneration")).toBe(2);

  scale(kinds.deployments, "web", 0);
  clock.advance(1_000);
  expect(phases()).toEqual(["Terminating", "Terminating"]);
  expect([statusOf(kinds.deployments, "web", "replicas"), running.size]).toEqual([undefined, 2]);
  clock.advance(1_010);
  expect([phases(), running.size]).toEqual([[], 0]);
});

test("a pod that does not end within its grace period is killed", async () => {
  await cluster.close();
  const killed = jest.fn();
  cluster = await startSimulatedCluster({
    ...{ clock, timing },
    runPod: () => ({ stop: () => undefined, kill: killed }),
  });
  const { spec } = deployment("web", 1);
  const template = { ...spec.template, spec: { ...spec.template.spec, terminationGracePeriodSeconds: 5 } };
  const place = { resource: kinds.deployments, namespace };
  cluster.api.create(place, { metadata: { name: "web" }, spec: { ...spec, template } });
  clock.advance(4_000);
  scale(kinds.deployments, "web", 0);
  clock.advance(4_900);
  expect(killed).not.toHaveBeenCalled();
  clock.advance(200);
  expect([killed.mock.calls.length, phases()]).toEqual([1, []]);
});

test("pods that are not ready go before ready ones", () => {
  cluster.api.create({ resource: kinds.deployments, namespace }, deployment("web", 1));
  clock.advance(4_000);
  const [first] = pods();
  scale(kinds.deployments, "web", 3);
  clock.advance(500);
  scale(kinds.deployments, "web", 1);
  clock.advance(5_000);
  expect(pods().map(({ metadata }) => metadata.name)).toEqual([first?.metadata.name]);
});

test("a changed template gets a ReplicaSet of its own, and all replicas", () => {
  cluster.api.create({ resource: kinds.deployments, namespace }, deployment("web", 2));
  clock.advance(4_000);
  cluster.api.patch(
    { resource: kinds.deployments, namespace, name: "web" },
    { spec: { template: { metadata: { labels: { app: "web", version: "2" } } } } },
    "application/merge-patch+json",
  );
  clock.advance(10_000);
  const sizes = cluster.store.list(kinds.replicaSets, namespace).map((set) => numberAt(set, "spec.replicas"));
  expect(sizes.sort()).toEqual([0, 2]);
  expect(pods().map(({ metadata }) => metadata.labels?.["version"])).toEqual(["2", "2"]);
  expect(statusOf(kinds.deployments, "web", "updatedReplicas")).toBe(2);
});

test("a StatefulSet goes up one ready pod after the other, and down from the top", () => {
  const { spec } = deployment("db", 3);
  cluster.api.create({ resource: kinds.statefulSets, namespace }, { metadata: { name: "db" }, spec });
  const names = (): string[] => pods().map(({ metadata }) => metadata.name);
  clock.advance(10);
  expect(names()).toEqual(["db-0"]);
  clock.advance(3_010);
  expect(names()).toEqual(["db-0", "db-1"]);
  clock.advance(7_000);
  expect([names(), statusOf(kinds.statefulSets, "db", "readyReplicas")]).toEqual([["db-0", "db-1", "db-2"], 3]);
  scale(kinds.statefulSets, "db", 1);
  clock.advance(2_500);
  expect(names()).toEqual(["db-0", "db-1"]);
  clock.advance(2_500);
  expect(names()).toEqual(["db-0"]);
});

test("what a deleted Deployment owned goes with it", () => {
  cluster.api.create({ resource: kinds.deployments, namespace }, deployment("web", 2));
  clock.advance(4_000);
  cluster.api.delete({ resource: kinds.deployments, namespace, name: "web" });
  clock.advance(3_000);
  expect([cluster.store.list(kinds.replicaSets, namespace), pods()]).toEqual([[], []]);
});

test("an invalid pod template affects no other object, and an event says why", () => {
  const bad = deployment("bad", 1);
  cluster.api.create(
    { resource: kinds.deployments, namespace },
    { ...bad, spec: { ...bad.spec, template: { metadata: { labels: { app: "bad" } }, spec: {} } } },
  );
  cluster.api.create({ resource: kinds.deployments, namespace }, deployment("good", 1));
  clock.advance(4_000);
  expect(phases()).toEqual(["Ready"]);
  const failures = cluster.store.list(kinds.events, namespace).filter((event) => event["reason"] === "FailedCreate");
  expect(failures[0]?.["message"]).toContain("spec.containers: Required value");
});

test("a restored cluster continues with its pods", async () => {
  cluster.api.create({ resource: kinds.deployments, namespace }, deployment("web", 2));
  clock.advance(2_500);
  const before = pods().map(({ metadata }) => metadata.uid);
  const snapshot: unknown = JSON.parse(JSON.stringify(cluster.snapshot()));
  await cluster.close();
  running.clear();
  cluster = await startSimulatedCluster({
    clock,
    timing,
    runPod,
    snapshot: snapshot as { objects: KubernetesObject[] },
  });
  clock.advance(4_000);
  expect([phases(), running.size]).toEqual([["Ready", "Ready"], 2]);
  expect(pods().map(({ metadata }) => metadata.uid)).toEqual(before);
  scale(kinds.deployments, "web", 3);
  clock.advance(4_000);
  expect(new Set(pods().map(({ metadata }) => metadata.uid)).size).toBe(3);
});
