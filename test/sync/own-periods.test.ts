import { isClassDue, periodClass } from "../../lib/model/stored/last-observed";
import { Fault } from "../../lib/model/fault";
import { asHpaKey } from "../../lib/model/hpa-key";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { Store } from "../../lib/model/ports/store";
import { reshard } from "../../lib/scheduler/reshard";
import { document, fixture, periodMs, queueSpec, slotAt } from "./sync-fixture";

type Day = ReturnType<typeof fixture>;

const key = asHpaKey("shop/orders");

/** 12:00:15 is slot 1, 12:01:00 is slot 4, 12:05:00 is slot 20. */
function dayOf(seconds: number, spec = queueSpec) {
  const day = fixture({ spec, replicas: 10 });
  setPeriod(day, seconds, spec);
  day.depth(50);
  return day;
}

function setPeriod(day: Day, seconds: number | undefined, spec = queueSpec): void {
  const given = document({ ...spec, ...(seconds !== undefined && { syncPeriodSeconds: seconds }) });
  day.store.documents.set("prod shop/orders", given);
}

/** The slots of these in which the HPA's scale was read. */
async function looksIn(day: Day, [first, last]: readonly [number, number]): Promise<readonly number[]> {
  const looks: number[] = [];
  for (let slot = first; slot <= last; slot++) {
    const before = reads(day);
    await day.sync(slot);
    if (reads(day) > before) looks.push(slot);
  }
  return looks;
}

/** Syncs until the second look, the first one that its period and phase decide. */
async function firstDue(day: Day): Promise<number> {
  await looksIn(day, [1, 1]);
  for (let slot = 2; ; slot++) if ((await looksIn(day, [slot, slot])).length > 0) return slot;
}

/** The slots of the first hour that are due by this period. */
function periodSlots(seconds: number): readonly number[] {
  const name = periodClass(key, seconds, periodMs)!;
  const isDue = (slot: number) => isClassDue(name, { after: slotAt(slot - 1), until: slotAt(slot) });
  return Array.from({ length: 240 }, (_, slot) => slot).filter(isDue);
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(new Fault("timeout", "no answer before the sync's end"))),
  );

const reads = (day: Day) => day.cluster.calls.getScale ?? 0;
const lastRun = (day: Day) => day.state()?.history?.recommendations.at(-1);

