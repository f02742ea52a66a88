import type { Mishap } from "../../fakes/wire";
import { fixture, slotAt } from "../../sync/sync-fixture";

/** Idle until it has gone to zero, then a burst, then idle again: every slot's depth. */
const depths = [50, 0, 0, 0, 0, 0, 0, 0, 50, 50, 50, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0];

interface Case {
  readonly end: "store" | "cluster";
  readonly mishap: Mishap;
  readonly slot: number;
  /** Of the slot's writes to this end, which one. */
  readonly write: number;
}

/** A late write is applied four seconds after the next slot, when that has been handled. */
async function live({ end, mishap, slot, write }: Case) {
  const day = fixture();
  let hasHappened = false;
  let late: (() => Promise<void>) | undefined;
  for (const [index, depth] of depths.entries()) {
    day.depth(depth);
    const { mishaps } = day[end];
    const landing = index === slot ? mishaps.nextWrite(mishap, { skip: write }) : undefined;
    // A run that fails is delivered again.
    await day.sync(index + 1).catch(() => day.sync(index + 1, { afterMs: 5_000 }));
    if (landing === undefined) {
      day.clock.now = slotAt(index + 1) + 4_000;
      await late?.();
      late = undefined;
    } else if (landing.hasHappened) {
      hasHappened = true;
      if (mishap === "late") late = () => landing.land();
    } else {
      return { day, hasHappened: false }; // fewer writes than that: an ordinary day
    }
  }
  return { day, hasHappened };
}

describe("whichever write's answer is lost", () => {
  let happened = 0;
  const cases = (["store", "cluster"] as const).flatMap((end) =>
    (["answerLost", "unanswered", "requestLost", "late"] as const).flatMap((mishap) =>
      [0, 5, 8, 9, 13].flatMap((slot) =>
        Array.from({ length: end === "store" ? 5 : 2 }, (_, write): Case => ({ end, mishap, slot, write })),
      ),
    ),
  );

  test.each(cases)("$end, $mishap, slot $slot, write $write: bounds, rate and ownership hold", async (one) => {
    const { day, hasHappened } = await live(one);
    if (!hasHappened) return;
    happened += 1;
    let previous = 1;
    for (const { from, to } of day.cluster.writes) {
      expect(to).toBeLessThanOrEqual(10);
      expect(to - from).toBeLessThanOrEqual(4); // four pods in 15 s
      expect(from).toBe(previous); // nobody else writes: each scale starts where the last one ended
      previous = to;
    }
    expect(day.replicasNow()).toBe(0); // the zero at the end is reached, and the one before was left again
    expect(day.condition("ScaledToZero")?.status).toBe("True");
    expect(Math.max(...day.cluster.writes.map(({ to }) => to))).toBeGreaterThanOrEqual(8);
    expect(day.state()?.intent).toBeUndefined();
  });

  test("the mishaps do happen: most of these writes were made", () => {
    expect(happened).toBeGreaterThan(cases.length / 2);
  });
});
