import type { HpaResult, HpaTask } from "../../../lib/sync/hpa/hpa-result";
import { asHpaKey } from "../../../lib/model/hpa-key";
import type { Shard } from "../../../lib/model/stored/shard";
import { countFailing, countUnsynced } from "../../../lib/sync/slot/count-failing";
import { periodMs, slotAt } from "../sync-fixture";

describe("a slot's own count", () => {
  const [slot, minuteMs] = [slotAt(100), 60_000];
  const limits = { afterMs: minuteMs, untilMs: 5 * minuteMs };
  const warning = (reason: string) => ({ type: "Warning", reason, message: "m" }) as const;
  const shard: Shard = {
    ...{ cluster: "prod", from: "shop/", to: "shop0", version: 1, slot: slot - periodMs, heartbeat: slot - periodMs },
    ...{ behind: { "shop/web": slot - 2 * minuteMs }, entries: 1 },
  };
  interface Given {
    readonly key?: string;
    readonly kept?: ReturnType<typeof warning>;
    readonly since?: number;
    /** Absent: it rests. */
    readonly result?: { readonly recorded: boolean; readonly warnings: readonly ReturnType<typeof warning>[] };
  }
  const failureOf = ({ key: text = "shop/web", kept, since, result }: Given, brokenStates = {}) => {
    const key = asHpaKey(text);
    const state = { ...(kept && { warnings: [kept] }), ...(since !== undefined && { failingSince: since }) };
    const task = { key, entry: {}, state } as unknown as HpaTask;
    const results = result === undefined ? [] : [{ key, ...result } as unknown as HpaResult];
    return countFailing({ shard, limits, slot, now: slot, brokenStates }, { tasks: [task], resting: [] }, results);
  };
  const since = slot - minuteMs;

  test("names the newest failure of an HPA, however old the first one is", () => {
    const [old, found] = [warning("Old"), warning("New")];
    const reasonOf = (given: Given) => failureOf({ since, ...given }).fresh.map((one) => one.warning.reason);
    expect(reasonOf({ kept: old })).toEqual(["Old"]);
    expect(reasonOf({ kept: old, result: { recorded: true, warnings: [found] } })).toEqual(["New"]);
    expect(reasonOf({ kept: old, result: { recorded: true, warnings: [] } })).toEqual([]);
    const lost = { recorded: false, warnings: [] };
    expect(failureOf({ kept: old, since, result: lost })).toMatchObject({ count: 1, fresh: [] });
    expect(reasonOf({})).toEqual([]);
  });

  test("of an HPA that was not recorded begins when it was seen last, and says why if anything is known", () => {
    const behind = { ...shard, slot: slot - 2 * minuteMs };
    const tasks = (kept?: ReturnType<typeof warning>) =>
      [{ key: asHpaKey("shop/web"), entry: {}, state: kept && { warnings: [kept] } }] as unknown as HpaTask[];
    const lost = (kept?: ReturnType<typeof warning>, warnings: readonly object[] = []) =>
      countFailing({ shard: behind, limits, slot, now: slot, brokenStates: {} }, { tasks: tasks(kept), resting: [] }, [
        { key: asHpaKey("shop/web"), recorded: false, warnings } as unknown as HpaResult,
      ]).fresh;
    const begun = { key: "shop/web", since: slot - 2 * minuteMs };
    expect(lost()).toEqual([
      {
        ...begun,
        warning: { type: "Warning", reason: "NotRecorded", message: "no sync of it was recorded in the table" },
      },
    ]);
    expect(lost(warning("Kept"))).toEqual([{ ...begun, warning: warning("Kept") }]);
    expect(lost(warning("Kept"), [warning("Found")])).toEqual([{ ...begun, warning: warning("Found") }]);
  });

  test.each([
    ["a moment before", minuteMs - 1, 0],
    ["from", minuteMs, 1],
    ["until a moment before", 5 * minuteMs - 1, 1],
    ["no more from", 5 * minuteMs, 0],
  ])("counts it %s its limit", (_when, failedMs, count) => {
    expect(failureOf({ kept: warning("A"), since: slot - failedMs }).count).toBe(count);
    expect(countUnsynced({ shard: { ...shard, heartbeat: slot - failedMs }, limits, slot }, 1)).toBe(count);
  });

  test("has only what is in the shard", () => {
    expect(failureOf({ key: "mail/web", kept: warning("A"), since })).toEqual({ count: 0, fresh: [] });
    const brokenStates = { "shop/a": "x", "mail/a": "x" };
    expect(failureOf({}, brokenStates).count).toBe(1);
  });
});
