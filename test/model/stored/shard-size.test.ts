import { limits } from "../../../lib/model/entry/limits";
import type { Shard } from "../../../lib/model/stored/shard";
import { fitTogether, loadsOfBoth, mostEntries, partOf } from "../../../lib/model/stored/shard-size";

const periodMs = 15_000;
const shard = (more: Partial<Shard> = {}): Shard => ({
  ...{ cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 200 },
  ...more,
});

test.each<[string, Partial<Shard>, number]>([
  ["nothing is known of", {}, 1_000],
  ["works for half of its period", { workedMs: 7_500 }, 1_000],
  ["works for twice as long", { workedMs: 15_000, entries: 900 }, 450],
  ["has too many queries", { queries: 4 * limits.queriesPerRun, entries: 800 }, 200],
  ["works for all of its period, and for more", { workedMs: 75_000 }, 100],
  ["works a little too long, and is too large anyway", { workedMs: 7_501, entries: 3_000 }, 1_000],
])("a shard that %s may have so many entries", (_what, more, expected) => {
  expect(mostEntries(shard(more), periodMs)).toBe(expected);
});

test("two shards have their loads together, as far as either knows any", () => {
  expect(loadsOfBoth(shard({ workedMs: 1, queries: 2 }), shard({ workedMs: 3, itemBytes: 4 }))).toStrictEqual({
    ...{ workedMs: 4, queries: 2, itemBytes: 4 },
  });
  expect(loadsOfBoth(shard(), shard())).toStrictEqual({});
});

test("a part has its share of the loads that are known", () => {
  const whole = shard({ workedMs: 1_001, itemBytes: 0 });
  expect(partOf(whole, 50, 200)).toStrictEqual({ ...whole, entries: 50, workedMs: 250 });
  const { itemBytes: _, ...rest } = whole;
  expect(partOf(rest, 200, 200)).toStrictEqual(rest);
});

test.each<[string, boolean, Shard, Shard | undefined]>([
  ["small", true, shard(), shard()],
  ["small, at half of what one may work", true, shard({ workedMs: 1_875 }), shard({ workedMs: 1_875 })],
  ["beyond that", false, shard({ workedMs: 1_875 }), shard({ workedMs: 1_876 })],
  ["large by what one of them knows", false, shard({ queries: limits.queriesPerRun }), shard()],
  ["499 entries", true, shard(), shard({ entries: 299 })],
  ["500 entries", false, shard(), shard({ entries: 300 })],
  ["of different slots", false, shard(), shard({ slot: 1 })],
  ["one alone", false, shard(), undefined],
])("two that are %s fit together: %s", (_what, expected, left, right) => {
  expect(fitTogether(left, right, periodMs)).toBe(expected);
});
