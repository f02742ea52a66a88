import fc from "fast-check";
import { Fault } from "../../lib/api/errors";
import type { HpaSpec } from "../../lib/api/hpa";
import type { Cluster } from "../../lib/sync/ports";
import { interrupted } from "./interrupted";
import { fixture, periodMs, queueSpec, slotAt } from "./sync-fixture";

/**
 * Random days of one HPA, in which functions die, are paused for slots on end and wake up (with a clock that went on, or stood still), run
 * twice, and are not run at all. Whatever comes, the limits hold that the HPA's behavior sets: up by 4 in 30 s, down after 60 s.
 */
type Mishap =
  | { readonly kind: "none" | "missed" | "twice" | "again" | "blind" }
  | { readonly kind: "died"; readonly call: number; readonly effect: boolean; readonly again: boolean }
  | {
      readonly kind: "paused";
      readonly call: number;
      readonly effect: boolean;
      readonly slots: number;
      readonly clockStops: boolean;
    };

interface Slot {
  readonly depth: number;
  readonly mishap: Mishap;
}

interface Landing {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** The slot that it was decided in. */
  readonly slot: number;
  readonly late: boolean;
  /** By a run whose clock stood still: it counted its scale from a moment long past, as any far too slow clock does. */
  readonly clockStopped: boolean;
}

const spec: HpaSpec = {
  ...queueSpec,
  behavior: { ...queueSpec.behavior, scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 30 }] } },
};

async function live(slots: readonly Slot[]) {
  const day = fixture({ spec });
  const landings: Landing[] = [];
  /** What was recommended in slots that were finished, undisturbed, and when. */
  const seen: { readonly at: number; readonly replicas: number }[] = [];
  const asleep: { readonly until: number; readonly end: () => Promise<unknown> }[] = [];

  function clusterOf(slot: number, isLate: () => boolean, clockStopped = false): Cluster {
    const putScale: Cluster["putScale"] = async (target, scale, signal) => {
      const from = day.replicasNow() ?? 0;
      const written = await day.cluster.putScale(target, scale, signal);
      landings.push({ at: day.clock.now, from, to: written.spec.replicas ?? 0, slot, late: isLate(), clockStopped });
      return written;
    };
    return { ...day.cluster, putScale };
  }
  const never = () => false;

  async function stopAt(index: number, { call, effect }: { call: number; effect: boolean }, clockStops: boolean) {
    let late = false;
    const far = interrupted({ store: day.store, cluster: clusterOf(index, () => late, clockStops) }, call, effect);
    const frozen = slotAt(index) + 200;
    const run = day.sync(index, { ...far, ...(clockStops ? { now: () => frozen } : {}) });
    const first = await Promise.race([run, far.stopped]);
    const end = () => {
      late = true;
      far.wake();
      return run;
    };
    return { end, ended: first !== "stopped" };
  }

  for (const [i, { depth, mishap }] of slots.entries()) {
    const index = i + 1;
    day.depth(depth);
    if (mishap.kind === "blind") day.cluster.external.set("depth", new Fault("badAnswer", "expected JSON, got <html>"));
    switch (mishap.kind) {
      case "missed":
        break;
      case "twice":
        await Promise.all([0, 1].map(() => day.sync(index, { cluster: clusterOf(index, never) })));
        break;
      case "died":
        await stopAt(index, mishap, false);
        if (mishap.again) await day.sync(index, { afterMs: 5_000, cluster: clusterOf(index, never) });
        break;
      case "paused": {
        const { end, ended } = await stopAt(index, mishap, mishap.clockStops);
        if (!ended) asleep.push({ until: index + mishap.slots, end });
        break;
      }
      default: {
        const { outcome, behind } = await day.sync(index, { cluster: clusterOf(index, never) });
        if (outcome === "synced" && behind === 0 && mishap.kind !== "blind")
          seen.push({ at: day.clock.now, replicas: Math.ceil(depth / 5) });
        if (mishap.kind === "again") await day.sync(index, { afterMs: 3_000, cluster: clusterOf(index, never) });
      }
    }
    for (const sleeper of asleep.filter(({ until }) => until === index)) await sleeper.end();
  }
  return { day, landings, seen };
}

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: "none" } as const) },
  { weight: 2, arbitrary: fc.constantFrom("missed", "twice", "again", "blind").map((kind) => ({ kind })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("died" as const),
      call: fc.integer({ min: 1, max: 10 }),
      effect: fc.boolean(),
      again: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("paused" as const),
      call: fc.integer({ min: 1, max: 10 }),
      effect: fc.boolean(),
      slots: fc.integer({ min: 0, max: 8 }),
      clockStops: fc.boolean(),
    }),
  },
);

