import type { Shard } from "../../lib/model/stored/shard";
import { planSlots } from "../../lib/scheduler/tick";

const shard: Shard = { cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };
const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);
const plan = (periodSeconds: number, scheduledAt: string, now: string) =>
  planSlots(shard, periodSeconds * 1000, at(scheduledAt), at(now)).map(
    ({ message, delaySeconds }) => `${new Date(message.slot).toISOString().slice(11, 19)} +${delaySeconds}`,
  );

describe("the slots that a tick plans", () => {
  test.each([
    [
      "fired on time",
      15,
      "12:00:00",
      "12:00:00.200",
      ["12:01:00 +60", "12:01:15 +75", "12:01:30 +90", "12:01:45 +105"],
    ],
    [
      "fired at the end of its minute",
      15,
      "12:00:00",
      "12:00:59",
      ["12:01:00 +1", "12:01:15 +16", "12:01:30 +31", "12:01:45 +46"],
    ],
    [
      "delivered a minute late: what is over is left out",
      15,
      "12:00:00",
      "12:01:20",
      ["12:01:15 +0", "12:01:30 +10", "12:01:45 +25"],
    ],
    [
      "half of the slot under way is left: it is planned",
      3,
      "12:00:00",
      "12:01:55.500",
      ["12:01:54 +0", "12:01:57 +2"],
    ],
    ["less than half of it is left: it is not", 3, "12:00:00", "12:01:55.600", ["12:01:57 +2"]],
    ["delivered hours late: nothing", 15, "12:00:00", "15:00:00", []],
    ["a period over a minute has a slot in some minutes only", 300, "12:03:00", "12:03:01", []],
    ["and in this one", 300, "12:04:00", "12:04:01", ["12:05:00 +59"]],
    [
      "a period that does not divide the minute goes on across minutes",
      25,
      "12:00:10",
      "12:00:10",
      ["12:01:15 +65", "12:01:40 +90"],
    ],
    ["the longest period", 3600, "12:59:30", "12:59:30", ["13:00:00 +30"]],
  ])("%s", (...[, period, scheduledAt, now, expected]) => {
    expect(plan(period, scheduledAt, now)).toEqual(expected);
  });

  test("consecutive ticks cover every slot exactly once, whatever the period", () => {
    for (const period of [3, 7, 15, 40, 60, 90, 3600]) {
      const start = at("11:00:00");
      const slots = Array.from({ length: 120 }, (_, minute) => start + minute * 60_000).flatMap((scheduled) =>
        planSlots(shard, period * 1000, scheduled, scheduled).map(({ message }) => message.slot),
      );
      const first = Math.ceil((start + 60_000) / (period * 1000)) * period * 1000;
      const expected = [];
      for (let slot = first; slot < start + 121 * 60_000; slot += period * 1000) expected.push(slot);
      expect(slots).toEqual(expected);
    }
  });

  test("a message says when its slot ends", () => {
    const [first] = planSlots(shard, 15_000, at("12:00:00"), at("12:00:00"));
    expect(first?.message).toEqual({ cluster: "prod", from: "", slot: at("12:01:00"), until: at("12:01:15") });
  });
});
