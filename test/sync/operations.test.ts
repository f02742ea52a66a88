import { Fault } from "../../lib/model/fault";
import type { HpaSpec } from "../../lib/k8s/hpa";
import type { Cluster } from "../../lib/model/ports/cluster";
import { interrupted } from "./interrupted";
import { document, fixture, metricValue, queueSpec, slotAt, sourceOf } from "./sync-fixture";

type Day = ReturnType<typeof fixture>;

const paused = { "ebb.dev/paused": "true" };
const dryRun = { "ebb.dev/dry-run": "true" };

function annotate(day: Day, annotations: Record<string, string> | undefined, spec: HpaSpec = queueSpec): void {
  const plain = document(spec) as { readonly metadata: object };
  const metadata = { ...plain.metadata, ...(annotations && { annotations }) };
  day.store.documents.set("prod shop/orders", { ...plain, metadata });
}

async function syncs(day: Day, from: number, to: number): Promise<void> {
  for (let slot = from; slot <= to; slot++) await day.sync(slot);
}

const recordsOf = (day: Day) =>
  day.store.decisions.map(({ from, scaleTo, desiredReplicas, steps, dryRun: isDry }) => {
    const limitedBy = steps.flatMap((step) => step.limitedBy ?? []).join("+");
    return `${from} → ${scaleTo ?? `(${desiredReplicas})`}${isDry ? " dry" : ""} ${limitedBy}`.trim();
  });

