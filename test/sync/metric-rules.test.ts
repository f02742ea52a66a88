import type { HpaSpec, MetricSpec } from "../../lib/k8s/hpa";
import type { MetricRules } from "../../lib/model/metric/metric-rules";
import type { MetricSources } from "../../lib/model/ports/sources";
import { fixture, metricValue, queueSpec, slotAt, sourceOf } from "./sync-fixture";

const noWindow = {
  scaleUp: { policies: [{ type: "Pods", value: 20, periodSeconds: 15 }] },
  scaleDown: { stabilizationWindowSeconds: 0 },
};

function on(name: string, labels?: Readonly<Record<string, string>>): MetricSpec {
  const selector = labels === undefined ? {} : { selector: { matchLabels: labels } };
  return {
    type: "External",
    external: { metric: { name, ...selector }, target: { type: "AverageValue", averageValue: "5" } },
  };
}

function specOn(...metrics: readonly MetricSpec[]): HpaSpec {
  return { ...queueSpec, metrics, behavior: noWindow };
}

interface Given {
  readonly spec?: HpaSpec;
  readonly replicas?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly annotation?: Readonly<Record<string, MetricRules>> | string;
  readonly source?: { readonly kind: string } & MetricRules;
}

/** An HPA on the metric "work", which a source of kind sqs answers unless another one is given. */
function dayOf({
  spec = specOn(on("sqs", { queue: "work" })),
  replicas = 3,
  annotations = {},
  annotation,
  source,
}: Given = {}) {
  const day = fixture({ spec, replicas });
  const answer: { now: number | string; certain: number | undefined } = { now: 0, certain: undefined };
  const read = () =>
    answer.now === "?"
      ? ({ error: "AccessDenied", from: "sqs" } as const)
      : {
          items: [metricValue("sqs", answer.now)],
          ...(answer.certain !== undefined && { certain: String(answer.certain) }),
        };
  const formula = { ...sourceOf(read), operands: () => [{ name: "a", metric: { name: "sqs" } }] };
  const sources: MetricSources = {
    sqs: { ...sourceOf(read), settleMs: () => 60_000 },
    other: sourceOf(read),
    formula,
  };
  if (source !== undefined)
    day.store.sourceEntries.set("prod work", { key: "work", value: { name: "work", spec: source } });
  if (annotation !== undefined || Object.keys(annotations).length > 0) {
    const text = typeof annotation === "string" ? annotation : JSON.stringify(annotation ?? {});
    const metadata = {
      namespace: "shop",
      name: "orders",
      annotations: { ...annotations, "ebb.dev/metric-rules": text },
    };
    const document = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata, spec };
    day.store.documents.set("prod shop/orders", document);
  }
  let index = 0;
  const slot = async (value: number | string, certain?: number) => {
    [answer.now, answer.certain] = [value, certain];
    await day.sync((index += 1), { sources });
    return day.replicasNow();
  };
  const wake = async (value: number | string, certain?: number) => {
    [answer.now, answer.certain] = [value, certain];
    await day.wake(slotAt(index) + 5_000, { sources });
    return day.replicasNow();
  };
  return { ...day, slot, wake };
}

/** Until the target is at zero, but not endlessly. */
async function emptySlots(day: ReturnType<typeof dayOf>): Promise<number> {
  for (let slots = 1; slots <= 100; slots += 1) if ((await day.slot(0)) === 0) return slots;
  return Infinity;
}

test("a queue that is read through sqs goes to zero when it was empty for a minute", async () => {
  const day = dayOf();
  expect([await day.slot(15), await day.slot(0), await day.slot(15)]).toEqual([3, 1, 3]);
  expect(await emptySlots(day)).toBe(5);
  expect(day.condition("ScaledToZero")?.status).toBe("True");
});

test("so does a formula of one, which settles as late", async () => {
  const day = dayOf({ spec: specOn(on("work")), source: { kind: "formula" } });
  expect([await day.slot(15), await emptySlots(day)]).toEqual([3, 5]);
});

