import type { Cluster } from "../../../lib/model/ports/cluster";
import type { Store } from "../../../lib/model/ports/store";
import { interrupted, stoppedAt } from "../../sync/interrupted";
import { fixture, periodMs, slotAt } from "../../sync/sync-fixture";

/** Idle until it has gone to zero, then a burst, then idle again: every slot's depth. */
const depths = [50, 0, 0, 0, 0, 0, 0, 0, 50, 50, 50, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0];

async function live(crashes: { slot: number; call: number; effect: boolean } | undefined) {
  const day = fixture();
  let crashed = false;
  for (const [index, depth] of depths.entries()) {
    day.depth(depth);
    if (crashes?.slot === index) {
      // A function may die between any two awaits: nobody wakes this one.
      const { store, cluster, stopped } = interrupted(day, crashes.call, crashes.effect);
      crashed = (await Promise.race([day.sync(index + 1, { store, cluster }), stopped])) === "stopped";
      if (crashed) await day.sync(index + 1, { afterMs: 5_000 }); // the message is delivered again
      continue;
    }
    await day.sync(index + 1);
  }
  return { day, crashed };
}

describe("a function dies at any call", () => {
  let killed = 0;
  const cases = [0, 5, 8, 9, 13].flatMap((slot) =>
    Array.from({ length: 10 }, (_, i) => i + 1).flatMap((call) =>
      [true, false].map((effect) => ({ slot, call, effect })),
    ),
  );

  test.each(cases)("slot $slot, call $call, effect $effect: bounds, rate, window and ownership hold", async (crash) => {
    const { day, crashed } = await live(crash);
    if (crashed) killed += 1;
    let previous = { at: -Infinity, to: 1 };
    for (const { from, to } of day.cluster.writes) {
      expect(to).toBeLessThanOrEqual(10);
      expect(to - from).toBeLessThanOrEqual(4); // four pods in 15 s
      expect(from).toBe(previous.to); // nobody else writes: each scale starts where the last one ended
      previous = { at: 0, to };
    }
    expect(day.replicasNow()).toBe(0); // the zero at the end is reached, and the one before was left again
    expect(day.condition("ScaledToZero")?.status).toBe("True");
    expect(Math.max(...day.cluster.writes.map(({ to }) => to))).toBeGreaterThanOrEqual(8);
    expect(day.state()?.intent).toBeUndefined();
    const up = day.cluster.writes.filter(({ from, to }) => to > from).reduce((sum, { from, to }) => sum + to - from, 0);
    expect(up).toBeLessThanOrEqual(4 + 10 + 4); // no scale is written twice
  });

  test("most of these runs do die before their end", () => {
    expect(killed).toBeGreaterThan(cases.length / 2);
  });
});

describe("the rate limit counts a scale whose run died", () => {
  test.each([true, false])("answer lost, effect %s", async (effect) => {
    const day = fixture();
    day.depth(50);
    const at = effect ? "afterEffect" : "beforeEffect";
    const { far: cluster, stopped, calls } = stoppedAt(day.cluster, "putScale", at);
    void day.sync(1, { cluster });
    await stopped;
    expect(calls()).toBe(1);
    expect(day.state()?.intent).toMatchObject({ from: 1, to: 5 });
    day.cluster.touch("shop/orders"); // its pods come up: the dead run's write can no longer land
    await day.sync(1, { afterMs: 14_000 }); // again within the same slot: at most one effect
    expect(day.replicasNow()).toBe(effect ? 5 : 1);
    await day.sync(2);
    expect(day.replicasNow()).toBe(5); // as it was found, or written now: it may have been applied only just before
    await day.sync(3);
    expect(day.replicasNow()).toBe(9);
    const events = day.state()?.history?.scaleUpEvents ?? [];
    expect(events.at(-1)).toEqual({ change: 4, at: slotAt(3) + 200 });
    expect(day.lines[0]).toBe(effect ? "1 → 5" : "1 → 5");
  });

  test("its event replaces an outdated one, as after a run that did not die", async () => {
    const day = fixture();
    day.depth(25);
    await day.sync(1); // 1 → 5
    await day.sync(2);
    const { far: cluster, stopped } = stoppedAt(day.cluster, "putScale", "afterEffect");
    day.depth(45);
    void day.sync(20, { cluster });
    await stopped;
    await day.sync(21);
    expect(day.replicasNow()).toBe(9);
    expect(day.state()?.history?.scaleUpEvents.map(({ change }) => change)).toEqual([4]);
    expect(day.state()?.history?.scaleUpEvents[0]?.at).toBeGreaterThanOrEqual(slotAt(20));
  });

  test("a zero whose run died is still ours to wake", async () => {
    const day = fixture();
    day.depth(0);
    for (let slot = 1; slot <= 4; slot++) await day.sync(slot);
    const { far: cluster, stopped } = stoppedAt(day.cluster, "putScale", "afterEffect");
    void day.sync(5, { cluster });
    await stopped;
    const next = stoppedAt(day.cluster, "putScale", "afterEffect");
    await Promise.race([day.sync(6, { cluster: next.far }), next.stopped]);
    expect(day.replicasNow()).toBe(0);
    day.depth(50);
    await day.sync(7);
    expect(day.replicasNow()).toBe(4);
  });
});

