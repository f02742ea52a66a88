import { paceOf, type PacedCluster } from "../../../lib/sync/watch/pace";

/** September has 30 days: 2,592,000 s. */
const now = Date.parse("2026-09-01T00:00:00Z");
const queue = 0.4e-6;
const budget = { perMonth: 20, perSecondRunning: 8.8 / 2_592_000 };
const nothing = { now, spending: { month: "2026-09", spent: 0 } };
const cluster = (name: string, queues: number, periodSeconds = 15): PacedCluster => ({
  ...{ cluster: name, price: queues * queue, periodMs: periodSeconds * 1000 },
});
const shown = ({ intervalMs, clusters }: ReturnType<typeof paceOf>) => [
  Math.round(intervalMs / 100) / 10,
  [...clusters].sort().join(" "),
];

test.each<[string, readonly PacedCluster[], number, string]>([
  ["nothing that costs anything", [cluster("a", 0)], 1, "a"],
  ["10 queues", [cluster("a", 10)], 1, "a"],
  ["100 queues", [cluster("a", 100)], 9.3, "a"],
  ["100 queues of two clusters", [cluster("a", 60), cluster("b", 40)], 9.3, "a b"],
  ["1,000 queues, whose slots come as often", [cluster("a", 1_000)], Infinity, ""],
  ["1,000 queues whose slots come each hour", [cluster("a", 1_000, 3_600)], 92.6, "a"],
  ["the first is left to its slots, for the other", [cluster("a", 1_000), cluster("b", 50, 600)], 4.6, "b"],
])("%s", (_name, clusters, interval, read) => {
  expect(shown(paceOf(clusters, budget, nothing))).toEqual([interval, read]);
});

test("what is left of the month's budget is spread over what is left of the month", () => {
  const spending = { month: "2026-09", spent: 10 };
  const halfway = Date.parse("2026-09-16T00:00:00Z");
  expect(shown(paceOf([cluster("a", 100)], budget, { now: halfway, spending }))).toEqual([9.3, "a"]);
  const saved = { month: "2026-09", spent: 1 };
  expect(shown(paceOf([cluster("a", 100)], budget, { now: halfway, spending: saved }))).toEqual([3.6, "a"]);
});

test("a budget that is spent, or pays for no more than running, reads nothing", () => {
  const spent = { month: "2026-09", spent: 20 };
  expect(paceOf([cluster("a", 0)], budget, { now, spending: spent }).clusters.size).toBe(0);
  expect(paceOf([cluster("a", 1)], { ...budget, perMonth: 8.8 }, nothing).clusters.size).toBe(0);
});

test("at the month's end, what is left may be spent at once", () => {
  const end = Date.parse("2026-09-30T23:59:59.9Z");
  const spending = { month: "2026-09", spent: 19.99 };
  expect(shown(paceOf([cluster("a", 100)], budget, { now: end, spending }))).toEqual([1, "a"]);
});
