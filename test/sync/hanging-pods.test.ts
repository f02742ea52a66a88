/** @jest-environment node */
import { Fault } from "../../lib/model/fault";
import type { Cluster } from "../../lib/model/ports/cluster";
import { fixture, queueSpec } from "./sync-fixture";

beforeEach(() => void jest.useFakeTimers({ doNotFake: ["Date", "performance", "nextTick", "setImmediate"] }));
afterEach(() => void jest.useRealTimers());

const spec = { ...queueSpec, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };

/** Ten pods, which the queue does not need any more. */
function withIdlePods(annotations: Readonly<Record<string, string>>) {
  const day = fixture({ spec, replicas: 10 });
  day.store.documents.set("prod shop/orders", {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "shop", name: "orders", annotations },
    spec,
  });
  day.cluster.pods = Array.from({ length: 10 }, (_, index) => ({
    metadata: { name: `orders-${index}`, namespace: "shop", labels: { app: "orders" } },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  }));
  day.depth(0);
  return day;
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(new Fault("timeout", "no answer"))),
  );

test("pods that do not say whether they are busy are asked for five seconds: the slot goes on, and nothing shrinks", async () => {
  const day = withIdlePods({ "ebb.dev/busy": "http: :8080/busy", "ebb.dev/spare-busy": "true" });
  const cluster: Cluster = {
    ...day.cluster,
    getPod: async ({ pod }, signal) =>
      pod === "orders-0" ? { status: 200, headers: {}, body: Buffer.from("0") } : untilAborted(signal),
  };
  const synced = day.sync(1, { cluster });
  await jest.advanceTimersByTimeAsync(5_100);
  expect(await synced).toMatchObject({ outcome: "synced", behind: 0 });
  expect(day.replicasNow()).toBe(10);
  expect(day.condition("ScalingLimited")?.message).toContain("0 of 10 pods are busy, and 9 may be");
});

test("pods that are not listed leave time to decide that nothing shrinks", async () => {
  const day = withIdlePods({ "ebb.dev/busy": "annotation: busy", "ebb.dev/spare-busy": "true" });
  const cluster: Cluster = { ...day.cluster, listWorkers: (_query, signal) => untilAborted(signal) };
  const synced = day.sync(1, { cluster });
  await jest.advanceTimersByTimeAsync(15_000);
  expect(await synced).toMatchObject({ outcome: "synced", behind: 0 });
  expect(day.replicasNow()).toBe(10);
  expect(day.condition("ScalingLimited")?.message).toContain("no answer");
});
