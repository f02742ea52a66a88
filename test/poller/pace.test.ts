import fc from "fast-check";
import { asHpaKey } from "../../lib/model/hpa-key";
import { paceOf, type PacedQuery } from "../../lib/poller/pace";

/** September has 30 days: 2,592,000 s. */
const now = Date.parse("2026-09-01T00:00:00Z");
const price = 0.4e-6;
const budget = { perMonth: 20, perSecondRunning: 8.8 / 2_592_000 };
const nothing = { now, spending: { month: "2026-09", spent: 0 }, rotation: 0 };

interface Asked {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly periodSeconds?: number;
  readonly price?: number;
  readonly keepMs?: number;
}

/** Queues of HPAs with one each. */
function queues(count: number, { cluster = "a", namespace = "shop", periodSeconds = 15, ...more }: Asked = {}) {
  return Array.from({ length: count }, (_, index): PacedQuery => {
    const key = asHpaKey(`${namespace}/h${index}`);
    return {
      ...{ id: `${cluster} ${key}`, keepMs: 0, price, ...more },
      cluster: { name: cluster, periodMs: periodSeconds * 1_000 },
      readers: [{ id: { key } }],
    };
  });
}

const paced = (asked: readonly PacedQuery[], more: Partial<typeof nothing> = {}) =>
  paceOf(asked, budget, { ...nothing, ...more });
/** How many are read, and the shortest and the longest interval, in s. */
const shown = (asked: readonly PacedQuery[], more: Partial<typeof nothing> = {}) => {
  const { intervals } = paced(asked, more);
  const all = asked.flatMap(({ id }) => intervals.get(id) ?? []);
  return [all.length, ...[Math.min(...all), Math.max(...all)].map((ms) => Math.round(ms / 100) / 10)];
};
const dollarsPerSecond = (asked: readonly PacedQuery[], intervals: ReadonlyMap<string, number>) =>
  asked.reduce((sum, { id, price }) => sum + (price * 1_000) / (intervals.get(id) ?? Infinity), 0);

test.each<[string, readonly PacedQuery[], readonly number[]]>([
  ["what costs nothing", queues(2_000, { price: 0 }), [2_000, 1, 1]],
  ["10 queues", queues(10), [10, 1, 1]],
  ["100 queues", queues(100), [100, 9.3, 9.3]],
  [
    "1,000 queues: those that are read at all are read more often than their slots come",
    queues(1_000),
    [121, 11.2, 11.2],
  ],
  ["1,000 queues whose slots come each hour", queues(1_000, { periodSeconds: 3_600 }), [1_000, 92.6, 92.6]],
  ["readings that are kept for 10 s", queues(100, { keepMs: 10_000 }), [100, 10, 10]],
])("%s", (_name, asked, expected) => {
  expect(shown(asked)).toEqual(expected);
});

test.each([
  ["of another cluster", { cluster: "zzz" }],
  ["of another namespace", { namespace: "zzz" }],
])("one tenant's 500 queues leave a neighbour's 3 %s in every poll", (_where, neighbour) => {
  const [crowd, few] = [queues(500), queues(3, neighbour)];
  for (const asked of [
    [...crowd, ...few],
    [...few, ...crowd],
  ]) {
    const { intervals } = paced(asked);
    expect(few.map(({ id }) => intervals.get(id))).toEqual([1_000, 1_000, 1_000]);
    expect(dollarsPerSecond(asked, intervals) * 2_592_000).toBeCloseTo(11.2, 0);
  }
});

test("those of a crowd that are read take turns", () => {
  const crowd = queues(1_000);
  const read = new Set<string>();
  for (let rotation = 0; rotation < 20; rotation++)
    for (const id of paced(crowd, { rotation }).intervals.keys()) read.add(id);
  expect(read.size).toBe(1_000);
});

test("nobody slows down a neighbour's query by asking it, too", () => {
  const [mine] = queues(1, { namespace: "mine" });
  const crowd = queues(500, { namespace: "crowd" });
  if (mine === undefined) throw new Error("expected one");
  const readers = [...crowd.flatMap((query) => query.readers), ...mine.readers];
  const { intervals } = paced([{ ...mine, readers }, ...crowd]);
  expect(intervals.get(mine.id)).toBe(1_000);
});

test("a query of a hundred HPAs is paid for once", () => {
  const [first] = queues(1);
  const asked = { ...first!, readers: queues(100).flatMap(({ readers }) => readers) };
  expect(shown([asked])).toEqual([1, 1, 1]);
  expect(shown([asked, ...queues(20, { namespace: "other" })])).toEqual([21, 1, 2]);
});

test("an expensive reading does not slow down the cheap ones beside it", () => {
  const asked = [...queues(3), ...queues(3, { namespace: "metrics", price: 0.4e-4 })];
  const { intervals } = paced(asked);
  expect(asked.slice(0, 3).map(({ id }) => intervals.get(id))).toEqual([1_000, 1_000, 1_000]);
});

test("whatever is asked, what is read costs no more than the budget, and each is read in less than its period", () => {
  const some = fc.record({
    count: fc.integer({ min: 1, max: 60 }),
    cluster: fc.constantFrom("a", "b"),
    periodSeconds: fc.constantFrom(15, 60, 600),
    price: fc.constantFrom(0, price, 2 * price, 0.4e-4),
    keepMs: fc.constantFrom(0, 5_000),
  });
  fc.assert(
    fc.property(fc.array(some, { maxLength: 6 }), fc.nat({ max: 1_000 }), (groups, rotation) => {
      const asked = groups.flatMap(({ count, ...more }, index) => queues(count, { ...more, namespace: `n${index}` }));
      const { intervals, isSlowed } = paced(asked, { rotation });
      expect(dollarsPerSecond(asked, intervals)).toBeLessThanOrEqual(11.2 / 2_592_000 + 1e-11);
      for (const { id, keepMs, cluster } of asked) {
        const interval = intervals.get(id) ?? 1_000;
        expect(interval).toBeGreaterThanOrEqual(intervals.has(id) ? Math.max(1_000, keepMs) : 0);
        expect(interval).toBeLessThanOrEqual(cluster.periodMs * 0.75 + 1e-6);
        if (!isSlowed) expect(interval).toBe(Math.max(1_000, keepMs));
      }
    }),
  );
});

test("what is left of the month's budget is spread over what is left of the month", () => {
  const spending = { month: "2026-09", spent: 10 };
  const halfway = Date.parse("2026-09-16T00:00:00Z");
  expect(shown(queues(100), { now: halfway, spending })).toEqual([100, 9.3, 9.3]);
  const saved = { month: "2026-09", spent: 1 };
  expect(shown(queues(100), { now: halfway, spending: saved })).toEqual([100, 3.6, 3.6]);
});

test("a budget that is spent, or pays for no more than running, reads nothing", () => {
  const spent = { month: "2026-09", spent: 20 };
  expect(paced(queues(1, { price: 0 }), { spending: spent })).toEqual({ intervals: new Map(), isSlowed: true });
  const runningAlone = { ...budget, perMonth: 8.8 };
  expect(paceOf(queues(1), runningAlone, nothing).intervals.size).toBe(0);
});

test("at the month's end, what is left may be spent at once", () => {
  const end = Date.parse("2026-09-30T23:59:59.9Z");
  expect(shown(queues(100), { now: end, spending: { month: "2026-09", spent: 19.99 } })).toEqual([100, 1, 1]);
});
