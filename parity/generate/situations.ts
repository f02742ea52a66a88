import fc from "fast-check";
import { type Measured, measured } from "./metrics";
import { type GeneratedPod, podsAt } from "./pods";
import { rarely } from "./quantities";
import { behavior, bounds, scaleTargetRef, withZeroAllowed } from "./specs";

/** Half a second past: upstream's periods are never compared with a moment that is exactly at their end. */
const begin = Date.UTC(2026, 2, 1, 12, 0, 0, 500);
const second = 1_000;
const at = (seconds: number) => new Date(begin + seconds * second).toISOString();

const options = fc.record(
  {
    tolerance: fc.constantFrom(0, 0.05, 0.2, 0.5),
    downscaleStabilizationSeconds: fc.constantFrom(0, 15, 60, 600, 3600),
    cpuInitializationPeriodSeconds: fc.constantFrom(0, 60, 600),
    initialReadinessDelaySeconds: fc.constantFrom(0, 10, 60),
  },
  { requiredKeys: [] },
);

const past = fc.integer({ min: 1, max: 900 }).map((seconds) => at(-seconds));
const scaleEvents = fc
  .array(fc.record({ change: fc.integer({ min: 1, max: 9 }), at: past }), { maxLength: 5 })
  .map(oldestFirst);
const history = fc.record({
  recommendations: fc
    .array(fc.record({ replicas: fc.integer({ min: 0, max: 20 }), at: past }), { maxLength: 6 })
    .map(oldestFirst),
  scaleUpEvents: scaleEvents,
  scaleDownEvents: scaleEvents,
});

function oldestFirst<T extends { readonly at: string }>(entries: readonly T[]): readonly T[] {
  return entries.toSorted((one, other) => (one.at < other.at ? -1 : 1));
}

const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  message: `the message of ${reason}`,
  lastTransitionTime: "2026-03-01T11:10:34Z",
});
const status = fc.constantFrom(
  [],
  [condition("AbleToScale", "True", "ReadyForNewScale")],
  [condition("AbleToScale", "True", "SucceededRescale"), condition("ScaledToZero", "True", "ScaledToZero")],
  [
    condition("AbleToScale", "True", "ReadyForNewScale"),
    condition("ScalingActive", "True", "ValidMetricFound"),
    condition("ScalingLimited", "False", "DesiredWithinRange"),
    condition("ScaledToZero", "False", "NotScaledToZero"),
  ],
);

const otherHpa = fc
  .record({ name: fc.constantFrom("other", "a"), selector: fc.constantFrom("app=x", "app=y", "app in (x,z)") })
  .map((given) => [{ namespace: "default", ...given }]);

const targetSelector = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom("app=x", "app=x", "app=x", "app in (x,y)") },
  { weight: 1, arbitrary: fc.constantFrom("", "!!", "app=z") },
);

interface Bounds {
  readonly minReplicas?: number;
  readonly maxReplicas: number;
}

export interface World {
  readonly bounds: Bounds;
  readonly hpa: object;
  readonly sources: readonly Measured[];
  readonly options: object | undefined;
}

export const worlds: fc.Arbitrary<World> = fc
  .record({
    bounds,
    behavior: rarely(2, behavior),
    generation: fc.constantFrom(undefined, 1, 5),
    sources: fc.array(measured, { minLength: 1, maxLength: 3 }),
    options: rarely(3, options),
  })
  .map(({ bounds: given, behavior: rules, generation, sources, options: chosen }) => {
    const metrics = sources.map(({ spec }) => spec);
    const spec = withZeroAllowed({ scaleTargetRef, ...given, metrics, ...(rules && { behavior: rules }) });
    const metadata = { name: "hpa", namespace: "default", generation };
    return {
      hpa: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata, spec },
      bounds: given,
      sources,
      options: chosen,
    };
  });

/** Mostly between the bounds, where metrics decide. */
function scaleOf({ minReplicas = 1, maxReplicas }: Bounds): fc.Arbitrary<object> {
  const replicas = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: Math.min(minReplicas, maxReplicas), max: Math.min(maxReplicas, 20) }) },
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 15 }) },
  );
  const found = fc
    .record({ replicas, behind: fc.constantFrom(0, 0, 0, -1, 1, 2), selector: targetSelector })
    .map(({ replicas: wanted, behind, selector }) => ({
      metadata: { name: "x", namespace: "default" },
      spec: { replicas: wanted },
      status: { replicas: Math.max(0, wanted + behind), selector },
    }));
  const missing = fc.constant({ error: 'deployments.apps "x" not found' });
  return fc.oneof({ weight: 60, arbitrary: found }, { weight: 1, arbitrary: missing });
}

/** What the controller sees at `now`. */
export function observed(now: string, { bounds: between, sources }: World): fc.Arbitrary<object> {
  return fc.record({ pods: podsAt(Date.parse(now)), scale: scaleOf(between) }).map(({ pods, scale: target }) => ({
    now,
    scale: target,
    pods,
    metrics: sources.map(({ response }) => response(measuredNames(pods, now))),
  }));
}

function measuredNames(pods: readonly GeneratedPod[], now: string) {
  const timestamp = `${new Date(Date.parse(now) - 20 * second).toISOString().slice(0, 19)}Z`;
  return pods.map(({ metadata: { name } }) => ({ name, at: timestamp }));
}

const replicasBefore = { currentReplicas: 1, desiredReplicas: 1 };

export const situations: fc.Arbitrary<object> = worlds.chain((world) =>
  fc
    .record({
      seen: observed(at(0), world),
      history: rarely(2, history),
      conditions: status,
      observedGeneration: fc.constantFrom(undefined, 4),
      otherHpas: rarely(12, otherHpa),
    })
    .map(({ seen, history: remembered, conditions, observedGeneration, otherHpas }) => ({
      ...seen,
      hpa:
        conditions.length === 0
          ? world.hpa
          : { ...world.hpa, status: { ...replicasBefore, observedGeneration, conditions } },
      history: remembered ?? null,
      ...(world.options && { options: world.options }),
      ...(otherHpas && { otherHpas }),
    })),
);

export const stories: fc.Arbitrary<object> = worlds.chain((world) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(15, 15, 15, 30, 60, 300), fc.integer({ min: -499, max: 499 })), {
      // Upstream's clock goes on during a sync, so no two of its moments are a window apart to the millisecond.
      selector: ([, jitter]) => jitter,
      minLength: 2,
      maxLength: 14,
      size: "max",
    })
    .chain((gaps) => {
      let seconds = 0;
      const moments = gaps.map(([gap, jitter]) => at((seconds += gap) + jitter / 1_000));
      return fc.tuple(...moments.map((now) => observed(now, world)));
    })
    .map((steps) => ({ hpa: world.hpa, ...(world.options && { options: world.options }), steps })),
);
