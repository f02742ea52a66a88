import { isPaused, type Operations } from "../model/annotations";
import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import { setConditions } from "./conditions";
import { adoptedZero, withoutEffect } from "./modifiers/dry-run";
import { evaluate } from "./evaluate";
import { pausedDecision, resumed, wasPaused } from "./modifiers/paused";
import type { Decision, HpaEvent, Situation } from "../model/situation";
import type { EpochMs } from "../k8s/time";

/**
 * One sync's decision about an entry of ours: upstream's, unless its annotations pause it or make it a dry run. While it is paused neither
 * pods nor metrics are looked at, and the scale may be left out as an error.
 */
export function evaluateEntry(situation: Situation, operations: Operations, now: EpochMs): Decision {
  if (isPaused(operations, now)) return pausedDecision(situation, operations, now);
  const prepared = { ...situation, hpa: prepare(situation, operations, now) };
  const decision = evaluate(prepared, now);
  const operated = operations.dryRun ? withoutEffect(prepared, decision, now) : decision;
  return wasPaused(situation.hpa) ? { ...operated, events: [resumedEvent, ...operated.events] } : operated;
}

/** The HPA as it is evaluated, with its status as operations have it: by this it is told what has to be observed. */
export function prepare(
  { hpa, scale, history }: Pick<Situation, "hpa" | "scale" | "history">,
  { dryRun }: Operations,
  now: EpochMs,
): HorizontalPodAutoscaler {
  const zero = dryRun ? adoptedZero({ hpa, scale, history }) : undefined;
  const verdicts = [...(wasPaused(hpa) ? [resumed] : []), ...(zero === undefined ? [] : [zero])];
  if (verdicts.length === 0) return hpa;
  return { ...hpa, status: { ...hpa.status, conditions: setConditions(hpa.status?.conditions ?? [], verdicts, now) } };
}

const resumedEvent: HpaEvent = { type: "Normal", reason: resumed.reason, message: "resumed" };
