import { Fault } from "../../lib/model/fault";
import type { Store } from "../../lib/model/ports/store";
import { document, fixture, metricValue, queueSpec, slotAt, sourceOf } from "./sync-fixture";
import { versionBefore } from "../../lib/model/stored/version";

describe("a day in the life of a queue consumer", () => {
  test("0 → N → 0, one effect a slot, and a decision kept for each", async () => {
    const day = fixture();
    day.depth(0);
    for (let slot = 1; slot <= 6; slot++) await day.sync(slot); // idle: after the window of 60 s it goes to zero
    expect(day.replicasNow()).toBe(0);
    expect(day.condition("ScaledToZero")).toMatchObject({ status: "True", reason: "ScaledToZero" });

    day.depth(50);
    await day.sync(7);
    expect(day.replicasNow()).toBe(4); // 10 wanted, 4 allowed in 15 s
    await day.sync(8);
    expect(day.replicasNow()).toBe(8);
    await day.sync(9);
    expect(day.replicasNow()).toBe(10);

    day.depth(0);
    for (let slot = 10; slot <= 12; slot++) {
      await day.sync(slot);
      expect(day.replicasNow()).toBe(10); // 10 was last recommended at slot 9, which leaves the window of 60 s at slot 13
    }
    await day.sync(13);
    expect(day.replicasNow()).toBe(0);

    expect(day.lines).toEqual(["1 → 0", "0 → 4", "4 → 8", "8 → 10", "10 → 0"]);
    const scalings = day.store.decisions.filter(({ scaleTo }) => scaleTo !== null);
    expect(scalings.map(({ from, scaleTo }) => `${from} → ${scaleTo}`)).toEqual(day.lines);
    expect(day.scaled[1]).toMatchObject({
      namespace: "shop",
      name: "orders",
      target: "Deployment/orders",
      reason: "SuccessfulRescale",
      message: "New size: 4; reason: external metric depth(nil) above target",
      at: slotAt(7) + 200,
    });
  });

  test("a slot in which nothing changes costs one write: the shard's heartbeat", async () => {
    const idle = fixture();
    idle.depth(5);
    await idle.sync(1);
    const before = { ...idle.store.calls };
    await idle.sync(2);
    const spent = Object.entries(idle.store.calls).map(([name, calls]) => [name, calls - (before[name] ?? 0)]);
    expect(Object.fromEntries(spent.filter(([, calls]) => calls !== 0))).toEqual({
      shard: 1,
      load: 1,
      replaceShard: 1,
    });
  });

  test("the heartbeat alone keeps an unchanged recommendation in the window", async () => {
    const steady = fixture({ replicas: 6 });
    steady.depth(30);
    for (let slot = 1; slot <= 20; slot++) await steady.sync(slot);
    const version = steady.state()?.version;
    expect(versionBefore(version ?? 0)).toBe("nothing"); // written once, in the first slot
    steady.depth(0);
    for (let slot = 21; slot <= 23; slot++) await steady.sync(slot);
    expect(steady.replicasNow()).toBe(6); // last seen at slot 20, not at slot 1
    await steady.sync(24);
    expect(steady.replicasNow()).toBe(0);
  });

  test("a recommendation is not kept alive by slots that yielded none", async () => {
    const blind = fixture({ replicas: 6 });
    blind.depth(30);
    for (let slot = 1; slot <= 4; slot++) await blind.sync(slot);
    blind.cluster.external.set("depth", new Fault("badAnswer", "the server is currently unable to handle the request"));
    for (let slot = 5; slot <= 9; slot++) await blind.sync(slot);
    expect(blind.replicasNow()).toBe(6); // unknown never shrinks
    blind.depth(0);
    await blind.sync(10); // 6 was last recommended at slot 4, 90 s ago
    expect(blind.replicasNow()).toBe(0);
    expect(blind.lines).toEqual(["shop/orders: FailedGetExternalMetric", "6 → 0", "shop/orders: recovered"]);
  });
});