describe("a function that is paused and wakes up", () => {
  test("before its announcement: finds its slot over and writes nothing", async () => {
    const day = fixture();
    day.depth(50);
    const { far: cluster, stopped, wake } = stoppedAt(day.cluster, "externalMetric", "afterEffect");
    const old = day.sync(1, { cluster });
    await stopped;
    day.depth(5);
    await day.sync(2);
    wake();
    expect(await old).toMatchObject({ outcome: "fenced", scaled: 0 });
    expect(day.cluster.writes).toEqual([]);
    expect(day.state()?.intent).toBeUndefined();
  });

  test("after its announcement, with a stopped clock: sees the shard ahead, and withdraws its intent", async () => {
    const day = fixture();
    day.depth(50);
    let wake = () => {};
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    const frozen = slotAt(1) + 200;
    const store: Store = {
      ...day.store,
      putState: async (cluster, key, state, signal) => {
        const written = await day.store.putState(cluster, key, state, signal);
        if (state.intent !== undefined) await asleep;
        return written;
      },
    };
    const old = day.sync(1, { store, now: () => frozen });
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    day.depth(5); // nothing to do any more
    await day.sync(2);
    expect(day.state()?.intent).toBeDefined(); // it could still land: neither counted nor dropped
    wake();
    expect(await old).toMatchObject({ outcome: "fenced", scaled: 0 });
    expect(day.cluster.writes).toEqual([]);
  });

  test("an entry that changed in between is not scaled by its old spec", async () => {
    const day = fixture();
    day.depth(50);
    const store: Store = {
      ...day.store,
      document: () => Promise.resolve({ changed: true }),
    };
    expect(await day.sync(1, { store })).toMatchObject({ scaled: 0, behind: 1 });
    expect(day.cluster.writes).toEqual([]);
    expect(day.state()?.intent).toBeUndefined();
  });
});

describe("a conflict on the scale", () => {
  test("only the target's status changed: the decision holds, under the new resourceVersion", async () => {
    const day = fixture();
    day.depth(50);
    let first = true;
    const putScale: Cluster["putScale"] = (target, scale, signal) => {
      if (first) day.cluster.touch("shop/orders");
      first = false;
      return day.cluster.putScale(target, scale, signal);
    };
    await day.sync(1, { cluster: { ...day.cluster, putScale } });
    expect(day.cluster.writes).toEqual([{ target: "shop/orders", from: 1, to: 5 }]);
    expect(day.state()).toMatchObject({ history: { scaleUpEvents: [{ change: 4 }] } });
    expect(day.state()?.intent).toBeUndefined();
  });

  test("somebody scaled meanwhile: that size stays, and the next sync decides again", async () => {
    const day = fixture();
    day.depth(50);
    let first = true;
    const putScale: Cluster["putScale"] = (target, scale, signal) => {
      if (first) {
        const found = day.cluster.scales.get("shop/orders");
        if (found !== undefined) found.replicas = 7;
        day.cluster.touch("shop/orders");
      }
      first = false;
      return day.cluster.putScale(target, scale, signal);
    };
    await day.sync(1, { cluster: { ...day.cluster, putScale } });
    expect(day.replicasNow()).toBe(7);
    expect(day.condition("AbleToScale")).toMatchObject({ status: "False", reason: "FailedUpdateScale" });
    await day.sync(2);
    expect(day.replicasNow()).toBe(10);
  });
});

test("slots are as long as the fixture says", () => expect(slotAt(2) - slotAt(1)).toBe(periodMs));
