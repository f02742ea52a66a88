import fc from "fast-check";
import { Fault } from "../../../lib/model/fault";
import type { HpaSpec } from "../../../lib/k8s/hpa";
import type { EpochMs } from "../../../lib/k8s/time";
import type { Cluster } from "../../../lib/model/ports/cluster";
import type { Store } from "../../../lib/model/ports/store";
import { interrupted } from "../../sync/interrupted";
import { fixture, periodMs, queueSpec, slotAt } from "../../sync/sync-fixture";
import { expectAtLeast, expectAtMost, expectToBe } from "../../expect-often";

/**
 * Random days of one HPA. Functions die, are paused for several slots and continue (with a clock that moved on or
 * stopped), run twice, or do not run at all. The entry changes between the slots and during them, so wakes sync it too,
 * by functions with the same mishaps. Whatever happens, the limits of the HPA's behavior hold: up by 4 in 30 s, down
 * after 60 s.
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
  readonly wakes?: readonly Wake[];
}

/** A change of the entry. */
interface Wake extends Slot {
  /** Into the slot, whose own sync comes after 200 ms. */
  readonly afterMs: number;
}

interface Landing {
  /** Within its own slot, a scale counts from the clock that it was decided by. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** The slot, or the wake's instant, that it was decided in. */
  readonly runAt: EpochMs;
  readonly late: boolean;
  /**
   * By a run whose clock had stopped: it counted its scale from a moment long past, as a run with a very slow clock
   * does.
   */
  readonly clockStopped: boolean;
}

const spec: HpaSpec = {
  ...queueSpec,
  behavior: { ...queueSpec.behavior, scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 30 }] } },
};

const slotOf = (at: EpochMs) => Math.floor((at - slotAt(0)) / periodMs);

