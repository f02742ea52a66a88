import type { HpaSpec, MetricSpec } from "../../lib/k8s/hpa";
import type { MetricSources } from "../../lib/model/ports/sources";
import { defaultOptions } from "../../lib/model/entry/options";
import { findWork } from "../../lib/poller/poll";
import { fixture, metricValue, queueSpec, sourceOf } from "./sync-fixture";

function on(name: string): MetricSpec {
  const target = { type: "AverageValue", averageValue: "5" };
  return { type: "External", external: { metric: { name, selector: { matchLabels: { q: name } } }, target } };
}
const spec: HpaSpec = { ...queueSpec, minReplicas: 0, metrics: [on("work")] };

/** An HPA on the metric "work", 5 a replica. `slots` syncs the next ones, and gives the sizes after them. */
function dayOf(zero: object, replicas = 3) {
  const day = fixture({ spec, replicas });
  let now: number | "?" = 0;
  const sources: MetricSources = {
    work: sourceOf(() =>
      now === "?" ? { error: "AccessDenied", from: "work" } : { items: [metricValue("work", now)] },
    ),
  };
  const document = (more: Readonly<Record<string, string>>) => ({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "shop", name: "orders", annotations: { "ebb.dev/zero": JSON.stringify(zero), ...more } },
    spec,
  });
  const annotate = (more: Readonly<Record<string, string>>) =>
    void day.store.documents.set("prod shop/orders", document(more));
  annotate({});
  let index = 0;
  const slots = async (...values: readonly (number | "?")[]) => {
    const sizes: unknown[] = [];
    for (const value of values) {
      now = value;
      await day.sync((index += 1), { sources, poller: { byDefault: true } });
      sizes.push(day.replicasNow());
    }
    return sizes;
  };
  return { ...day, slots, annotate };
}

test("zero comes `after` the last work, past the window, and is ours to wake", async () => {
  const day = dayOf({ after: "45s", from: 2 });
  expect(await day.slots(15, 15, 0, 0, 0, 0, 5)).toEqual([3, 3, 3, 3, 0, 0, 2]);
  expect(day.condition("ScaledToZero")?.status).toBe("False");
});

test("work is remembered with the writes that its beginning and its end make, and not in between", async () => {
  const day = dayOf({ after: "10m" }, 1);
  await day.slots(5);
  const versions = [day.state()?.version];
  for (const value of [5, 5, 5, 0, 0, 0]) {
    await day.slots(value);
    versions.push(day.state()?.version);
  }
  const [begun, , , last, ended, ...waiting] = versions.map((version) => (version ?? 0) - (versions[0] ?? 0));
  expect([begun, last]).toEqual([0, 0]);
  expect(new Set(waiting)).toEqual(new Set([ended]));
  expect(ended).toBe(1);
  expect(day.state()?.activity?.lastWork).toBeGreaterThan(0);
});

test("the last work is the last sync that saw it, though no sync wrote that down", async () => {
  const day = dayOf({ after: "30s" });
  expect(await day.slots(15, 15, 15, 15, 0, 0)).toEqual([3, 3, 3, 3, 3, 0]);
});

test("while the metric cannot be read, there is no zero; after it, at once", async () => {
  const day = dayOf({ after: "15s" });
  expect(await day.slots(15, "?", "?", "?", 0)).toEqual([3, 3, 3, 3, 0]);
});

test("a pause keeps the memory, and an entry that cannot be used as well", async () => {
  const day = dayOf({ after: "60s" });
  await day.slots(15, 15);
  day.annotate({ "ebb.dev/paused": "true" });
  await day.slots(0, 0);
  expect(day.state()?.activity).toEqual({ working: true });
  day.annotate({ "ebb.dev/zero": "no JSON" });
  await day.slots(0);
  expect(day.state()?.activity).toEqual({ working: true });
  day.annotate({});
  expect(await day.slots(0)).toEqual([0]);
});

test("the poller watches its zero, and wakes it for more than the activation", async () => {
  const day = dayOf({ after: "15s", from: 2 });
  day.annotate({ "ebb.dev/metric-rules": '{"work":{"activation":"3"}}' });
  expect(await day.slots(15, 15, 3, 3)).toEqual([3, 3, 0, 0]);
  const [idle] = Object.values(day.store.idleItems.get("prod ") ?? {});
  if (idle === undefined) throw new Error("expected the HPA among those at zero");
  const found = (value: number) => {
    const response = { items: [metricValue("work", value)], from: "work" };
    return findWork({ ...idle, options: defaultOptions }, { index: 0, response }, Date.parse("2026-03-01T12:00:00Z"));
  };
  expect([0, 3, 4].map(found)).toEqual(["none", "none", "certain"]);
  expect(await day.slots(4)).toEqual([2]);
});
