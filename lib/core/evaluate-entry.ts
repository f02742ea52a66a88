import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";
import type { Operations } from "../model/entry/annotations";
import type { Decision, Situation } from "../model/situation";
import { evaluate } from "./evaluate";
import { dryRun, type Modifier, type Unobserved, paused } from "./modifiers";

/** The outermost comes first: it prepares first and amends last. */
const modifiers: readonly Modifier[] = [paused, dryRun];

/** A paused entry needs neither pods nor metrics, nor a scale. */
export function evaluateEntry(situation: Situation, operations: Operations, now: EpochMs): Decision {
  for (const { instead } of modifiers) {
    const decision = instead?.(situation, operations, now);
    if (decision !== undefined) return decision;
  }
  const hpa = prepare(situation, operations, now);
  const prepared = hpa === situation.hpa ? situation : { ...situation, hpa };
  const modified = { found: situation, prepared, operations, now };
  return modifiers.reduceRight((decision, { amend }) => amend(decision, modified), evaluate(prepared, now));
}

/** The HPA as the stages see it: a sync observes what it needs. */
export function prepare(known: Unobserved, operations: Operations, now: EpochMs): HorizontalPodAutoscaler {
  return modifiers.reduce((hpa, modifier) => {
    const soFar = hpa === known.hpa ? known : { ...known, hpa };
    return modifier.prepare(soFar, operations, now);
  }, known.hpa);
}
