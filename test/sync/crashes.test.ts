import type { Cluster, Store } from "../../lib/model/ports";
import { fixture, periodMs, slotAt } from "./sync-fixture";

/**
 * A function may die between any two awaits. `dying` wraps the far ends so that at the n-th call the run is never heard
 * of again: the call either never reaches the far end, or takes effect without its answer coming back.
 */
function dying(far: { store: Store; cluster: Cluster }, n: number, effect: boolean) {
  let calls = 0;
  let die: () => void;
  const died = new Promise<"died">((resolve) => (die = () => resolve("died")));
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const method: unknown = Reflect.get(object, name);
        if (typeof method !== "function") return method;
        return async (...args: unknown[]): Promise<unknown> => {
          const dead = calls >= n;
          calls += 1;
          if (dead) return new Promise(() => {});
          if (calls < n) return (method as (...a: unknown[]) => Promise<unknown>).apply(object, args);
          if (effect) await (method as (...a: unknown[]) => Promise<unknown>).apply(object, args);
          die();
          return new Promise(() => {});
        };
      },
    });
  return { store: wrap(far.store), cluster: wrap(far.cluster), died };
}

/** Idle until it has gone to zero, then a burst, then idle again: every slot's depth. */
const depths = [50, 0, 0, 0, 0, 0, 0, 0, 50, 50, 50, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0];

async function live(crashes: { slot: number; call: number; effect: boolean } | undefined) {
  const day = fixture();
  let crashed = false;
  for (const [index, depth] of depths.entries()) {
    day.depth(depth);
    if (crashes?.slot === index) {
      const { store, cluster, died } = dying(day, crashes.call, crashes.effect);
      crashed = (await Promise.race([day.sync(index + 1, { store, cluster }), died])) === "died";
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
    const calls: string[] = [];
    const putScale: Cluster["putScale"] = async (target, scale, signal) => {
      calls.push("putScale");
      if (effect) await day.cluster.putScale(target, scale, signal);
      return new Promise(() => {});
    };
    const died = new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.race([day.sync(1, { cluster: { ...day.cluster, putScale } }), died]);
    expect(calls).toEqual(["putScale"]);
    expect(day.state()?.intent).toMatchObject({ from: 1, to: 5 });
    day.cluster.touch("shop/orders"); // its pods come up: the dead run's write can no longer land
    await day.sync(1, { afterMs: 14_000 }); // again within the same slot: at most one effect
    expect(day.replicasNow()).toBe(effect ? 5 : 1);
    await day.sync(2);
    expect(day.replicasNow()).toBe(5); // as it was found, or written now: it may have landed only just before
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
    const unanswered: Cluster["putScale"] = async (target, scale, signal) => {
      await day.cluster.putScale(target, scale, signal);
      return new Promise(() => {});
    };
    day.depth(45);
    const died = new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.race([day.sync(20, { cluster: { ...day.cluster, putScale: unanswered } }), died]);
    await day.sync(21);
    expect(day.replicasNow()).toBe(9);
    expect(day.state()?.history?.scaleUpEvents.map(({ change }) => change)).toEqual([4]);
    expect(day.state()?.history?.scaleUpEvents[0]?.at).toBeGreaterThanOrEqual(slotAt(20));
  });

  test("a zero whose run died is still ours to wake", async () => {
    const day = fixture();
    day.depth(0);
    for (let slot = 1; slot <= 4; slot++) await day.sync(slot);
    const putScale: Cluster["putScale"] = async (target, scale, signal) => {
      await day.cluster.putScale(target, scale, signal);
      return new Promise(() => {});
    };
    const cluster = { ...day.cluster, putScale };
    await Promise.race([day.sync(5, { cluster }), new Promise((resolve) => setTimeout(resolve, 20))]);
    await Promise.race([day.sync(6, { cluster }), new Promise((resolve) => setTimeout(resolve, 20))]);
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
    let wake = () => {};
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    const externalMetric: Cluster["externalMetric"] = async (query, signal) => {
      const answer = await day.cluster.externalMetric(query, signal);
      await asleep;
      return answer;
    };
    const old = day.sync(1, { cluster: { ...day.cluster, externalMetric } });
    await new Promise((resolve) => setImmediate(resolve));
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