describe("paused", () => {
  test("scales nothing, reads only the size (at first and once a minute), and writes one state", async () => {
    const day = fixture();
    annotate(day, paused);
    day.depth(50);
    await syncs(day, 1, 20);
    expect(day.cluster.writes).toEqual([]);
    expect(day.cluster.calls).toEqual({ getScale: 6 }); // at 12:00:15, and at 12:01, :02, :03, :04 and :05
    expect(day.store.calls.putState).toBe(1);
    expect(day.condition("ScalingActive")).toMatchObject({ status: "False", reason: "Paused" });
    expect(day.state()?.status).toMatchObject({ currentReplicas: 1, currentMetrics: [] });
    expect(recordsOf(day)).toEqual(["1 → (0) Paused"]);
    expect(day.store.decisions[0]?.events).toMatchObject([{ type: "Normal", reason: "Paused" }]);
    expect(day.lines).toEqual([]);
  });

  test("somebody scales meanwhile: the shown size follows within a minute", async () => {
    const day = fixture();
    annotate(day, paused);
    await syncs(day, 1, 4);
    day.cluster.scales.get("shop/orders")!.replicas = 7;
    await syncs(day, 5, 8);
    expect(day.state()?.status.currentReplicas).toBe(7);
  });

  test("resumed, it continues at once, and windows hold recommendations up to their last observation", async () => {
    const day = fixture({ replicas: 6 });
    day.depth(30);
    await syncs(day, 1, 4); // 6 was last seen in slot 4, by the heartbeat
    annotate(day, paused);
    day.depth(0);
    await syncs(day, 5, 6);
    expect(day.state()).toMatchObject({
      open: false,
      history: { recommendations: [{ replicas: 6, at: slotAt(4) + 200 }] },
    });
    annotate(day, undefined);
    await day.sync(7);
    expect(day.replicasNow()).toBe(6); // 45 s ago: within the window of 60 s
    await day.sync(8);
    expect(day.replicasNow()).toBe(0); // 60 s ago
    expect(day.condition("ScalingActive")).toMatchObject({ status: "True" });
  });

  test("until a moment, by the sync's clock", async () => {
    const day = fixture();
    annotate(day, { "ebb.dev/paused-until": new Date(slotAt(3)).toISOString() });
    day.depth(50);
    await syncs(day, 1, 2);
    expect(day.replicasNow()).toBe(1);
    expect(day.condition("ScalingActive")?.message).toBe(
      "paused until 2026-03-01T12:00:45Z by the annotation ebb.dev/paused-until",
    );
    await day.sync(3);
    expect(day.replicasNow()).toBe(5);
  });

  test.each([true, false])("a scale that was under way when it was paused is settled (landed: %s)", async (effect) => {
    const day = fixture();
    day.depth(50);
    const putScale: Cluster["putScale"] = async (target, scale, signal) => {
      if (effect) await day.cluster.putScale(target, scale, signal);
      throw new Fault("timeout", "no answer");
    };
    await day.sync(1, { cluster: { ...day.cluster, putScale, getScale: failing(day.cluster, 1) } });
    expect(day.state()?.intent).toMatchObject({ to: 5 });
    if (!effect) day.cluster.touch("shop/orders");
    annotate(day, paused);
    await day.sync(2);
    expect(day.state()?.intent).toBeUndefined();
    expect(day.state()?.history?.scaleUpEvents).toHaveLength(effect ? 1 : 0);
    expect(day.state()?.status).toMatchObject({ currentReplicas: effect ? 5 : 1 });
    expect(day.lines.filter((line) => line === "1 → 5")).toHaveLength(effect ? 1 : 0);
    expect(recordsOf(day)).toEqual(effect ? ["1 → 5 ScaleUpLimit", "5 → (5) Paused"] : ["1 → (0) Paused"]);
  });

  test("a zero of ours is still ours afterwards", async () => {
    const day = fixture();
    day.depth(0);
    await syncs(day, 1, 6);
    expect(day.replicasNow()).toBe(0);
    annotate(day, paused);
    day.depth(50);
    await syncs(day, 7, 12);
    expect(day.replicasNow()).toBe(0);
    annotate(day, undefined);
    await day.sync(13);
    expect(day.replicasNow()).toBe(4);
  });

  test("a failing metric is not reported while paused, and is reported again afterwards", async () => {
    const day = fixture();
    day.cluster.external.set("depth", new Fault("badAnswer", "expected JSON, got <html>"));
    await day.sync(1);
    annotate(day, paused);
    await syncs(day, 2, 3);
    annotate(day, undefined);
    await day.sync(4);
    expect(day.lines).toEqual([
      "shop/orders: FailedGetExternalMetric",
      "shop/orders: recovered",
      "shop/orders: FailedGetExternalMetric",
    ]);
  });

  test("a source is not asked sooner for it than its period allows", async () => {
    const metric = { name: "cloudwatch", selector: { matchLabels: { namespace: "AWS/SQS" } } };
    const target = { type: "AverageValue", averageValue: "5" };
    const spec: HpaSpec = { ...queueSpec, metrics: [{ type: "External", external: { metric, target } }] };
    const day = fixture({ spec });
    let asked = 0;
    const read = () => ((asked += 1), { items: [metricValue("cloudwatch", 5)] });
    const sources = { cloudwatch: sourceOf(read, 60_000) };
    await day.sync(1, { sources });
    annotate(day, paused, spec);
    await day.sync(2, { sources });
    annotate(day, undefined, spec);
    await syncsWith(3, 4);
    expect(asked).toBe(1);
    await syncsWith(5, 5);
    expect(asked).toBe(2);

    async function syncsWith(from: number, to: number): Promise<void> {
      for (let slot = from; slot <= to; slot++) await day.sync(slot, { sources });
    }
  });

  // Every call that a scaling sync makes; the last ones come after the scale was written.
  test.each(Array.from({ length: 10 }, (_, index) => index + 1))(
    "a run that stops at call %i and continues after the pause does not scale, unless it was already writing",
    async (call) => {
      const day = fixture();
      day.depth(50);
      const far = interrupted(day, call, false);
      const frozen = slotAt(1) + 200;
      const run = day.sync(1, { ...far, now: () => frozen });
      await Promise.race([run, far.stopped]);
      const wasWriting = day.store.calls.document !== undefined; // it has asked whether the entry is the same
      annotate(day, paused);
      far.wake();
      await run;
      if (!wasWriting) expect(day.replicasNow()).toBe(1);
      await day.sync(2);
      await day.sync(3);
      expect(day.condition("ScalingActive")?.reason).toBe("Paused");
      expect(day.replicasNow()).toBe(wasWriting ? 5 : 1);
    },
  );

  test("a conflict on the scale is not retried if the entry was paused meanwhile", async () => {
    const day = fixture();
    day.depth(50);
    const putScale: Cluster["putScale"] = (target, scale, signal) => {
      day.cluster.touch("shop/orders");
      annotate(day, paused);
      return day.cluster.putScale(target, scale, signal);
    };
    expect(await day.sync(1, { cluster: { ...day.cluster, putScale } })).toMatchObject({ scaled: 0, behind: 1 });
    expect(day.cluster.writes).toEqual([]);
    expect(day.state()?.intent).toBeUndefined();
  });
});

describe("a malformed annotation", () => {
  test.each([
    [{ "ebb.dev/paused": "yes" }, "metadata.annotations[ebb.dev/paused]"],
    [{ "ebb.dev/paused-until": "tomorrow" }, "metadata.annotations[ebb.dev/paused-until]"],
    [{ "ebb.dev/dry-run": "1" }, "metadata.annotations[ebb.dev/dry-run]"],
  ])("%j halts its entry and names the field", async (annotations, field) => {
    const day = fixture();
    annotate(day, annotations);
    day.depth(50);
    await day.sync(1);
    expect(day.replicasNow()).toBe(1);
    expect(day.condition("AbleToScale")).toMatchObject({ status: "False", reason: "InvalidEntry" });
    expect(day.condition("AbleToScale")?.message).toContain(field);
    expect(recordsOf(day)).toEqual(["null → (0) InvalidEntry"]);
    annotate(day, undefined);
    await day.sync(2);
    expect(day.replicasNow()).toBe(5);
  });
});

