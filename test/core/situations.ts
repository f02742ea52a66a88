import fc from "fast-check";
import type { Behavior, MetricSpec, ScalingRules } from "../../lib/k8s/hpa";
import type { MetricResponse } from "../../lib/k8s/objects";
import type { Situation } from "../../lib/model/situation";
import { at, cpu50, cpuUse, external, hpaWith, perPod, podOf, scaleOf, situationWith } from "./build";

const rules: fc.Arbitrary<ScalingRules> = fc.record({
  stabilizationWindowSeconds: fc.constantFrom(0, 60, 300),
  selectPolicy: fc.constantFrom("Max", "Min", "Disabled"),
  policies: fc.array(
    fc.record({
      type: fc.constantFrom("Pods", "Percent"),
      value: fc.integer({ min: 1, max: 300 }),
      periodSeconds: fc.constantFrom(15, 60, 600),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});
export const behavior: fc.Arbitrary<Behavior | undefined> = fc.option(fc.record({ scaleUp: rules, scaleDown: rules }), {
  nil: undefined,
});

const history = fc.record({
  recommendations: fc
    .array(fc.record({ replicas: fc.integer({ min: 0, max: 30 }), seconds: fc.integer({ min: -900, max: -1 }) }), {
      maxLength: 8,
    })
    .map((runs) => runs.map(({ replicas, seconds }) => ({ replicas, since: at(seconds), at: at(seconds) }))),
  scaleUpEvents: events(),
  scaleDownEvents: events(),
});

function events() {
  return fc
    .array(fc.record({ change: fc.integer({ min: 1, max: 9 }), seconds: fc.integer({ min: -900, max: -1 }) }), {
      maxLength: 5,
    })
    .map((given) => given.map(({ change, seconds }) => ({ change, at: at(seconds) })));
}

const quantity = fc.oneof(
  fc.integer({ min: 0, max: 500 }).map(String),
  fc.integer({ min: -50, max: 1_000_000 }).map((milli) => `${milli}m`),
  fc.constantFrom("0", "9223372036854775807", "1Ei", "1n"),
);

const pods = fc
  .array(
    fc.record({
      phase: fc.constantFrom("Running", "Running", "Running", "Pending", "Failed", "Succeeded"),
      ready: fc.constantFrom<("True" | "False" | "none")[]>("True", "True", "False", "none"),
      started: fc.constantFrom(-3600, -120, -20),
      changed: fc.constantFrom(-3500, -100, -10),
      deleted: fc.constantFrom(false, false, false, true),
    }),
    { maxLength: 12 },
  )
  .map((given) => given.map((one, index) => podOf(`p${index}`, one)));

const cpuResponse: fc.Arbitrary<MetricResponse> = fc
  .dictionary(
    fc.integer({ min: 0, max: 14 }).map((index) => `p${index}`),
    quantity,
    { maxKeys: 15 },
  )
  .map((use) => cpuUse(use));
const reading: fc.Arbitrary<readonly [MetricSpec, MetricResponse]> = fc.oneof(
  fc.tuple(
    fc.constant(perPod),
    fc.array(quantity, { minLength: 1, maxLength: 3 }).map((values) => external(...values)),
  ),
  fc.tuple(fc.constant(cpu50), cpuResponse),
);

/** Any situation of an HPA that the metrics decide: windows, policies, pods and bounds. */
export const situation: fc.Arbitrary<Situation> = fc
  .record({
    behavior,
    history,
    pods,
    readings: fc.array(reading, { minLength: 1, maxLength: 3 }),
    min: fc.integer({ min: 0, max: 5 }),
    span: fc.integer({ min: 0, max: 20 }),
    above: fc.integer({ min: 0, max: 20 }),
    running: fc.integer({ min: 0, max: 30 }),
  })
  .map((given) => {
    const max = Math.max(1, given.min + given.span);
    const metrics = given.readings.map(([metric]) => metric);
    const spec = { minReplicas: given.min, maxReplicas: max, metrics };
    return situationWith({
      hpa: hpaWith(given.behavior === undefined ? spec : { ...spec, behavior: given.behavior }),
      scale: scaleOf(Math.min(max, given.min + given.above), given.running),
      pods: given.pods,
      metrics: given.readings.map(([, response]) => response),
      history: given.history,
    });
  });
