import { dayMs, minuteMs } from "../../lib/k8s/time";
import { asHpaKey } from "../../lib/model/hpa-key";
import {
  blockMs,
  blockOf,
  columnsOf,
  flagsOf,
  type HistorySample,
  type RosterHpa,
} from "../../lib/model/stored/history";
import { bucketsOf, readSeries } from "../../lib/read/history";
import { openHistory } from "../../lib/table/history";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";
import { memoryTable, type Request } from "../faults/world/memory-table";

const { signal } = new AbortController();
const key = asHpaKey("shop/web");
const now = Date.parse("2026-03-15T14:20:00Z");
const spec: RosterHpa = { target: { kind: "Deployment", name: "web" }, minReplicas: 0, maxReplicas: 10, metrics: [] };
const sample = (current: number, flags = 0): HistorySample => ({
  ...{ current, desired: current, recommended: current, stabilized: current, flags, conditions: 0 },
  metrics: [{ value: current * 2, averageValue: null }],
});

/** Two weeks in which the size changes every minute. */
async function twoWeeks() {
  const requests: string[] = [];
  const table = memoryTable({ now: () => now });
  const execute: typeof table.execute = (request: Request) => {
    requests.push(request.action);
    return table.execute(request);
  };
  const history = openHistory(
    { client: memoryDynamodb({ ...table, execute }), name: memoryTableName },
    { now: () => now, days: 14 },
  );
  const packed = blockOf(now);
  const blocks = Array.from({ length: (14 * dayMs) / blockMs }, (_, index) => {
    const start = packed - (index + 1) * blockMs;
    const at = (minute: number) => start + minute * minuteMs;
    return {
      key,
      start,
      points: Array.from({ length: 180 }, (_, one) => ({ at: at(one), sample: sample(one), spec })),
    };
  });
  await history.putBlocks("prod", blocks, signal);
  const shard = { cluster: "prod", from: "", to: null };
  const { hash } = await history.putRoster(shard, new Map([[key, spec]]), undefined, signal);
  let last: { from: string; slot: number }[] = [];
  for (let slot = packed; slot < now; slot += minuteMs) {
    const columns = columnsOf([sample((slot - packed) / minuteMs)]);
    await history.putMinute(shard, { slot, roster: hash, previous: last, columns, known: undefined }, signal);
    last = [{ from: "", slot }];
  }
  requests.length = 0;
  const whole = { ...shard, version: 1, slot: now, heartbeat: now, behind: {}, entries: 1 };
  const store = { shardsOf: () => Promise.resolve([{ ...whole, history: { last, packed, seen: now } }]) };
  const read = (since: number) => readSeries({ store, history }, { cluster: "prod", key, since, until: now }, signal);
  return { requests, read };
}

test.each([
  ["a day", dayMs],
  ["two weeks", 14 * dayMs],
])("%s of minutes takes few requests, and none is missing", async (_name, ms) => {
  const { requests, read } = await twoWeeks();
  const { points, until, isKept } = await read(now - ms);
  expect([points.length, points[0]?.at, until, isKept]).toEqual([ms / minuteMs, now - ms, now, true]);
  expect(points.every(({ sample: found }) => found !== null)).toBe(true);
  expect(requests.length).toBeLessThanOrEqual(30);
});

test("what a block does not begin with is in the one before", async () => {
  const history = openHistory({ client: memoryDynamodb(), name: memoryTableName }, { now: () => now, days: 14 });
  const [first, second] = [blockOf(now) - 2 * blockMs, blockOf(now) - blockMs];
  const change = second + 100 * minuteMs;
  const blocks = [
    { key, start: first, points: [{ at: first, sample: sample(1), spec }] },
    { key, start: second, points: [{ at: change, sample: sample(2), spec }] },
  ];
  await history.putBlocks("prod", blocks, signal);
  const shard = { cluster: "prod", from: "", to: null, version: 1, slot: now, heartbeat: now, behind: {}, entries: 1 };
  const record = { last: [], packed: blockOf(now), seen: now };
  const store = { shardsOf: () => Promise.resolve([{ ...shard, history: record }]) };
  const since = second + 50 * minuteMs;
  const { points } = await readSeries({ store, history }, { cluster: "prod", key, since, until: now }, signal);
  expect(points.map(({ at, sample: found }) => [at, found?.current])).toEqual([
    [since, 1],
    [change, 2],
  ]);
});

test("a bucket has the least, the mean over time and the most of what is known in it", () => {
  const points = [
    { at: 0, sample: sample(2) },
    { at: 30, sample: sample(6, flagsOf(["rate"])) },
    { at: 40, sample: null },
    { at: 80, sample: sample(0) },
  ];
  const buckets = bucketsOf({ points, until: 120, isKept: true }, { since: 0, until: 160, count: 4 });
  expect(buckets.map(({ start, current }) => [start, current])).toEqual([
    [0, { min: 2, mean: 3, max: 6 }],
    [40, undefined],
    [80, { min: 0, mean: 0, max: 0 }],
    [120, undefined],
  ]);
  expect(buckets.map(({ flags }) => flags)).toEqual([flagsOf(["rate"]), 0, 0, 0]);
  expect(buckets[0]?.metrics).toEqual([{ min: 4, mean: 6, max: 12 }]);
});