async function live(slots: readonly Slot[]) {
  const day = fixture({ spec });
  const landings: Landing[] = [];
  /** What was recommended in slots that were finished, undisturbed, and when. */
  const seen: { readonly at: number; readonly replicas: number }[] = [];
  /** How many runs reached the call that they are paused at. */
  let paused = 0;
  const asleep: { readonly until: number; readonly end: () => Promise<unknown> }[] = [];

  /** As seen by a run that decides `afterMs` into its run. */
  function clusterOf({ at: runAt }: RunCase, afterMs: number, isLate = () => false, clockStopped = false): Cluster {
    const putScale: Cluster["putScale"] = async (target, scale, signal) => {
      const from = day.replicasNow() ?? 0;
      const written = await day.cluster.putScale(target, scale, signal);
      const isOver = slotOf(day.clock.now) > slotOf(runAt);
      const at = isOver ? day.clock.now : runAt + afterMs;
      landings.push({ at, from, to: written.spec.replicas ?? 0, runAt, late: isLate(), clockStopped });
      return written;
    };
    return { ...day.cluster, putScale };
  }

  /**
   * A slot or a wake: when its message is handled, and when again if it is delivered once more; the clock goes forward
   * only.
   */
  interface RunCase {
    readonly at: EpochMs;
    readonly delayMs: number;
    readonly againMs: number;
    readonly run: (over: Over) => Promise<Awaited<ReturnType<typeof day.wake>>>;
  }
  type Over = { cluster?: Cluster; store?: Store; now?: () => EpochMs; afterMs: number };

  async function stopAt(runAt: RunCase, { call, effect }: { call: number; effect: boolean }, clockStops: boolean) {
    const { at, delayMs, run } = runAt;
    let late = false;
    const far = interrupted(
      { store: day.store, cluster: clusterOf(runAt, delayMs, () => late, clockStops) },
      call,
      effect,
    );
    const frozen = at + delayMs;
    const running = run({ ...far, afterMs: delayMs, ...(clockStops ? { now: () => frozen } : {}) });
    const first = await Promise.race([running, far.stopped]);
    const end = () => {
      late = true;
      far.wake();
      return running;
    };
    return { end, ended: first !== "stopped" };
  }

  async function take(index: number, runAt: RunCase, { depth, mishap }: Slot): Promise<void> {
    const { delayMs, againMs, run } = runAt;
    const cluster = clusterOf(runAt, delayMs);
    const again = () => run({ cluster: clusterOf(runAt, againMs), afterMs: againMs });
    day.depth(depth);
    if (mishap.kind === "blind") day.cluster.external.set("depth", new Fault("badAnswer", "expected JSON, got <html>"));
    switch (mishap.kind) {
      case "missed":
        break;
      case "twice":
        await Promise.all([0, 1].map(() => run({ cluster, afterMs: delayMs })));
        break;
      case "died":
        await stopAt(runAt, mishap, false);
        if (mishap.again) await again();
        break;
      case "paused": {
        const { end, ended } = await stopAt(runAt, mishap, mishap.clockStops);
        if (ended) break;
        paused += 1;
        asleep.push({ until: index + mishap.slots, end });
        break;
      }
      default: {
        const counts = await run({ cluster, afterMs: delayMs });
        if (counts?.outcome === "synced" && counts.behind === 0 && mishap.kind !== "blind")
          seen.push({ at: day.clock.now, replicas: Math.ceil(depth / 5) });
        if (mishap.kind === "again") await again();
      }
    }
  }

  for (const [i, slot] of slots.entries()) {
    const index = i + 1;
    const isEarly = ({ afterMs }: Wake) => afterMs < 200;
    const wakeUp = (wake: Wake) => {
      const at = slotAt(index) + wake.afterMs;
      const times = isEarly(wake) ? { delayMs: 20, againMs: 60 } : { delayMs: 100, againMs: 3_000 };
      return take(index, { at, ...times, run: (over) => day.wake(at, over) }, wake);
    };
    for (const wake of (slot.wakes ?? []).filter(isEarly)) await wakeUp(wake);
    const run = (over: Over) => day.sync(index, over);
    await take(index, { at: slotAt(index), delayMs: 200, againMs: 4_000, run }, slot);
    for (const wake of (slot.wakes ?? []).filter((each) => !isEarly(each))) await wakeUp(wake);
    for (const sleeper of asleep.filter(({ until }) => until === index)) {
      day.clock.now = slotAt(index) + 12_000; // long after any sync that could tell when they wrote
      await sleeper.end();
    }
  }
  return { day, landings, seen, paused };
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
const depth = fc.constantFrom(0, 0, 5, 20, 30, 50);

/** Before the slot's own sync, and after it, once or twice. */
const wakes = fc.uniqueArray(fc.record({ afterMs: fc.constantFrom(40, 5_000, 9_000), depth, mishap }), {
  selector: ({ afterMs }) => afterMs,
  maxLength: 2,
});
const ordered = wakes.map((each) => [...each].sort((a, b) => a.afterMs - b.afterMs));

const story = fc.array(
  fc.record({ depth, mishap, wakes: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, ordered) }),
  { minLength: 4, maxLength: 24 },
);

function sizeAt(landings: readonly Landing[], at: number): number {
  return landings.filter((landing) => landing.at <= at).at(-1)?.to ?? 1;
}

function holds({ landings, seen }: Awaited<ReturnType<typeof live>>): void {
  for (const landing of landings.filter(({ late }) => !late)) {
    const { at, from, to } = landing;
    const before = landings.slice(0, landings.indexOf(landing));
    // The rate: four more than 30 s ago.
    const size = sizeAt(before, at - 30_000);
    const miscounted = before.some((other) => other.late && other.clockStopped && other.at > at - 30_000);
    if (to > from && !miscounted) expectAtMost(to, size + 4);
    // The window: not below what was recommended in it.
    const held = seen.filter((observation) => observation.at > at - 60_000 && observation.at < at);
    if (to < from) expectAtLeast(to, Math.max(0, ...held.map(({ replicas }) => replicas)));
  }
  const turns = landings.map(({ runAt }) => runAt);
  expectToBe(new Set(turns).size, turns.length); // one effect a slot, and a wake
}

/** After the last mishap: woken from any zero, and back to it. */
const calm = (depth: number, length: number): Slot[] =>
  Array.from({ length }, () => ({ depth, mishap: { kind: "none" } as const }));

test("no limit is exceeded, no window is cut short, no zero is lost, whatever happens to the functions", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (slots) => {
      const lived = await live([...slots, ...calm(50, 8), ...calm(0, 6)]);
      holds(lived);
      expect(lived.landings.map(({ to }) => to)).toContain(10);
      expectToBe(lived.day.replicasNow(), 0);
      expect(lived.day.condition("ScaledToZero")).toMatchObject({ status: "True" });
      expect(lived.day.state()?.intent).toBeUndefined();
    }),
    { numRuns: 300 },
  );
}, 60_000);

