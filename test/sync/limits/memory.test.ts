import type { HorizontalPodAutoscaler, MetricSpec } from "../../../lib/k8s/hpa";
import { asHpaKey, hpaKey } from "../../../lib/model/hpa-key";
import { planShares } from "../../../lib/readings/shares";
import { document, fixture, metricValue, queueSpec, sourceOf } from "../sync-fixture";

const target = { type: "AverageValue", averageValue: "5" } as const;

const keyOf = (name: string) => (name.includes("/") ? asHpaKey(name) : hpaKey("shop", name));

/** HPAs by name or key, each with the names of its metrics. "web:300" takes 300 bytes. */
function plan(hpas: Readonly<Record<string, readonly string[]>>, memory: number) {
  const all = Object.entries(hpas).map(([name, metrics]) => ({
    key: keyOf(name),
    hpa: {
      metadata: { name, namespace: "shop" },
      spec: {
        metrics: metrics.map((metric) => ({ type: "External", external: { metric: { name: metric }, target } })),
      },
    } as unknown as HorizontalPodAutoscaler,
  }));
  const objects = new Map<string, object>();
  const identified: string[] = [];
  const nameOf = ({ external }: MetricSpec) => external?.metric.name ?? "";
  const weigh = (metric: MetricSpec) => {
    const name = nameOf(metric);
    const of = objects.get(name) ?? {};
    objects.set(name, of);
    return { of, bytes: Number(name.split(":")[1] ?? 0) };
  };
  const identify = (metric: MetricSpec) => {
    identified.push(nameOf(metric));
    return [nameOf(metric)];
  };
  const shares = planShares(all, identify, { memory, weigh });
  const asked = (name: string) =>
    (hpas[name] ?? []).filter((_, index) => "priority" in shares.admissionOf(keyOf(name), index));
  return { asked, shares, identified };
}

test("each HPA's queries take an equal share of the memory, and the small one keeps all of its own", () => {
  const { asked } = plan({ a: ["a1:300", "a2:300", "a3:300"], b: ["b1:300", "b2:300"], c: ["c1:100"] }, 900);
  expect([asked("a"), asked("b"), asked("c")]).toEqual([["a1:300"], ["b1:300"], ["c1:100"]]);
});

test("what is left goes to those whose next query is the smallest", () => {
  const { asked } = plan({ a: ["a1:300", "a2:600"], b: ["b1:300", "b2:200"] }, 900);
  expect([asked("a"), asked("b")]).toEqual([["a1:300"], ["b1:300", "b2:200"]]);
});

test("if no share has room for a whole query, some HPAs ask theirs: always the same, in any order", () => {
  const hpas = { a: ["a1:300"], b: ["b1:300"], c: ["c1:300"] };
  const askedBy = (all: typeof hpas) => Object.keys(hpas).flatMap(plan(all, 700).asked);
  expect(askedBy(hpas)).toHaveLength(2);
  expect(askedBy({ c: hpas.c, b: hpas.b, a: hpas.a })).toEqual(askedBy(hpas));
});

test("a query that several ask takes its memory once", () => {
  const { asked } = plan({ a: ["q:600"], b: ["q:600"], c: ["q:600", "c1:300"] }, 900);
  expect([asked("a"), asked("b"), asked("c")]).toEqual([["q:600"], ["q:600"], ["q:600", "c1:300"]]);
});

test("a query that a team asks as well, whose share is full, is asked for its neighbour", () => {
  const crowd = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`crowd/h${index}`, [`own${index}:300`, `more${index}:300`]]),
  );
  const shared = ["shared:300"];
  const { asked } = plan({ "crowd/first": shared, ...crowd, "zzz/web": shared }, 1_000);
  expect(asked("zzz/web")).toEqual(shared);
  // It takes its memory once, so the team's HPA that asks the same has it, too.
  expect(asked("crowd/first")).toEqual(shared);
  expect(Object.keys(crowd).flatMap(asked)).toHaveLength(2);
});

test("within a team, a shared query stays the first one's, so no HPA loses its first metric", () => {
  const { asked } = plan({ a: ["q:300", "a1:300", "a2:300"], b: ["b1:200", "q:300"] }, 700);
  expect([asked("a"), asked("b")]).toEqual([["q:300"], ["b1:200", "q:300"]]);
});

test("metrics beyond an HPA's share are not even identified", () => {
  const many = Array.from({ length: 100 }, (_, index) => `m${index}:500`);
  const { asked, identified } = plan({ a: many, b: ["b1:100"] }, 1_000);
  expect(asked("a")).toEqual(["m0:500"]);
  expect(asked("b")).toEqual(["b1:100"]);
  expect(identified.length).toBeLessThan(5);
});

test("a refusal says how much there is, and the tick splits a shard of many", () => {
  const hpas = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`h${index}`, [`q${index}:10000`]]));
  const { shares } = plan(hpas, 2_000_000);
  expect(shares.wanted).toBeGreaterThan(5_000);
  expect(shares.admissionOf(hpaKey("shop", "h299"), 0)).toEqual({
    refused:
      "expected the queries of a shard's HPAs to take at most 1953 KB of memory, got 2929 KB or more: the share of " +
      "this HPA is its first 6 KB, and this query comes later (a limit of ebb): the next tick splits the shard",
  });
  const { shares: few } = plan({ a: ["q:9000"] }, 5_000);
  expect(few.wanted).toBeLessThanOrEqual(5_000);
  expect(few.admissionOf(hpaKey("shop", "a"), 0)).toHaveProperty(
    "refused",
    expect.stringMatching(/: make the parameters/),
  );
});

test("a stored source above its limit is named on the HPA that reads it, and its neighbour scales", async () => {
  const { store, sync, cluster, condition, replicasNow } = fixture();
  const metric = { type: "External", external: { metric: { name: "large" }, target } } as const;
  const key = "shop/large";
  cluster.add(key, 1);
  cluster.external.set("depth", [metricValue("depth", 15)]);
  const scaleTargetRef = { ...queueSpec.scaleTargetRef, name: "large" };
  store.documents.set(`prod ${key}`, document({ ...queueSpec, scaleTargetRef, metrics: [metric] }, key));
  const invalid = "spec.parameters.query: expected a document of at most 16384 bytes, got 20000";
  store.sourceEntries.set("prod large", { key: "large", invalid });
  await sync(1, { sources: { web: sourceOf(() => ({ items: [] })) } });
  expect(replicasNow()).toBe(3);
  expect(condition("ScalingActive")).toMatchObject({ status: "True" });
  const [, active] = store.stateItems.get(`prod ${key}`)?.status.conditions ?? [];
  expect(active).toMatchObject({
    ...{ type: "ScalingActive", status: "False", reason: "FailedGetExternalMetric" },
    message: expect.stringContaining(`source large: ${invalid}`) as unknown,
  });
});