describe("messages at least once, late and in any order", () => {
  test("a slot is finished once", async () => {
    const twice = fixture();
    twice.depth(50);
    await twice.sync(1);
    expect(await twice.sync(1)).toMatchObject({ outcome: "done" });
    expect(twice.cluster.writes).toHaveLength(1);
  });

  test("two runs of a slot at the same time have one effect", async () => {
    const both = fixture();
    both.depth(50);
    const outcomes = await Promise.all([both.sync(1), both.sync(1)]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["fenced", "synced"]);
    expect(both.cluster.writes).toEqual([{ target: "shop/orders", from: 1, to: 5 }]);
    expect(both.state()?.history?.scaleUpEvents).toEqual([{ change: 4, at: slotAt(1) + 200 }]);
  });

  test("a message later than its slot, or for an older slot, changes nothing", async () => {
    const late = fixture();
    late.depth(50);
    expect(await late.sync(1, { afterMs: 15_000 })).toMatchObject({ outcome: "late" });
    await late.sync(3);
    expect(await late.sync(2)).toMatchObject({ outcome: "done" });
    expect(late.cluster.writes).toHaveLength(1);
  });

  test("a shard that is gone is no error", async () => {
    const gone = fixture();
    gone.store.shardItems.clear();
    expect(await gone.sync(1)).toMatchObject({ outcome: "gone" });
  });

  test("a clock that went back: nothing is synced until it catches up, and this is reported once", async () => {
    const back = fixture();
    back.depth(50);
    await back.sync(240);
    await back.sync(1);
    await back.sync(2);
    expect(back.cluster.writes).toHaveLength(1);
    expect(back.failures).toMatchObject([{ cluster: "prod", reason: "ClockWentBack" }]);
    expect(back.failures[0]?.message).toContain("the last finished slot is 2026-03-01T13:00:00.000Z");
  });
});

