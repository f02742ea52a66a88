import fc from "fast-check";
import { rulesAnnotation } from "../../../lib/model/entry/metric-rules";
import { convertScaledObject } from "../../../cli/set-up/import/keda/convert-scaled-object";

interface Counted {
  readonly failureThreshold: number;
  readonly pollingInterval: number;
}

/** Of the loop, and of the HPA's syncs, in seconds. */
interface Offsets {
  readonly poll: number;
  readonly sync: number;
}

const syncSeconds = 15;

/**
 * The seconds from a trigger's first failure until KEDA falls back. Each trigger has a count of its own. The loop reads
 * none that the HPA reads for it. Upstream, KEDA 2.21: IncrementFailure (pkg/fallback/fallback.go), UsesHPAObservations
 * (apis/keda/v1alpha1/scaledobject_types.go) and hpaActivelyQuerying (pkg/scaling/scale_handler.go).
 */
function fallsBackAfter({ failureThreshold, pollingInterval }: Counted, { poll, sync }: Offsets, polls = true): number {
  const times = (offset: number, every: number) =>
    Array.from({ length: failureThreshold + 1 }, (_, index) => offset + index * every);
  const failures = [...(polls ? times(poll, pollingInterval) : []), ...times(sync, syncSeconds)].sort((a, b) => a - b);
  return (failures[failureThreshold] ?? NaN) - (failures[0] ?? NaN);
}

const sqs = (queue: string) => ({ type: "aws-sqs-queue", metadata: { queueURL: queue, awsRegion: "eu-west-1" } });

function imported({ failureThreshold, pollingInterval }: Counted, more: object = {}) {
  const triggers = [sqs("a"), sqs("b"), sqs("c")];
  const fallback = { failureThreshold, replicas: 6 };
  const spec = { scaleTargetRef: { name: "web" }, pollingInterval, fallback, triggers, ...more };
  return convertScaledObject({ metadata: { name: "web" }, spec }, { annotations: {}, namespace: "shop" });
}

/** By trigger. */
function importedAfter(given: Counted, more: object = {}): readonly number[] {
  const { documents } = imported(given, more);
  const { annotations } = documents[0]?.["metadata"] as { readonly annotations: Readonly<Record<string, string>> };
  const rules = JSON.parse(annotations[rulesAnnotation] ?? "{}") as Readonly<
    Record<string, { readonly fallback: { readonly after: number } }>
  >;
  return Object.values(rules).map((one) => one.fallback.after);
}

const counted = fc.record({
  failureThreshold: fc.integer({ min: 0, max: 20 }),
  pollingInterval: fc.constantFrom(1, 5, 10, 30, 60, 300),
});

test("each of several triggers falls back when KEDA's does, within two of its reads", () => {
  const offsets = fc.record({ poll: fc.integer({ min: 0, max: 300 }), sync: fc.integer({ min: 0, max: 14 }) });
  fc.assert(
    fc.property(counted, fc.array(offsets, { minLength: 3, maxLength: 3 }), (given, began) => {
      const { pollingInterval } = given;
      const afters = importedAfter(given);
      expect(afters).toHaveLength(3);
      const read = (pollingInterval * syncSeconds) / (pollingInterval + syncSeconds);
      began.forEach(({ poll, sync }, index) => {
        const keda = fallsBackAfter(given, { poll: poll % pollingInterval, sync });
        expect(Math.abs((afters[index] ?? NaN) - keda)).toBeLessThanOrEqual(2 * read + 1);
      });
    }),
  );
});

test("while KEDA's HPA goes by other triggers, and never to zero, ebb falls back the sooner of both", () => {
  const given = { failureThreshold: 3, pollingInterval: 30 };
  const offsets = { poll: 0, sync: 0 };
  expect(importedAfter(given, { minReplicaCount: 2 })).toEqual([30, 30, 30]);
  expect(fallsBackAfter(given, offsets, false)).toBe(45);
  fc.assert(
    fc.property(counted, (one) => {
      const keda = fallsBackAfter(one, offsets, false);
      for (const after of importedAfter(one, { minReplicaCount: 2 })) expect(after).toBeLessThanOrEqual(keda);
    }),
  );
});

test.each<[string, object, string | undefined]>([
  ["never goes to zero", {}, "begins after 30 s: KEDA waits 45 s while its HPA goes by another trigger"],
  ["goes to zero", { minReplicaCount: 0 }, undefined],
  ["has an idle size", { idleReplicaCount: 1 }, undefined],
  ["has one trigger", { triggers: [sqs("a")] }, undefined],
  ["caches a metric", { triggers: [sqs("a"), { ...sqs("b"), useCachedMetrics: true }] }, undefined],
  ["has a formula", { advanced: { scalingModifiers: { formula: "a", target: "1" } } }, undefined],
])("an object that %s says whether its fallback begins sooner than KEDA's", (_, more, text) => {
  const { notes } = imported({ failureThreshold: 3, pollingInterval: 30 }, { minReplicaCount: 2, ...more });
  expect(notes.find(({ field, text: said }) => field === "spec.fallback" && said.includes("KEDA"))?.text).toBe(text);
});

test("a fallback that begins at the first failure begins so in KEDA, too", () => {
  const { notes } = imported({ failureThreshold: 0, pollingInterval: 30 }, { minReplicaCount: 2 });
  expect(notes.filter(({ field }) => field === "spec.fallback")).toEqual([]);
});
