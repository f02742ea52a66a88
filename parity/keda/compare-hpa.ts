import { isDeepStrictEqual } from "node:util";
import { withDefaults } from "../../lib/k8s/defaults";
import type { HpaSpec, MetricSpec, MetricTarget } from "../../lib/k8s/hpa";
import { parseMilli } from "../../lib/k8s/quantity";
import { zeroRuleOf } from "../../lib/model/entry/zero-rule";
import { importStory } from "./step-ebb";
import type { Story, Told } from "./story";

/** How the HPA that KEDA makes of an object and the imported one differ, beyond the names of metrics. */
export function hpaDifferences(story: Story, told: Told): readonly string[] {
  const { hpa } = importStory(story);
  const theirs = withDefaults({ metadata: {}, spec: told.hpa } as never).spec;
  const zero = zeroRuleOf(hpa);
  const pairs: Readonly<Record<string, readonly [unknown, unknown]>> = {
    scaleTargetRef: [theirs.scaleTargetRef, hpa.spec.scaleTargetRef],
    minReplicas: [theirs.minReplicas, leastOf(story, zero?.from ?? Math.max(1, hpa.spec.minReplicas ?? 1))],
    maxReplicas: [theirs.maxReplicas, hpa.spec.maxReplicas],
    behavior: [behaviorOf(theirs), behaviorOf(hpa.spec)],
    metrics: [metricsOf(theirs), metricsOf(hpa.spec)],
  };
  return Object.entries(pairs).flatMap(([name, [keda, ebb]]) =>
    isDeepStrictEqual(keda, ebb) ? [] : [`${name}: KEDA has ${JSON.stringify(keda)}, ebb ${JSON.stringify(ebb)}`],
  );
}

/** With an idle size above 0 or a pause, the import writes another minimum, and a note. */
function leastOf({ object: { spec, metadata } }: Story, least: number): unknown {
  const isOther = metadata["annotations"] !== undefined || Number(spec["idleReplicaCount"] ?? 0) > 0;
  return isOther ? (spec["minReplicaCount"] ?? 1) : least;
}

/** A tolerance is the same in any spelling. */
function behaviorOf({ behavior = {} }: HpaSpec): unknown {
  const read = (name: string, value: unknown) => (name === "tolerance" ? String(parseMilli(String(value))) : value);
  return JSON.parse(JSON.stringify(behavior, read));
}

/** KEDA sorts by type. */
function metricsOf({ metrics = [] }: HpaSpec): readonly object[] {
  return metrics.map(targetOf).toSorted((one, other) => (one.type < other.type ? -1 : one.type > other.type ? 1 : 0));
}

function targetOf({ type, external, resource }: MetricSpec) {
  const { value, averageValue, averageUtilization } = (external ?? resource)?.target ?? ({} as Partial<MetricTarget>);
  const exact = [value, averageValue].map((one) => (one === undefined ? null : String(parseMilli(one))));
  return { type, name: resource?.name ?? null, exact, averageUtilization: averageUtilization ?? null };
}