describe("a failure affects only its own HPA", () => {
  test("a bad entry stops itself alone, with a condition that names the field", async () => {
    const mixed = fixture();
    mixed.depth(50);
    mixed.store.documents.set("prod shop/broken", document({ ...queueSpec, maxReplicas: 0 }, "shop/broken"));
    await mixed.sync(1);
    await mixed.sync(2);
    expect(mixed.replicasNow()).toBe(9);
    expect(mixed.store.stateItems.get("prod shop/broken")?.status.conditions).toMatchObject([
      {
        type: "AbleToScale",
        status: "False",
        reason: "InvalidEntry",
        message: expect.stringContaining("spec.maxReplicas") as string,
      },
    ]);
    expect(mixed.lines).toEqual(["1 → 5", "shop/broken: InvalidEntry", "5 → 9"]); // reported once
  });

  test("an entry whose metadata says another name than its key", async () => {
    const misnamed = fixture();
    misnamed.store.documents.set("prod shop/orders", document(queueSpec, "shop/other"));
    await misnamed.sync(1);
    expect(misnamed.condition("AbleToScale")?.message).toBe(
      'metadata: expected the name "shop/orders" as in the sort key, got "shop/other"',
    );
  });

  test("a key with a control character shows it escaped", async () => {
    const odd = fixture();
    odd.store.documents.set("prod shop/or\nders", document(queueSpec));
    await odd.sync(1);
    expect(odd.store.stateItems.get("prod shop/or\nders")?.status.conditions?.[0]?.message).toBe(
      'metadata: expected the name "shop/or\\nders" as in the sort key, got "shop/orders"',
    );
  });

  test.each([null, 3, "text", [], {}, { spec: null }, { spec: { metrics: 7 } }])(
    "an entry that is not an HPA: %j",
    async (odd) => {
      const strange = fixture();
      strange.depth(50);
      strange.store.documents.set("prod shop/strange", odd);
      await strange.sync(1);
      expect(strange.replicasNow()).toBe(5);
      expect(strange.store.stateItems.get("prod shop/strange")?.status.conditions).toMatchObject([
        { reason: "InvalidEntry" },
      ]);
    },
  );

  test("a target that does not exist", async () => {
    const missing = fixture();
    missing.cluster.scales.clear();
    await missing.sync(1);
    await missing.sync(2);
    expect(missing.condition("AbleToScale")).toMatchObject({ status: "False", reason: "FailedGetScale" });
    expect(missing.lines).toEqual(["shop/orders: FailedGetScale"]);
  });

  test("an unreachable cluster: one line for all of its HPAs, and nothing shrinks", async () => {
    const away = fixture();
    for (let i = 0; i < 50; i++) away.store.documents.set(`prod shop/h${i}`, document(queueSpec, `shop/h${i}`));
    const dead = {
      ...away.cluster,
      getScale: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        throw new Fault("unreachable", "https://prod.example: connection refused");
      },
    };
    await away.sync(1, { cluster: dead });
    expect(away.failures).toMatchObject([
      { hpas: 51, reason: "FailedGetScale", message: "https://prod.example: connection refused" },
    ]);
    await away.sync(2, { cluster: dead });
    expect(away.failures).toHaveLength(1);
  });

  test("an invalid cluster entry halts its shard, and is reported once", async () => {
    const bad = fixture();
    bad.store.clusterEntries.set("prod", {
      key: "prod",
      invalid: 'spec.auth.type: expected one of eks, token, got "foo"',
    });
    await bad.sync(1);
    await bad.sync(2);
    expect(bad.failures).toMatchObject([
      { cluster: "prod", reason: "InvalidCluster", message: expect.stringContaining("spec.auth.type") as string },
    ]);
    expect(bad.shardNow()).toMatchObject({ slot: slotAt(2), heartbeat: 0 });
  });

  test("a state that cannot be read is left alone, halts its HPA, and is reported once", async () => {
    const broken = fixture();
    broken.depth(50);
    broken.store.broken.set("STATE prod shop/orders", { why: "version: expected a whole number, got text" });
    await broken.sync(1);
    await broken.sync(2);
    expect(broken.cluster.writes).toEqual([]);
    expect(broken.failures).toMatchObject([
      { reason: "BrokenState", message: "STATE#shop/orders: version: expected a whole number, got text" },
    ]);
  });

  test("an unexpected error in one HPA's sync halts that one", async () => {
    const odd = fixture();
    odd.depth(50);
    odd.store.documents.set(
      "prod shop/second",
      document(
        { ...queueSpec, scaleTargetRef: { kind: "Deployment", name: "second", apiVersion: "apps/v1" } },
        "shop/second",
      ),
    );
    const getScale: typeof odd.cluster.getScale = (target, signal) =>
      target.name === "second" ? Promise.reject(new TypeError("no such thing")) : odd.cluster.getScale(target, signal);
    await odd.sync(1, { cluster: { ...odd.cluster, getScale } });
    await odd.sync(2, { cluster: { ...odd.cluster, getScale } });
    expect(odd.replicasNow()).toBe(9);
    expect(odd.failures).toMatchObject([{ key: "shop/second", reason: "InternalError", message: "no such thing" }]);
    expect(odd.shardNow()?.behind).toEqual({ "shop/second": 0 });
  });

  test("an HPA whose entry is deleted is forgotten", async () => {
    const deleted = fixture();
    deleted.depth(50);
    await deleted.sync(1);
    deleted.store.documents.clear();
    await deleted.sync(2);
    expect(deleted.state()).toBeUndefined();
  });

  test("an HPA whose entry was not in the load, but is in the table, is not forgotten", async () => {
    const created = fixture();
    created.depth(50);
    await created.sync(1);
    const load: Store["load"] = async (range, signal) => ({ ...(await created.store.load(range, signal)), hpas: [] });
    await created.sync(2, { store: { ...created.store, load } });
    expect(created.state()).toMatchObject({ status: { desiredReplicas: 5 } });
  });

  test("a target that is created again at zero, by a restored backup, is still ours to wake, as upstream's is", async () => {
    const recreated = fixture();
    recreated.depth(0);
    for (let slot = 1; slot <= 6; slot++) await recreated.sync(slot);
    expect(recreated.replicasNow()).toBe(0);
    recreated.cluster.add("shop/orders", 0); // another uid
    await recreated.sync(7);
    expect(recreated.condition("ScaledToZero")).toMatchObject({ status: "True" });
    recreated.depth(50);
    await recreated.sync(8);
    expect(recreated.replicasNow()).toBe(4);
  });

  test("a target that is created again has nothing left of the writes to its predecessor", async () => {
    const recreated = fixture();
    recreated.depth(50);
    const putScale = () => Promise.reject(new Fault("lost", "no answer"));
    await recreated.sync(1, { cluster: { ...recreated.cluster, putScale } });
    expect(recreated.state()?.intent).toMatchObject({ to: 5 });
    recreated.cluster.add("shop/orders", 5); // another uid, at the size of the intent
    await recreated.sync(2);
    expect(recreated.scaled).toEqual([expect.objectContaining({ from: 5, to: 9 })]);
  });

  test("an HPA that moves here with its status keeps its zero", async () => {
    const adopted = fixture({ replicas: 0 });
    const conditions = [
      {
        type: "ScaledToZero",
        status: "True",
        reason: "ScaledToZero",
        message: "m",
        lastTransitionTime: "2026-03-01T00:00:00Z",
      },
    ];
    adopted.store.documents.set("prod shop/orders", { ...(document(queueSpec) as object), status: { conditions } });
    adopted.depth(10);
    await adopted.sync(1);
    expect(adopted.replicasNow()).toBe(2);
  });
});