test.each([
  ["of its own, shorter than the slots'", "5s", 13],
  ["of its own, longer: while it is counted, it is read in each slot", "5m", 5],
  ["of seven seconds, which a minute has no whole number of", "7s", 10],
])("the minute is counted in the period that is used: one %s", async (_name, period, slots) => {
  const day = dayOf({ annotations: { "ebb.dev/sync-period": period } });
  await day.slot(0);
  const memory = Object.values(day.state()?.memory ?? {})[0]?.readings;
  const confirm = day.state()?.decision?.steps.find(({ stage }) => stage === "confirm")?.detail as object;
  expect(memory?.slots).toBe(1);
  expect(confirm).toMatchObject({ slotsToZero: slots - 1 });
});

test("in flight alone, a count wakes after a minute; a visible message wakes at once", async () => {
  const day = dayOf({ spec: specOn(on("sqs", { queue: "work" })) });
  await emptySlots(day);
  const sizes: unknown[] = [];
  for (let slot = 0; slot < 5; slot += 1) sizes.push(await day.slot(3, 0));
  expect(sizes).toEqual([0, 0, 0, 0, 1]);
  await emptySlots(day);
  expect([await day.slot(3, 0), await day.slot(3, 1)]).toEqual([0, 1]);
});

test("a queue whose count is exact says so with confirm 1: then messages in flight wake at once, too", async () => {
  const day = dayOf({ annotation: { sqs: { confirm: 1 } } });
  expect([await day.slot(15), await day.slot(0), await day.slot(3, 0)]).toEqual([3, 0, 1]);
});

test.each<[string, Given]>([
  ["the entry of the source", { spec: specOn(on("work")), source: { kind: "sqs", confirm: 1 } }],
  ["the annotation, by name", { annotation: { sqs: { confirm: 1 } } }],
  ["the annotation, by the name that explain prints", { annotation: { "sqs(queue=work)": { confirm: 1 } } }],
  ["another kind of source", { spec: specOn(on("work")), source: { kind: "other" } }],
])("with confirm 1 by %s, the first one", async (_name, given) => {
  const day = dayOf(given);
  expect([await day.slot(15), await day.slot(0)]).toEqual([3, 0]);
});

test("the annotation takes away the source's fallback and its maxReplicas with null", async () => {
  const source = { kind: "other", maxReplicas: 2, fallback: { after: 0, replicas: 7 } };
  const own = dayOf({ spec: specOn(on("work")), source });
  expect([await own.slot(15), await own.slot("?")]).toEqual([2, 2]);
  const annotation = { work: { fallback: null, maxReplicas: null } };
  const without = dayOf({ spec: specOn(on("work")), source, annotation: JSON.stringify(annotation) });
  expect([await without.slot(15), await without.slot("?")]).toEqual([3, 3]);
  expect(own.condition("ExternalMetricFallbackActive")?.status).toBe("True");
  expect(without.condition("ExternalMetricFallbackActive")).toBeUndefined();
});

test("the annotation replaces the source's fields one by one", async () => {
  const source = { kind: "other", activation: "4", maxReplicas: 2 };
  const day = dayOf({ spec: specOn(on("work")), source, annotation: { work: { maxReplicas: 5 } } });
  expect([await day.slot(50), await day.slot(4)]).toEqual([5, 0]);
});

test("two metrics of one name have rules of their own by what explain calls them", async () => {
  const spec = specOn(on("sqs", { queue: "a" }), on("sqs", { queue: "b" }));
  const annotation = { sqs: { maxReplicas: 2 }, "sqs(queue=b)": { maxReplicas: 6 } };
  const day = dayOf({ spec, annotation });
  expect(await day.slot(50)).toBe(6);
});

test("a wake belongs to the slot under way: it neither reaches zero nor leaves it twice as fast", async () => {
  const day = dayOf({ annotation: { sqs: { confirm: 2, confirmWake: 2 } } });
  await day.slot(5);
  expect([await day.slot(0), await day.wake(0), await day.wake(0), await day.slot(0)]).toEqual([1, 1, 1, 0]);
  expect([await day.slot(5), await day.wake(5), await day.wake(5), await day.slot(5)]).toEqual([0, 0, 0, 1]);
});

test("a slot that cannot be read does not confirm", async () => {
  const day = dayOf({ replicas: 1, annotation: { sqs: { confirm: 2 } } });
  expect([await day.slot(0), await day.slot("?"), await day.slot(0), await day.slot(0)]).toEqual([1, 1, 1, 0]);
});