describe("a dry run", () => {
  test("shows the wanted size, writes no scale and no scale event, and scales when the dry run ends", async () => {
    const day = fixture();
    annotate(day, dryRun);
    day.depth(50);
    await syncs(day, 1, 8);
    expect(day.cluster.calls.putScale).toBeUndefined();
    expect(day.state()).toMatchObject({
      status: { currentReplicas: 1, desiredReplicas: 5 },
      history: { recommendations: [{ replicas: 1 }, { replicas: 10 }], scaleUpEvents: [] },
    });
    expect(day.condition("AbleToScale")).toMatchObject({ status: "True", reason: "DryRun" });
    expect(recordsOf(day)).toEqual(["1 → (5) dry ScaleUpLimit+DryRun"]);
    expect(day.store.decisions[0]?.events).toMatchObject([
      { reason: "DryRunRescale", message: expect.stringContaining("New size: 5; reason: ") as string },
    ]);
    expect(day.store.calls.putState).toBe(1);
    expect(day.lines).toEqual([]);
    annotate(day, undefined);
    await day.sync(9);
    expect(day.replicasNow()).toBe(5);
    expect(day.condition("AbleToScale")?.reason).toBe("SucceededRescale");
  });

  test("beside the controller that it will replace: from zero, to zero, and taken over at zero", async () => {
    const day = fixture();
    const other = (replicas: number) => {
      day.cluster.scales.get("shop/orders")!.replicas = replicas;
      day.cluster.touch("shop/orders");
    };
    annotate(day, dryRun);
    day.depth(20);
    await day.sync(1);
    other(4);
    await day.sync(2);
    expect(day.state()?.status).toMatchObject({ currentReplicas: 4, desiredReplicas: 4 });
    day.depth(0);
    await syncs(day, 3, 4);
    other(0); // its window is shorter
    await syncs(day, 5, 6);
    expect(day.condition("ScaledToZero")).toMatchObject({ status: "True" });
    day.depth(20);
    await day.sync(7);
    expect(day.state()?.status.desiredReplicas).toBe(4);
    other(4);
    await day.sync(8);
    expect(day.condition("ScaledToZero")).toMatchObject({ status: "False" });
    day.depth(0);
    await day.sync(9);
    other(0);
    await day.sync(10);
    expect(day.cluster.writes).toEqual([]);
    // What ebb wanted, and what the other controller did, once each.
    expect(recordsOf(day)).toEqual([
      "1 → (4) dry DryRun",
      "4 → (4) dry",
      "4 → (4) dry ScaleDownStabilized",
      "0 → (0) dry",
      "0 → (4) dry DryRun",
      "4 → (4) dry",
      "4 → (4) dry ScaleDownStabilized",
      "0 → (0) dry",
    ]);
    annotate(day, undefined);
    day.depth(15);
    await day.sync(11);
    expect(day.replicasNow()).toBe(3);
    expect(day.state()?.intent).toBeUndefined();
  });

  test("a zero that a person made during it stays", async () => {
    const day = fixture({ replicas: 4 });
    annotate(day, dryRun);
    day.depth(20);
    await syncs(day, 1, 2);
    day.cluster.scales.get("shop/orders")!.replicas = 0;
    await day.sync(3);
    annotate(day, undefined);
    await syncs(day, 4, 5);
    expect(day.replicasNow()).toBe(0);
    expect(day.condition("ScalingActive")).toMatchObject({ reason: "ScalingDisabled" });
  });

  test("a scale in progress when it began is settled as usual", async () => {
    const day = fixture();
    day.depth(50);
    const putScale: Cluster["putScale"] = async (target, scale, signal) => {
      await day.cluster.putScale(target, scale, signal);
      throw new Fault("timeout", "no answer");
    };
    await day.sync(1, { cluster: { ...day.cluster, putScale, getScale: failing(day.cluster, 1) } });
    annotate(day, dryRun);
    await day.sync(2);
    expect(day.state()?.history?.scaleUpEvents).toHaveLength(1);
    expect(day.state()?.status.desiredReplicas).toBe(5); // it counts until a period after it was found
    await day.sync(3);
    expect(day.state()?.status.desiredReplicas).toBe(9);
    expect(day.replicasNow()).toBe(5);
    expect(recordsOf(day)).toEqual([
      "1 → 5 ScaleUpLimit",
      "5 → (5) dry ScaleUpLimit",
      "5 → (9) dry ScaleUpLimit+DryRun",
    ]);
  });
});

/** Gives the scale so many times, then does not answer. */
function failing(cluster: Cluster, good: number): Cluster["getScale"] {
  let calls = 0;
  return (target, signal) => {
    calls += 1;
    return calls > good ? Promise.reject(new Fault("timeout", "no answer")) : cluster.getScale(target, signal);
  };
}