describe("reads are shared", () => {
  test("a metric that several HPAs name is read once a slot", async () => {
    const many = fixture();
    many.depth(50);
    for (let i = 0; i < 20; i++) {
      const key = `shop/c${i}`;
      many.store.documents.set(
        `prod ${key}`,
        document({ ...queueSpec, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: `c${i}` } }, key),
      );
      many.cluster.add(key, 1);
    }
    await many.sync(1);
    expect(many.cluster.calls).toMatchObject({ externalMetric: 1, getScale: 21, putScale: 21 });
    expect(many.cluster.calls.listPods).toBeUndefined();
  });

  test("a source is asked once for all, and not again before its period is over", async () => {
    const paid = fixture({ spec: { ...queueSpec, metrics: [external("cloudwatch", { namespace: "AWS/SQS" })] } });
    const second = {
      ...queueSpec,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "b" },
      metrics: [external("cloudwatch", { namespace: "Other" })],
    };
    paid.store.documents.set("prod shop/b", document(second, "shop/b"));
    paid.cluster.add("shop/b", 1);
    let slot = 1;
    const asked: number[] = [];
    const cloudwatch = sourceOf(() => (asked.push(slot), { items: [metricValue("cloudwatch", 10)] }), 60_000);
    for (; slot <= 9; slot++) await paid.sync(slot, { sources: { cloudwatch } });
    expect(asked).toEqual([1, 1, 5, 5, 9, 9]);
    expect(paid.replicasNow()).toBe(2);
  });

  test("a reading that failed is asked again after a minute, though its period is longer", async () => {
    const flaky = fixture({ spec: { ...queueSpec, metrics: [external("cloudwatch", { namespace: "n" })] } });
    const asked: number[] = [];
    const cloudwatch = (slot: number) =>
      sourceOf(() => {
        asked.push(slot);
        return slot === 1 ? { error: "throttled" } : { items: [metricValue("cloudwatch", 10)] };
      }, 300_000);
    for (let slot = 1; slot <= 26; slot++) await flaky.sync(slot, { sources: { cloudwatch: cloudwatch(slot) } });
    expect(asked).toEqual([1, 5, 25]);
  });

  test("a metric source's failure says where it was read from", async () => {
    const failing = fixture({ spec: { ...queueSpec, metrics: [external("sqs", { queue: "orders" })] } });
    const sqs = sourceOf(() => ({ error: "queue orders: not found", from: "sqs" }));
    await failing.sync(1, { sources: { sqs } });
    expect(failing.condition("ScalingActive")?.message).toContain(
      "unable to fetch metrics from sqs: queue orders: not found",
    );
  });

  test("an External metric with a SOURCE entry is read from there, its labels over the entry's parameters", async () => {
    const named = fixture({ spec: { ...queueSpec, metrics: [external("backlog", { queue: "mine" })] } });
    named.store.sourceEntries.set("prod backlog", {
      key: "backlog",
      value: { name: "backlog", spec: { kind: "sqs", parameters: { queue: "default", region: "eu-west-1" } } },
    });
    const seen: unknown[] = [];
    const sqs = sourceOf((query) => (seen.push(query), { items: [metricValue("backlog", 10)] }));
    await named.sync(1, { sources: { sqs } });
    const parameters = { queue: "mine", region: "eu-west-1" };
    expect(seen).toEqual([{ metricName: "backlog", parameters, requester: "shop/orders" }]);
    expect(named.replicasNow()).toBe(2);
  });

  test("a bad SOURCE entry harms only the metrics that name it", async () => {
    const named = fixture({ spec: { ...queueSpec, metrics: [external("backlog", {})] } });
    named.store.sourceEntries.set("prod backlog", { key: "backlog", invalid: "spec.kind: expected text, got 3" });
    await named.sync(1);
    expect(named.condition("ScalingActive")?.message).toContain(
      "unable to fetch metrics from source backlog: spec.kind: expected text, got 3",
    );
  });
});

function external(name: string, matchLabels: Record<string, string>) {
  const target = { type: "AverageValue", averageValue: "5" };
  return { type: "External", external: { metric: { name, selector: { matchLabels } }, target } };
}