test("an idle HPA costs no write, however long it has been counted", async () => {
  const day = dayOf({ replicas: 1, annotation: { sqs: { confirm: 3 } }, spec: specOn(on("sqs", { queue: "q" })) });
  for (let slot = 0; slot < 5; slot += 1) await day.slot(0);
  const writes = day.store.calls["putState"] ?? 0;
  await day.slot(0);
  await day.slot(0);
  expect(day.store.calls["putState"]).toBe(writes);
  expect(day.state()?.memory).toEqual({ "sqs(queue=q)": { readings: { empty: true, slots: 3, slot: slotAt(3) } } });
});

test("a fallback begins after its time, and the state remembers since when", async () => {
  const annotation = { sqs: { fallback: { after: 30, replicas: 7 } } };
  const day = dayOf({ annotation });
  const reached = [await day.slot(15), await day.slot("?"), await day.slot("?"), await day.slot("?")];
  expect(reached).toEqual([3, 3, 3, 7]);
  expect(day.condition("ExternalMetricFallbackActive")?.status).toBe("True");
  expect(await day.eventsNow()).toContainEqual(expect.stringContaining("ExternalMetricFallbackActivated x1"));
  expect(await day.slot("?")).toBe(7);
  expect(await day.slot(15)).toBe(3);
  expect(day.condition("ExternalMetricFallbackActive")?.status).toBe("False");
  expect(day.state()?.memory).toBeUndefined();
});

test("a metric that comes from the cluster has its rules from the annotation alone", async () => {
  const day = dayOf({ spec: specOn(on("depth")), annotation: { depth: { activation: "7", confirm: 2 } } });
  day.depth(20);
  expect(await day.slot(0)).toBe(4);
  day.depth(7);
  expect([await day.slot(0), await day.slot(0)]).toEqual([2, 0]);
});

test.each([
  ["not JSON", "confirm: 2", "must be JSON"],
  ["a misspelt field", { sqs: { confrim: 2 } }, "sqs.confrim: unknown field (did you mean confirm?)"],
  ["a number as text", '{"sqs":{"confirm":"2"}}', "sqs.confirm: expected a whole number from 1 to 100"],
  ["no number to fall back to", { sqs: { fallback: {} } }, "expected either replicas or percentOfMaxReplicas"],
  ["a fallback to none", { sqs: { fallback: { replicas: 0 } } }, "expected a whole number from 1 to 2147483647, got 0"],
  ["a quantity too long for any use", { sqs: { activation: "1".repeat(300) } }, "sqs.activation: expected a quantity"],
  ["a metric that the HPA lacks", { sqss: { confirm: 2 } }, "sqss: names no metric of the HPA (did you mean sqs?)"],
])("%s in the annotation halts the HPA, and names the field", async (_name, annotation, message) => {
  const day = dayOf({ annotation: annotation as Exclude<Given["annotation"], undefined> });
  expect(await day.slot(0)).toBe(3);
  const { reason, message: text } = day.condition("AbleToScale") ?? {};
  expect(reason).toBe("InvalidEntry");
  expect(text).toContain("metadata.annotations[ebb.dev/metric-rules]");
  expect(text).toContain(message);
});

test("while paused nothing is counted, and counting begins again after the pause", async () => {
  const day = dayOf({ replicas: 1, annotation: { sqs: { confirm: 2 } } });
  await day.slot(0);
  const running = day.store.documents.get("prod shop/orders") as { metadata: { annotations?: object } };
  const annotations = { ...running.metadata.annotations, "ebb.dev/paused": "true" };
  day.store.documents.set("prod shop/orders", { ...running, metadata: { ...running.metadata, annotations } });
  await day.slot(0);
  expect(day.state()?.memory).toBeUndefined();
  day.store.documents.set("prod shop/orders", running);
  expect([await day.slot(0), await day.slot(0)]).toEqual([1, 0]);
});

test("what a state remembers may be under any name, and a long one is shortened", async () => {
  const queue = "q".repeat(300);
  const day = dayOf({ replicas: 1, spec: specOn(on("sqs", { queue })) });
  expect(await emptySlots(day)).toBe(5);
  expect(Object.keys(day.state()?.memory ?? {})[0]?.length).toBeLessThan(300);
  const odd = dayOf({ replicas: 1, spec: specOn(on("constructor")), source: { kind: "other" } });
  odd.cluster.external.set("constructor", [metricValue("constructor", 0)]);
  expect(await odd.slot(0)).toBe(0);
});
