import { Fault } from "../../../lib/model/fault";
import { asHpaKey } from "../../../lib/model/hpa-key";
import type { Idle, IdleRef } from "../../../lib/model/stored/idle";
import { writeIdleIndex } from "../../../lib/sync/slot/write-idle-index";
import { idleHpa } from "../../poller/world";

const minuteMs = 60_000;
const slot = 1_200_000;
const idle: Idle = { [asHpaKey("shop/a")]: idleHpa("a", "", {}), [asHpaKey("shop/b")]: idleHpa("b", "", {}) };
const names = (count: number) => Array.from({ length: count }, (_, index) => asHpaKey(`crowd/h${index}`));

interface Given {
  readonly idle?: Idle;
  readonly unpolled?: ReturnType<typeof names>;
  readonly before?: IdleRef | undefined;
  readonly at?: number;
  readonly putIdle?: () => Promise<ReturnType<typeof names>>;
}

async function show({
  idle: given = {},
  unpolled = [],
  before,
  at = slot,
  putIdle = () => Promise.resolve([]),
}: Given) {
  let writes = 0;
  const store = { putIdle: () => ((writes += 1), putIdle()) };
  const reports: { reason: string; message: string }[] = [];
  const reporter = {
    failed: ({ reason, message }: { reason: string; message: string }) => reports.push({ reason, message }),
  };
  const shard = { cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 2 };
  const mark = await writeIdleIndex({ store, reporter } as never, {
    shard: { ...shard, ...(before && { idle: before }) },
    ...{ idle: given, unpolled },
    message: { cluster: "prod", from: "", slot: at, until: at + 15_000 },
    context: { now: () => at, workedMs: () => 0, deadline: at + minuteMs, signal: new AbortController().signal },
  });
  return { mark, writes, reports };
}

test("a shard without idle HPAs has no item, and one whose HPAs are all too large has one that says so", async () => {
  expect(await show({})).toEqual({ mark: undefined, writes: 0, reports: [] });
  expect(await show({ unpolled: names(1) })).toMatchObject({ mark: { at: slot }, writes: 1 });
});

test("the same set is written once in ten minutes, and another one at once", async () => {
  const { mark: before } = await show({ idle });
  const later = (afterMs: number, more: Given = {}) => show({ idle, before, at: slot + afterMs, ...more });
  expect(await later(10 * minuteMs - 1)).toEqual({ mark: before, writes: 0, reports: [] });
  expect(await later(10 * minuteMs)).toMatchObject({ mark: { ...before, at: slot + 10 * minuteMs }, writes: 1 });
  for (const more of [
    { idle: {}, unpolled: names(1) },
    { idle: { [asHpaKey("shop/a")]: idle[asHpaKey("shop/b")]! } },
    { unpolled: names(1) },
  ])
    expect((await later(1, more)).mark?.hash).not.toBe(before?.hash);
});

test("HPAs that are too large to be watched are named, ten of them, once for each set", async () => {
  const what = (all: string) =>
    `expected the HPAs at zero of a shard to take little enough to be watched, these take more than their share: ${all} (a limit of ebb): their slots wake them; use fewer metrics, or sources with shorter parameters`;
  const reason = "IdleNotWatched";
  const ten = names(10).join(", ");
  expect((await show({ idle, unpolled: names(2) })).reports).toEqual([{ reason, message: what("crowd/h0, crowd/h1") }]);
  expect((await show({ idle, unpolled: names(10) })).reports).toEqual([{ reason, message: what(ten) }]);
  const { mark: before, reports } = await show({ idle, unpolled: names(12) });
  expect(reports).toEqual([{ reason, message: what(`${ten} and 2 more`) }]);
  const again = { idle, unpolled: names(12), before, at: slot + 20 * minuteMs };
  expect(await show(again)).toMatchObject({ writes: 1, reports: [] });
  expect((await show({ ...again, unpolled: names(13) })).reports).toHaveLength(1);
});

test("HPAs that do not fit into the item are named as well, once for each set", async () => {
  const what =
    "expected the HPAs at zero of a shard to fit into one item of the table, these do not fit beside the others";
  const putIdle = () => Promise.resolve(names(11));
  const { mark: before, reports } = await show({ idle, putIdle });
  const message = `${what}: ${names(10).join(", ")} and 1 more (a limit of ebb): their slots wake them; use fewer metrics, or sources with shorter parameters`;
  expect(reports).toEqual([{ reason: "IdleNotWatched", message }]);
  expect((await show({ idle, putIdle, before, at: slot + 20 * minuteMs })).reports).toEqual([]);
  expect((await show({ idle, unpolled: names(1), putIdle })).reports).toHaveLength(2);
});

test("a failed write is reported, and leaves the mark as it was; what is no fault is thrown", async () => {
  const before = { hash: "other", at: 1 };
  const failed = await show({ idle, before, putIdle: () => Promise.reject(new Fault("throttled", "no room")) });
  expect(failed).toEqual({ mark: before, writes: 1, reports: [{ reason: "IdleNotWritten", message: "no room" }] });
  await expect(show({ idle, putIdle: () => Promise.reject(new TypeError("no function")) })).rejects.toThrow(TypeError);
});
