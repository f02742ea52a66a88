/** @jest-environment node */
import type { Cluster } from "../../lib/model/ports/cluster";
import { Fault } from "../../lib/model/fault";
import { document, fixture, metricValue, queueSpec, slotAt, sourceOf } from "./sync-fixture";

beforeEach(() => void jest.useFakeTimers({ doNotFake: ["Date", "performance", "nextTick", "setImmediate"] }));
afterEach(() => void jest.useRealTimers());

const average = (name: string) => ({
  type: "External" as const,
  external: { metric: { name }, target: { type: "AverageValue", averageValue: "5" } },
});

/** The HPA "shop/hung": one of its metrics is never answered, and another one is one of ebb's own sources. */
function withHungMetric(jobs?: string) {
  const day = fixture();
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "hung" };
  const metrics = [average("hung"), ...(jobs === undefined ? [] : [average("jobs")])];
  day.store.documents.delete("prod shop/orders");
  day.store.documents.set("prod shop/hung", document({ ...queueSpec, scaleTargetRef, metrics }, "shop/hung"));
  day.cluster.add("shop/hung", 1);
  const cluster: Cluster = {
    ...day.cluster,
    externalMetric: (_query, signal) =>
      new Promise<never>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Fault("timeout", "adapter: no answer"))),
      ),
  };
  const sources = { jobs: sourceOf(() => ({ items: [metricValue("jobs", jobs ?? "0")] })) };
  return { day, cluster, sources, replicas: () => day.cluster.scales.get("shop/hung")?.replicas };
}

test("a metric that hangs is unavailable before the slot ends, and the HPA decides with the others", async () => {
  const { day, cluster, sources, replicas } = withHungMetric("20");
  const synced = day.sync(1, { cluster, sources });
  await jest.advanceTimersByTimeAsync(10_300);
  const before = replicas();
  await jest.advanceTimersByTimeAsync(300);
  expect([before, replicas()]).toEqual([1, 4]);
  expect(await synced).toMatchObject({ outcome: "synced", scaled: 1, behind: 0 });
});

test("and it does not shrink", async () => {
  const { day, cluster, sources, replicas } = withHungMetric("0");
  for (let slot = 1; slot <= 6; slot += 1) {
    const synced = day.sync(slot, { cluster, sources });
    await jest.advanceTimersByTimeAsync(15_000);
    expect(await synced).toMatchObject({ behind: 0 });
  }
  expect(replicas()).toBe(1);
});

describe("an HPA whose only metric hangs", () => {
  const sync = async (passes: number) => {
    const { day, cluster, sources } = withHungMetric();
    let now = slotAt(1) + 200;
    const synced = day.sync(1, { cluster, sources, now: () => now });
    await jest.advanceTimersByTimeAsync(0);
    for (let passed = 0; passed < 11_000; passed += 250) {
      now += passes;
      await jest.advanceTimersByTimeAsync(250);
    }
    return (await synced).behind;
  };

  test("decides without it", async () => {
    expect(await sync(250)).toBe(0);
  });

  test("is behind if the process stood still: nothing has failed", async () => {
    expect(await sync(2_000)).toBe(1);
  });
});

test("in a slot that begins late, the metric had too little time: the HPA is behind", async () => {
  const { day, cluster, sources, replicas } = withHungMetric("20");
  const synced = day.sync(1, { cluster, sources, afterMs: 10_000 });
  await jest.advanceTimersByTimeAsync(5_000);
  expect(await synced).toMatchObject({ behind: 1 });
  expect(replicas()).toBe(1);
});
