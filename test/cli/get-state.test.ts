import { stateOf } from "../../cli/look/get/columns";
import type { HorizontalPodAutoscaler, HpaStatus } from "../../lib/k8s/hpa";

const now = Date.parse("2026-03-01T12:00:00Z");
type Conditions = NonNullable<HpaStatus["conditions"]>;
const condition = (type: string, status: string, reason: string) => ({ type, status, reason }) as Conditions[number];
const active = condition("ScalingActive", "True", "ValidMetricFound");

const hpa = (status: Partial<HpaStatus>, annotations = {}): HorizontalPodAutoscaler => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "default", annotations },
  spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 5 },
  status: status,
});

const paused = { "ebb.dev/paused": "true" };
const dryRun = { "ebb.dev/dry-run": "true" };
const atMax = condition("ScalingLimited", "True", "TooManyReplicas");

test.each<[string, HorizontalPodAutoscaler, string]>([
  ["never synced", hpa({}), "-"],
  ["as it should be", hpa({ currentReplicas: 2, conditions: [active] }), "-"],
  ["paused, whatever else", hpa({ currentReplicas: 5, conditions: [atMax] }, { ...paused, ...dryRun }), "PAUSED"],
  ["a pause that is over", hpa({}, { "ebb.dev/paused-until": "2026-03-01T11:00:00Z" }), "-"],
  ["dry run", hpa({}, dryRun), "DRY-RUN"],
  ["at zero", hpa({ currentReplicas: 0, conditions: [active] }), "AT-ZERO"],
  ["at its maximum, in a dry run", hpa({ currentReplicas: 5, conditions: [active, atMax] }, dryRun), "AT-MAX,DRY-RUN"],
  [
    "held at its minimum",
    hpa({ currentReplicas: 1, conditions: [condition("ScalingLimited", "True", "TooFewReplicas")] }),
    "-",
  ],
  [
    "a metric fails",
    hpa({ currentReplicas: 2, conditions: [condition("ScalingActive", "False", "FailedGetResourceMetric")] }),
    "FAILING,HELD",
  ],
  ["the scale fails", hpa({ conditions: [condition("AbleToScale", "False", "FailedGetScale")] }), "FAILING"],
  [
    "somebody else scaled it to zero",
    hpa({ currentReplicas: 0, conditions: [condition("ScalingActive", "False", "ScalingDisabled")] }),
    "NOT-OUR-ZERO",
  ],
  ["an annotation that cannot be read", hpa({}, { "ebb.dev/paused": "maybe" }), "FAILING"],
])("%s", (_, given, state) => {
  expect(stateOf(given, now)).toBe(state);
});