describe("a longer period of its own", () => {
  test("the first sync is at once; then the HPA is read once in each period, and a slot in between costs nothing", async () => {
    const day = dayOf(60);
    const looks = await looksIn(day, [1, 21]);
    expect(looks[0]).toBe(1);
    const [, second = 0] = looks;
    expect(looks.slice(1)).toEqual([0, 4, 8, 12, 16].map((later) => second + later));
    expect(day.store.calls).toMatchObject({ putState: 1 });
  });

  test("what was last seen is its own last sync, and not the shard's heartbeat", async () => {
    const day = dayOf(60);
    const looks = await looksIn(day, [1, 13]);
    const last = looks.at(-1) ?? 0;
    day.depth(25);
    const [next = 0] = await looksIn(day, [14, 18]);
    expect(next).toBe(last + 4);
    const runs = day.state()?.history?.recommendations;
    expect(runs?.map(({ replicas, at }) => [replicas, at])).toEqual([
      [10, slotAt(last) + 200],
      [5, slotAt(next) + 200],
    ]);
  });

  test("beside an HPA in every slot, whose windows are as ever", async () => {
    const day = dayOf(300);
    const spec = { ...queueSpec, scaleTargetRef: { ...queueSpec.scaleTargetRef, name: "quick" } };
    day.store.documents.set("prod shop/quick", document(spec, "shop/quick"));
    day.cluster.add("shop/quick", 10);
    const size = (name: string) => day.cluster.scales.get(`shop/${name}`)?.replicas;
    // The first slot that is due by the period, with its phase: the scale of "quick" is read in each.
    const due = periodSlots(300).find((slot) => slot > 1) ?? 0;
    for (let slot = 1; slot <= due + 1; slot++) await day.sync(slot);
    day.depth(25);
    for (let slot = due + 2; slot <= due + 4; slot++) await day.sync(slot);
    // The last 10 was seen in slot due + 1, so it leaves the window of a minute in slot due + 5.
    expect(size("quick")).toBe(10);
    await day.sync(due + 5);
    expect(size("quick")).toBe(5);
    for (let slot = due + 6; slot <= due + 19; slot++) await day.sync(slot);
    expect(size("orders")).toBe(10);
    await day.sync(due + 20);
    expect(size("orders")).toBe(5);
  });

  test("a slot that nobody finished leaves its HPAs to the next one, which counts them as seen now", async () => {
    const day = dayOf(60);
    const looks = await looksIn(day, [1, 9]);
    const due = (looks.at(-1) ?? 0) + 4;
    await looksIn(day, [10, due - 1]);
    expect(await looksIn(day, [due + 1, due + 4])).toEqual([due + 1, due + 4]);
    expect(lastRun(day)?.at).toBe(slotAt(due + 1) + 200);
  });

  test("after any other slot that nobody finished, it is read too, and was seen when it was", async () => {
    const day = dayOf(300);
    const due = await firstDue(day);
    await looksIn(day, [due + 1, due + 8]);
    day.depth(25);
    expect(await looksIn(day, [due + 10, due + 12])).toEqual([due + 10]);
    expect(day.state()?.history?.recommendations.map(({ at }) => at)).toEqual([
      slotAt(due) + 200,
      slotAt(due + 10) + 200,
    ]);
  });

  test("a due slot that did not reach it: the next one does", async () => {
    const day = dayOf(300);
    const due = await firstDue(day);
    await looksIn(day, [due + 1, due + 19]);
    const getScale = (_: unknown, signal: AbortSignal) => untilAborted(signal);
    await day.sync(due + 20, { afterMs: periodMs - 40, cluster: { ...day.cluster, getScale } });
    expect(day.shardNow()?.behind).toEqual({ [key]: slotAt(due) + 200 });
    expect(await looksIn(day, [due + 21, due + 25])).toEqual([due + 21]);
  });

  /** An HPA is lagging if an older slot, finished after this one had loaded the shard, did not reach it. */
  test("a slot in which it rests leaves it behind: else its last sync counts, which nobody recorded", async () => {
    const day = dayOf(300);
    const due = await firstDue(day);
    await looksIn(day, [due + 1, due + 8]);
    const missed = slotAt(due) - 45_000;
    const load: Store["load"] = async (...asked) => {
      const contents = await day.store.load(...asked);
      const shard = day.shardNow()!;
      day.store.shardItems.set("prod#", { ...shard, version: shard.version + 1, behind: { [key]: missed } });
      return contents;
    };
    const before = reads(day);
    expect(await day.sync(due + 9, { store: { ...day.store, load } })).toMatchObject({ outcome: "synced" });
    expect(reads(day)).toBe(before);
    expect(day.shardNow()?.behind).toEqual({ [key]: missed });
    expect(await looksIn(day, [due + 10, due + 13])).toEqual([due + 10]);
    expect(day.shardNow()?.behind).toEqual({});
  });

  test("a slot that failed as a whole leaves its HPAs to the next one", async () => {
    const day = dayOf(300);
    const due = await firstDue(day);
    await looksIn(day, [due + 1, due + 19]);
    const cluster = day.store.clusterEntries.get("prod")!;
    day.store.clusterEntries.set("prod", { key: cluster.key, invalid: "spec.endpoint: expected a URL" });
    expect(await looksIn(day, [due + 20, due + 22])).toEqual([]);
    day.store.clusterEntries.set("prod", cluster);
    expect(await looksIn(day, [due + 23, due + 26])).toEqual([due + 23]);
  });

  test("an open intent does not rest: its write may land, and counts in no rate limit until somebody looks", async () => {
    const day = dayOf(300);
    const due = await firstDue(day);
    await looksIn(day, [due + 1, due + 19]);
    day.depth(25);
    let land: () => Promise<unknown> = () => Promise.resolve();
    const putScale: Cluster["putScale"] = (...asked) => {
      land = () => day.cluster.putScale(...asked);
      return Promise.reject(new Fault("timeout", "no answer"));
    };
    await day.sync(due + 20, { cluster: { ...day.cluster, putScale } });
    expect(day.state()).toMatchObject({ intent: { from: 10, to: 5 } });
    expect(day.shardNow()?.behind).toEqual({});
    await land();
    expect(await looksIn(day, [due + 21, due + 25])).toEqual([due + 21]);
    expect(day.state()?.intent).toBeUndefined();
    expect(day.state()?.history?.scaleDownEvents).toMatchObject([{ change: 5, foundAt: slotAt(due + 21) + 200 }]);
    expect(day.scaled).toMatchObject([{ from: 10, to: 5 }]);
  });

  test("an open intent, and a new period, do not wait for it", async () => {
    const day = dayOf(3_600);
    await looksIn(day, [1, 3]);
    setPeriod(day, 1_800);
    expect(await looksIn(day, [4, 7])).toContain(4);
    expect(day.state()).toMatchObject({ syncPeriodSeconds: 1_800 });
    setPeriod(day, undefined);
    expect(await looksIn(day, [8, 10])).toEqual([8, 9, 10]);
    expect(day.state()?.syncPeriodSeconds).toBeUndefined();
    expect(day.shardNow()?.ownPeriods).toBeUndefined();
    expect(lastRun(day)?.at).toBe(slotAt(8) + 200);
  });

  test("with a longer period than before, what the cluster's slots saw until now counts", async () => {
    const day = fixture({ replicas: 10 });
    day.depth(50);
    for (let slot = 1; slot <= 8; slot++) await day.sync(slot);
    setPeriod(day, 3_600);
    day.depth(25);
    await day.sync(9);
    expect(day.state()?.history?.recommendations.map(({ replicas, at }) => [replicas, at])).toEqual([
      [10, slotAt(8) + 200],
      [5, slotAt(9) + 200],
    ]);
  });

  test("a wake sees it at once, the next slot again, and then its own slots", async () => {
    const day = dayOf(300);
    const due = await firstDue(day);
    await looksIn(day, [due + 1, due + 6]);
    const before = reads(day);
    await day.wake(slotAt(due + 6) + 5_000);
    expect(reads(day)).toBe(before + 1);
    expect(await looksIn(day, [due + 7, due + 20])).toEqual([due + 7, due + 20]);
  });

  /** A clock that goes on from a moment. */
  const runningFrom = (at: number) => {
    const begun = Date.now();
    return () => at + Date.now() - begun;
  };
  const restingDay = async () => {
    const day = dayOf(300, { ...queueSpec, maxReplicas: 30 });
    const due = await firstDue(day);
    for (let slot = due + 1; slot <= due + 5; slot++) await day.sync(slot);
    day.depth(70);
    return { day, due };
  };

  test("a wake at the end of a slot goes on in the next one, in which the HPA rests", async () => {
    const { day, due } = await restingDay();
    const at = slotAt(due + 6) - 100;
    await day.wake(at, { now: runningFrom(at + 20) });
    expect(day.replicasNow()).toBe(14);
  });

  test("a wake that comes after a slot in which the HPA rested is not overtaken by it", async () => {
    const { day, due } = await restingDay();
    await day.sync(due + 6);
    await day.wake(slotAt(due + 6) - 100, { afterMs: 3_000 });
    expect(day.replicasNow()).toBe(14);
  });

  test("a wake that comes again after its work, or after the HPA's own slot, changes nothing", async () => {
    const { day, due } = await restingDay();
    await day.sync(due + 6);
    const at = slotAt(due + 6) - 100;
    await day.wake(at, { afterMs: 3_000 });
    const before = reads(day);
    expect(await day.wake(at, { afterMs: 5_000 })).toMatchObject({ outcome: "overtaken" });
    for (let slot = due + 7; slot <= due + 21; slot++) await day.sync(slot);
    const looks = reads(day);
    expect(looks).toBe(before + 2); // the slot after the wake, and its own
    expect(await day.wake(at + 2_000, { afterMs: 15 * periodMs })).toMatchObject({ outcome: "overtaken" });
    expect(reads(day)).toBe(looks);
  });

  test("a wake that finds no room in two slots comes again", async () => {
    const { day, due } = await restingDay();
    const at = slotAt(due + 6) - 100;
    const left = (names: readonly string[]) => day.wake(at, { now: () => at + 20, names });
    await expect(left(["orders"])).rejects.toMatchObject({
      kind: "conflict",
      message: "1 HPA of namespace shop of cluster prod had no time left in two slots; the wake comes again",
    });
  });

  test("with a wake between its slots, a window begins when it was last seen", async () => {
    const day = dayOf(300);
    const due = await firstDue(day);
    await looksIn(day, [due + 1, due + 6]);
    day.depth(25);
    await day.wake(slotAt(due + 6) + 5_000);
    expect(day.state()?.history?.recommendations[0]).toMatchObject({ replicas: 10, at: slotAt(due) + 200 });
  });
});