const steady = calm(30, 8);
const pauses = [true, false].flatMap((effect) =>
  [1, 3, 5].flatMap((slots) => [true, false].map((clockStops) => ({ effect, slots, clockStops }))),
);

/** 1 to as many calls as one of these runs makes: at each depth, another number. */
const callsOf = (turns: Readonly<Record<number, number>>) =>
  Array.from({ length: Math.max(...Object.values(turns)) }, (_, index) => index + 1);
const depthsAt = (call: number, turns: Readonly<Record<number, number>>) =>
  [10, 50].filter((depth) => call <= (turns[depth] ?? 0));

describe("a function is paused at any call, for any time", () => {
  const calls = { 10: 7, 50: 13 };
  const liveThrough = (depth: number, call: number, pause: (typeof pauses)[number]) => {
    const paused: Slot = { depth, mishap: { kind: "paused", call, ...pause } };
    return live([...steady, paused, ...calm(30, pause.slots), ...calm(50, 4), ...calm(0, 7)]);
  };

  // 6 is recommended all along, and nothing written; the paused run alone saw 2, or 10.
  test.each(callsOf(calls))("call %i", async (call) => {
    for (const pause of pauses) {
      for (const depth of depthsAt(call, calls)) {
        const lived = await liveThrough(depth, call, pause);
        expectToBe(lived.paused, 1);
        holds(lived);
        expectToBe(lived.day.replicasNow(), 0);
      }
    }
  });

  test.each(Object.entries(calls))("at depth %s, it makes %i calls", async (depth, last) => {
    expect(await liveThrough(Number(depth), last + 1, pauses[0]!)).toMatchObject({ paused: 0 });
  });
});

describe("a wake is paused at any call, for any time", () => {
  const calls = { 10: 9, 50: 15 };
  const liveThrough = (wake: Wake, slots: number, burst: number) => {
    const woken: Slot = { depth: 30, mishap: { kind: "none" }, wakes: [wake] };
    return live([...steady, woken, ...calm(30, slots), ...calm(50, burst), ...calm(0, 8)]);
  };

  // As above, and the slot that it comes in may have been undisturbed, or be under way when it comes, or begin after
  // it.
  test.each(callsOf(calls))("call %i", async (call) => {
    for (const pause of pauses) {
      for (const depth of depthsAt(call, calls)) {
        for (const afterMs of [40, 5_000]) {
          for (const burst of [0, 4]) {
            const mishap = { kind: "paused", call, ...pause } as const;
            const lived = await liveThrough({ afterMs, depth, mishap }, pause.slots, burst);
            expectToBe(lived.paused, 1);
            holds(lived);
            expectToBe(lived.day.replicasNow(), 0);
          }
        }
      }
    }
  });

  test.each(Object.entries(calls))("at depth %s, it makes %i calls", async (depth, last) => {
    for (const afterMs of [40, 5_000]) {
      const mishap = { kind: "paused", call: last + 1, ...pauses[0]! } as const;
      expect(await liveThrough({ afterMs, depth: Number(depth), mishap }, 1, 0)).toMatchObject({ paused: 0 });
    }
  });

  const slotCalls = 5;
  const liveWoken = (depth: number, call: number, pause: (typeof pauses)[number]) => {
    const wake: Wake = { afterMs: 5_000, depth, mishap: { kind: "again" } };
    const paused: Slot = { depth: 30, mishap: { kind: "paused", call, ...pause }, wakes: [wake] };
    return live([...steady, paused, ...calm(30, pause.slots), ...calm(50, 4), ...calm(0, 7)]);
  };

  test.each(Array.from({ length: slotCalls }, (_, i) => i + 1))(
    "a slot that is paused at call %i, and woken within",
    async (call) => {
      for (const pause of pauses) {
        for (const depth of [10, 50]) {
          const lived = await liveWoken(depth, call, pause);
          expectToBe(lived.paused, 1);
          holds(lived);
          expectToBe(lived.day.replicasNow(), 0);
        }
      }
    },
  );

  test(`such a slot makes ${slotCalls} calls`, async () => {
    expect(await liveWoken(50, slotCalls + 1, pauses[0]!)).toMatchObject({ paused: 0 });
  });
});

test("slots are as long as the limits above take them to be", () => expect(periodMs).toBe(15_000));
