import { planOwnWakes } from "../../lib/scheduler/plan-wakes";

const noon = Date.parse("2026-03-01T12:00:00Z");
const minuteMs = 60_000;

const shardOf = (shorterPeriods: Readonly<Record<string, number>>, to: string | null = null) => ({
  ...{ cluster: "prod", from: "", to },
  shorterPeriods,
});

/** Seconds of 12:01 at which the HPA is synced by a wake; the tick of 12:00 fires 8 s late. */
function wakesOf(seconds: number, periodMs: number, key = "shop/orders"): readonly number[] {
  const planned = planOwnWakes(shardOf({ [key]: seconds }), periodMs, noon, noon + 8_000);
  return planned.map(({ message }) => (message.at - noon - minuteMs) / 1_000).sort((a, b) => a - b);
}

describe("the wakes of an HPA with a shorter period", () => {
  test("5 s between slots of 15 s: two a slot", () => {
    expect(wakesOf(5, 15_000)).toEqual([5, 10, 20, 25, 35, 40, 50, 55]);
  });

  test.each([
    [1, 15_000],
    [2, 15_000],
    [4, 15_000],
    [7, 15_000],
    [10, 15_000],
    [14, 15_000],
    [20, 60_000],
    [3, 10_000],
    [45, 60_000],
    [59, 60_000],
  ])("of %d s in slots of %d ms: as few as it needs, and no two syncs further than that", (seconds, periodMs) => {
    for (const key of ["shop/orders", "shop/mail", "team/a", "team/b", "ops/c"]) {
      const slots = Array.from({ length: minuteMs / periodMs + 1 }, (_, index) => (index * periodMs) / 1_000);
      const wakes = wakesOf(seconds, periodMs, key);
      const syncs = [...slots, ...wakes].sort((a, b) => a - b);
      const gaps = syncs.slice(1).map((at, index) => at - (syncs[index] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(seconds);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1);
      expect(wakes).toHaveLength((minuteMs / periodMs) * (Math.ceil(periodMs / 1_000 / seconds) - 1));
    }
  });

  test("1 s between slots of an hour: those of the minute, and no others", () => {
    expect(wakesOf(1, 3_600_000)).toEqual(Array.from({ length: 60 }, (_, second) => second));
    const inMinute = (minute: number) => {
      const planned = planOwnWakes(shardOf({ "shop/orders": 7 }), 3_600_000, noon + minute * minuteMs, noon);
      return planned.map(({ message }) => (message.at - noon) / 1_000);
    };
    const wakes = Array.from({ length: 59 }, (_, minute) => inMinute(minute)).flat();
    expect(wakes.slice(1).map((at, index) => at - (wakes[index] ?? 0))).toEqual(wakes.slice(1).map(() => 7));
  });

  test("HPAs of one period are spread, as far as the period allows", () => {
    const keys = Array.from({ length: 40 }, (_, index) => `shop/h${index}`);
    const first = keys.map((key) => wakesOf(10, 15_000, key)[0]);
    expect(new Set(first)).toEqual(new Set([5, 6, 7, 8, 9, 10]));
  });

  test("a message for each namespace and moment, with its delay and its end", () => {
    const shard = shardOf({ "shop/orders": 5, "shop/mail": 5, "team/a": 5 });
    const planned = planOwnWakes(shard, 15_000, noon, noon + 8_400);
    expect(planned).toHaveLength(16);
    expect(planned[0]).toEqual({
      message: {
        ...{ cluster: "prod", namespace: "shop", names: ["orders", "mail"] },
        ...{ at: noon + 65_000, until: noon + 75_000 },
      },
      delaySeconds: 57,
    });
  });

  test("with slots longer than a minute, each minute gets its own wakes, within what a queue can delay", () => {
    const planned = planOwnWakes(shardOf({ "shop/orders": 60 }), 3_600_000, noon + 30 * minuteMs, noon + 30 * minuteMs);
    expect(planned.map(({ message, delaySeconds }) => [message.at, message.until, delaySeconds])).toEqual([
      [noon + 31 * minuteMs, noon + 60 * minuteMs, 60],
    ]);
  });

  test("a late tick leaves out what is over", () => {
    const planned = planOwnWakes(shardOf({ "shop/orders": 5 }), 15_000, noon, noon + minuteMs + 41_000);
    expect(planned.map(({ message }) => message.at - noon - minuteMs)).toEqual([50_000, 55_000]);
  });

  test("keys of another shard, from before a split, are that one's", () => {
    expect(planOwnWakes(shardOf({ "shop/orders": 5, "team/a": 5 }, "team/"), 15_000, noon, noon)).toHaveLength(8);
    expect(planOwnWakes({ cluster: "prod", from: "", to: null }, 15_000, noon, noon)).toEqual([]);
  });
});