describe("zero that must be confirmed", () => {
  test("the second reading does not wait for the period", async () => {
    const spec = { ...queueSpec, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };
    const day = dayOf(300, spec);
    const given = document({ ...spec, syncPeriodSeconds: 300 }) as { metadata: object };
    const annotations = { "ebb.dev/metric-rules": JSON.stringify({ depth: { confirm: 3 } }) };
    day.store.documents.set("prod shop/orders", { ...given, metadata: { ...given.metadata, annotations } });
    const due = await firstDue(day);
    await looksIn(day, [due + 1, due + 19]);
    day.depth(0);
    expect(await looksIn(day, [due + 20, due + 26])).toEqual([due + 20, due + 21, due + 22]);
    expect(day.replicasNow()).toBe(0);
  });
});

describe("a shorter period than the cluster's", () => {
  test("is synced in every slot, and the shard names it for the tick while it is neither paused nor invalid", async () => {
    const day = dayOf(5);
    expect(await looksIn(day, [1, 3])).toEqual([1, 2, 3]);
    expect(day.shardNow()).toMatchObject({ shorterPeriods: { [key]: 5 } });
    expect(day.shardNow()?.ownPeriods).toBeUndefined();
    const given = document({ ...queueSpec, syncPeriodSeconds: 5 }) as { metadata: object };
    const paused = { ...given, metadata: { ...given.metadata, annotations: { "ebb.dev/paused": "true" } } };
    day.store.documents.set("prod shop/orders", paused);
    await day.sync(4);
    expect(day.shardNow()?.shorterPeriods).toBeUndefined();
    setPeriod(day, 0);
    await day.sync(5);
    expect(day.shardNow()?.shorterPeriods).toBeUndefined();
    setPeriod(day, 15);
    await day.sync(6);
    expect(day.shardNow()?.shorterPeriods).toBeUndefined();
  });

  test("each wake is a sync, with windows as upstream's controller would have with this period", async () => {
    const spec = { ...queueSpec, behavior: { scaleDown: { stabilizationWindowSeconds: 12 } } };
    const day = dayOf(5, spec);
    await day.sync(1);
    await day.wake(slotAt(1) + 5_000, { until: slotAt(2) });
    day.depth(25);
    await day.wake(slotAt(1) + 10_000, { until: slotAt(2) });
    // 10 was seen at :20.1. It leaves the window of 12 s at :32.1, and the sync of :30.2 is before that.
    await day.sync(2);
    expect(day.replicasNow()).toBe(10);
    await day.wake(slotAt(2) + 5_000, { until: slotAt(3) });
    expect(day.replicasNow()).toBe(5);
  });

  test("readings that a rule counts are those of its own syncs", async () => {
    const spec = { ...queueSpec, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };
    const day = dayOf(5, spec);
    const given = document({ ...spec, syncPeriodSeconds: 5 }) as { metadata: object };
    const annotations = { "ebb.dev/metric-rules": JSON.stringify({ depth: { confirm: 3 } }) };
    day.store.documents.set("prod shop/orders", { ...given, metadata: { ...given.metadata, annotations } });
    await day.sync(1);
    day.depth(0);
    await day.sync(2);
    await day.wake(slotAt(2) + 5_000, { until: slotAt(3) });
    expect(day.replicasNow()).toBe(1);
    await day.wake(slotAt(2) + 10_000, { until: slotAt(3) });
    expect(day.replicasNow()).toBe(0);
  });

  test("a wake that comes after its slot, hours late or at once, reads and changes nothing", async () => {
    const day = dayOf(5);
    await day.sync(1);
    const before = { ...day.store.calls };
    for (const afterMs of [10_000, 3_600_000]) {
      const counts = await day.wake(slotAt(1) + 5_000, { until: slotAt(2), afterMs });
      expect(counts).toMatchObject({ outcome: "late", hpas: 0 });
    }
    expect(day.store.calls).toEqual(before);
  });

  test("a wake that comes twice has one effect", async () => {
    const day = dayOf(5);
    await day.sync(1);
    const writes = () => day.store.calls["putState"] ?? 0;
    const first = writes();
    await day.wake(slotAt(1) + 5_000, { until: slotAt(2) });
    expect(writes()).toBe(first + 2);
    expect(await day.wake(slotAt(1) + 5_000, { until: slotAt(2) })).toMatchObject({ outcome: "overtaken" });
    expect(writes()).toBe(first + 2);
  });
});