/** Depths whose recommendations (0, 1, 4, 6, 10) are never within the tolerance of one another. */
const story = fc.array(fc.record({ depth: fc.constantFrom(0, 0, 5, 20, 30, 50), mishap }), {
  minLength: 4,
  maxLength: 24,
});

function sizeAt(landings: readonly Landing[], at: number): number {
  return landings.filter((landing) => landing.at <= at).at(-1)?.to ?? 1;
}

function holds({ landings, seen }: Awaited<ReturnType<typeof live>>): void {
  for (const landing of landings.filter(({ late }) => !late)) {
    const { at, from, to } = landing;
    const before = landings.slice(0, landings.indexOf(landing));
    // The rate: four more than 30 s ago. A shrinking whose run died is counted from when it was found, so what it took may be given
    // back a little longer; a growth never.
    const size = Math.max(...[30, 45, 60, 75, 90].map((ago) => sizeAt(before, at - ago * 1000)));
    const miscounted = before.some((other) => other.late && other.clockStopped && other.at > at - 30_000);
    if (to > from && !miscounted) expect(to).toBeLessThanOrEqual(size + 4);
    // The window: not below what was recommended in it.
    const held = seen.filter((sighting) => sighting.at > at - 60_000 && sighting.at < at);
    if (to < from) expect(to).toBeGreaterThanOrEqual(Math.max(0, ...held.map(({ replicas }) => replicas)));
  }
  const slots = landings.map(({ slot }) => slot);
  expect(new Set(slots).size).toBe(slots.length); // one effect a slot
}

/** Once nothing goes wrong any more: woken from any zero, and back to it. */
const calm = (depth: number, length: number): Slot[] =>
  Array.from({ length }, () => ({ depth, mishap: { kind: "none" } as const }));

test("no limit is exceeded, no window is cut short, no zero is lost, whatever happens to the functions", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (slots) => {
      const lived = await live([...slots, ...calm(50, 8), ...calm(0, 6)]);
      holds(lived);
      expect(lived.landings.map(({ to }) => to)).toContain(10);
      expect(lived.day.replicasNow()).toBe(0);
      expect(lived.day.condition("ScaledToZero")).toMatchObject({ status: "True" });
      expect(lived.day.state()?.intent).toBeUndefined();
    }),
    { numRuns: 300 },
  );
}, 60_000);

describe("whichever call a function is paused at, for however long", () => {
  const steady = calm(30, 8);
  const pauses = [true, false].flatMap((effect) =>
    [1, 3, 5].flatMap((slots) => [true, false].map((clockStops) => ({ effect, slots, clockStops }))),
  );

  // 6 is recommended all along, and nothing written; the paused run alone saw 2, or 10.
  test.each(Array.from({ length: 10 }, (_, i) => i + 1))("call %i", async (call) => {
    for (const pause of pauses) {
      for (const depth of [10, 50]) {
        const paused: Slot = { depth, mishap: { kind: "paused", call, ...pause } };
        const lived = await live([...steady, paused, ...calm(30, pause.slots), ...calm(50, 4), ...calm(0, 7)]);
        holds(lived);
        expect(lived.day.replicasNow()).toBe(0);
      }
    }
  });
});

test("slots are as long as the limits above take them to be", () => expect(periodMs).toBe(15_000));
