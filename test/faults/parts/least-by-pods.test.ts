import { leastByPods } from "../world/plain-reading";

/** Three pods of a target of half a core, each of which uses it, and what a story made of the first one's usage. */
const least = (usageOfFirst: unknown) => {
  const names = ["a", "b", "c"];
  const pods = names.map((name) => ({
    metadata: { name, labels: { app: "web" } },
    status: { conditions: [{ status: "True", lastTransitionTime: "2026-03-01T12:00:00Z" }] },
  }));
  const usage = (name: string, cpu: unknown = "500m") => ({
    ...{ metadata: { name }, timestamp: "2026-03-01T13:00:00Z" },
    containers: [{ usage: { cpu } }],
  });
  const meant = names.map((name) => usage(name));
  const seen = [usage("a", usageOfFirst), ...meant.slice(1)];
  return leastByPods({ pods: { seen: pods, meant: pods }, metrics: { seen, meant } }, "web", 500);
};

test.each([
  ["that is true counts", "500m", 3],
  ["that is no quantity counts for nothing", "none", 2],
  ["that is another one counts for nothing", "9", 2],
  ["below zero is added up, as upstream does: in thousandths", "-500m", 1],
  ["below zero is added up, as upstream does: in whole cores", -1, 0],
])("a usage %s", (_name, usage, expected) => {
  expect(least(usage)).toBeCloseTo(expected);
});