describe("a shard that is split, merged or widened", () => {
  const context = (now: number) => ({ periodMs, now: () => now, signal: new AbortController().signal });

  test("what no sync under way can see keeps its moment; the rest counts as seen now", async () => {
    const day = dayOf(3_600);
    await looksIn(day, [1, 5]);
    const shard = day.shardNow()!;
    const at = slotAt(5) + 9_000;
    const soon = [...Array(8).keys()]
      .map((phase) => `60/${phase}` as const)
      .find((name) => isClassDue(name, { after: shard.slot, until: at }));
    const own = periodClass(key, 3_600, periodMs)!;
    const seen = { [own]: 1_000, [soon!]: 2_000 };
    const large = { ...shard, entries: 1_001, ownPeriods: { heartbeat: shard.heartbeat, seen } };
    day.store.shardItems.set("prod#", large);
    for (let index = 0; index < 4; index++)
      day.store.documents.set(`prod team/h${index}`, document(queueSpec, `team/h${index}`));
    const [left, right] = await reshard(day.store, "prod", [large], context(at));
    expect(left?.ownPeriods).toEqual(large.ownPeriods);
    expect(right?.ownPeriods).toEqual({ heartbeat: at, seen: { [own]: 1_000, [soon!]: at } });

    const halves = [left!, right!].map((half) => ({ ...half, entries: 2, slot: shard.slot }));
    for (const half of halves) day.store.shardItems.set(`prod#${half.from}`, half);
    const later = { ...halves[1]!, ownPeriods: { heartbeat: at, seen: { [own]: 1_500 } } };
    day.store.shardItems.set(`prod#${later.from}`, later);
    const [merged] = await reshard(day.store, "prod", [halves[0]!, later], context(at + 1));
    expect(merged).toMatchObject({ to: null, heartbeat: at + 1 });
    expect(merged?.ownPeriods).toEqual({ heartbeat: at + 1, seen: { [own]: 1_500, [soon!]: at + 1 } });
  });

  test("a shard that gets keys without one knows nothing of their classes", async () => {
    const day = dayOf(3_600);
    await looksIn(day, [1, 5]);
    const narrow = { ...day.shardNow()!, to: "team/" };
    day.store.shardItems.set("prod#", narrow);
    const [widened] = await reshard(day.store, "prod", [narrow], context(slotAt(5) + 9_000));
    expect(widened).toMatchObject({ to: null, heartbeat: slotAt(5) + 9_000 });
    expect(widened?.ownPeriods).toBeUndefined();
  });
});
