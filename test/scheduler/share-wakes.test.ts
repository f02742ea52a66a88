import { planOwnWakes, shareWakes } from "../../lib/scheduler/plan-wakes";

const noon = Date.parse("2026-03-01T12:00:00Z");
const periodMs = 60_000;

/** The wakes of these HPAs in a minute, with their periods in seconds, by cluster and key. */
const planOf = (clusters: Readonly<Record<string, Readonly<Record<string, number>>>>) =>
  function* () {
    for (const [cluster, shorterPeriods] of Object.entries(clusters))
      yield planOwnWakes({ cluster, from: "", to: null, shorterPeriods }, periodMs, noon, noon);
  };
const many = (count: number, key: (index: number) => string, seconds: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), seconds]));

function sentTo(plan: ReturnType<typeof planOf>, most: number, minute = 0) {
  const { wakes, cut } = shareWakes(plan, most, minute);
  const counts: Record<string, number> = {};
  for (const { message } of wakes)
    for (const name of message.names) {
      const id = `${message.cluster} ${message.namespace}/${name}`;
      counts[id] = (counts[id] ?? 0) + 1;
    }
  return { wakes, cut, counts };
}

test("with room for all, all are sent, as planned", () => {
  const plan = planOf({ prod: { "shop/a": 5, "shop/b": 20 }, test: { "shop/a": 30 } });
  const all = [...plan()].flat();
  expect(shareWakes(plan, all.length, 7)).toEqual({ wakes: all, cut: [] });
});

test("10,000 wakes for aaa leave zzz its own, and the other way round", () => {
  for (const [large, small] of [
    ["aaa", "zzz"],
    ["zzz", "aaa"],
  ] as const) {
    const plan = planOf({ [large]: many(300, (index) => `n${index}/h`, 2), [small]: { "shop/h": 2 } });
    const { counts, wakes, cut } = sentTo(plan, 1_000);
    expect(wakes).toHaveLength(1_000);
    expect(counts[`${small} shop/h`]).toBe(29);
    expect(cut).toEqual([{ cluster: large, wanted: 8_700, share: 971 }]);
  }
});

test("a namespace of many HPAs leaves another one of the cluster its own", () => {
  const plan = planOf({ prod: { ...many(59, (index) => `crowd/h${index}`, 1), "zzz/a": 6, "zzz/b": 10 } });
  const { counts } = sentTo(plan, 40);
  expect([counts["prod zzz/a"], counts["prod zzz/b"]]).toEqual([9, 5]);
});

test("an HPA of one second takes no wake of one of ten seconds in its namespace", () => {
  const plan = planOf({ prod: { "shop/fast": 1, "shop/slow": 10 } });
  const { counts } = sentTo(plan, 12);
  expect(counts).toEqual({ "prod shop/fast": 12, "prod shop/slow": 5 });
});

test("the wakes of an HPA that are sent are spread over the minute, and each is sent in some minute", () => {
  const plan = planOf({ prod: { "shop/a": 5 }, test: { "shop/b": 5 } });
  const moments = new Set<number>();
  for (let minute = 0; minute < 4; minute++) {
    const { wakes } = sentTo(plan, 6, minute);
    const at = wakes.filter(({ message }) => message.cluster === "prod").map(({ message }) => message.at - noon);
    expect(at).toHaveLength(3);
    for (const moment of at) moments.add(moment);
    const gaps = at.slice(1).map((moment, index) => moment - (at[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15_000);
  }
  expect(moments.size).toBe(11);
});

test("4,000 HPAs in namespaces of their own are planned a shard at a time", () => {
  let [shards, largest] = [0, 0];
  function* plan() {
    for (let shard = 0; shard < 4; shard++) {
      const shorterPeriods = many(1_000, (index) => `n${shard}-${index}/h`, 15);
      const wakes = planOwnWakes({ cluster: "prod", from: "", to: null, shorterPeriods }, periodMs, noon, noon);
      shards += 1;
      largest = Math.max(largest, wakes.length);
      yield wakes;
    }
  }
  const { wakes, cut } = shareWakes(plan, 10_000, 0);
  expect(wakes).toHaveLength(10_000);
  expect([shards, largest]).toEqual([8, 3_000]);
  expect(cut).toEqual([{ cluster: "prod", wanted: 12_000, share: 10_000 }]);
});
