import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { asHpaKey, hpaKey } from "../../../lib/model/hpa-key";
import { planShares } from "../../../lib/readings/shares";

const target = { type: "AverageValue", averageValue: "5" };

const keyOf = (name: string) => (name.includes("/") ? asHpaKey(name) : hpaKey("shop", name));

/** HPAs by name or key, each with queries by name. */
function plan(hpas: Readonly<Record<string, readonly string[]>>, most?: number) {
  const all = Object.entries(hpas).map(([name, queries]) => ({
    key: keyOf(name),
    hpa: {
      metadata: { name, namespace: "shop" },
      spec: { metrics: queries.map((query) => ({ type: "External", external: { metric: { name: query }, target } })) },
    } as unknown as HorizontalPodAutoscaler,
  }));
  const shares = planShares(all, (metric) => (metric.external?.metric.name ?? "").split("+"), {
    ...(most !== undefined && { queries: most }),
  });
  const priorities = (name: string) =>
    (hpas[name] ?? []).map((_, index) => {
      const place = shares.admissionOf(keyOf(name), index);
      return "priority" in place ? place.priority : "refused";
    });
  return { priorities, wanted: shares.wanted };
}

test.each([
  {
    name: "each HPA's queries rank in the order of its metrics",
    hpas: { a: ["q1", "q2", "q3"], b: ["q4"] },
    most: undefined,
    expected: { a: [0, 1, 2], b: [0] },
  },
  {
    name: "a query that several ask has the rank of the HPA where it comes first",
    hpas: { heavy: ["q1", "q2", "q3"], small: ["q3"] },
    most: undefined,
    expected: { heavy: [0, 1, 0], small: [0] },
  },
  {
    name: "a metric of several queries waits for its last one, and each of them counts",
    hpas: { a: ["q1+q2+q3", "q4"], b: ["q2", "q5+q2"] },
    most: undefined,
    expected: { a: [2, 3], b: [0, 1] },
  },
  {
    name: "a metric is refused with any of its queries",
    hpas: { a: ["q1+q2+q3", "q2"], b: ["r1", "r2"] },
    most: 4,
    expected: { a: ["refused", 1], b: [0, 1] },
  },
  {
    name: "more HPAs than the limit, in a shard that is not split yet: each asks its first query all the same",
    hpas: { a: ["a1", "a2"], b: ["b1"], c: ["c1"] },
    most: 2,
    expected: { a: [0, "refused"], b: [0], c: [0] },
  },
  {
    name: "a query that an HPA repeats counts once",
    hpas: { a: ["q1", "q1", "q2", "q1"] },
    most: undefined,
    expected: { a: [0, 0, 1, 0] },
  },
  {
    name: "beyond the limit, equal shares, and what the small one leaves goes to the others",
    hpas: { a: ["a1", "a2", "a3", "a4"], b: ["b1", "b2", "b3", "b4"], small: ["s1"] },
    most: 7,
    expected: { a: [0, 1, 2, "refused"], b: [0, 1, 2, "refused"], small: [0] },
  },
  {
    name: "a shared query beyond one HPA's share is asked for the other",
    hpas: { a: ["a1", "a2", "q"], b: ["q", "b2", "b3"] },
    most: 4,
    expected: { a: [0, 1, 0], b: [0, 1, "refused"] },
  },
  { name: "exactly at the limit", hpas: { a: ["a1", "a2"] }, most: 2, expected: { a: [0, 1] } },
])("$name", ({ hpas, most, expected }) => {
  const { priorities } = plan(hpas, most);
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, priorities(name)]))).toEqual(expected);
});

test("1,000 HPAs, some with 100 queries: never more than the limit, and every HPA's first query is asked", () => {
  const hpas = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [
      `h${index}`,
      Array.from({ length: index % 10 === 0 ? 100 : 1 }, (_, query) => `q${index}-${query}`),
    ]),
  );
  const { priorities } = plan(hpas);
  const asked = Object.keys(hpas).flatMap((name) => priorities(name).filter((priority) => priority !== "refused"));
  expect(asked.length).toBeLessThanOrEqual(5_000);
  expect(asked.length).toBeGreaterThan(4_800);
  expect(asked.filter((priority) => priority === 0)).toHaveLength(1_000);
});

test("an HPA wants room for its queries, and for no more than the smallest shard has for it", () => {
  const queries = (name: string, count: number) => Array.from({ length: count }, (_, query) => `${name}-${query}`);
  expect(plan({ a: queries("a", 10), b: ["q1", "q1", "q2"] }).wanted).toBe(12);
  expect(plan({ a: queries("a", 50), b: queries("b", 51), c: queries("c", 6_000) }).wanted).toBe(150);
  expect(plan({}).wanted).toBe(0);
});

test("a team's 900 HPAs of ten queries cost a neighbour's three of 100 queries none", () => {
  const queries = (name: string, count: number) => Array.from({ length: count }, (_, query) => `${name}-${query}`);
  const crowd = Array.from({ length: 900 }, (_, index) => [`crowd/h${index}`, queries(`h${index}`, 10)] as const);
  const overlapping = ["n/a", "n/b", "n/c"].map((key) => [key, queries(key, 100)] as const);
  const { priorities } = plan(Object.fromEntries([...crowd, ...overlapping]));
  for (const [key] of overlapping) expect(priorities(key)).not.toContain("refused");
  const left = crowd.map(([key]) => priorities(key).filter((priority) => priority !== "refused").length);
  expect([Math.min(...left), Math.max(...left)]).toEqual([5, 6]);
});

test("a query that two teams ask is read for both, if the share of one holds it", () => {
  const five = (name: string) => Array.from({ length: 5 }, (_, query) => `${name}-${query}`);
  const { priorities } = plan(
    { "crowd/a": [...five("a"), "both"], "crowd/b": [...five("b"), "b-5"], "n/c": ["both"] },
    11,
  );
  expect([priorities("n/c"), priorities("crowd/a").at(-1), priorities("crowd/b").at(-1)]).toEqual([[0], 0, "refused"]);
});
