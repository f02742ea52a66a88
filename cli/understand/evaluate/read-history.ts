import { formatInstant, parseInstant } from "../../../lib/k8s/time";
import type { HistoryInput } from "../../../lib/model/schema/situation";
import type { History, RecommendationSpan, ScaleEvent } from "../../../lib/model/situation";

type RunInput = NonNullable<HistoryInput["recommendations"]>[number];
type EventInput = NonNullable<HistoryInput["scaleUpEvents"]>[number];

/**
 * `{recommendations: [{replicas, at, since?}], scaleUpEvents: [{change, at, foundAt?}], scaleDownEvents: [{change, at,
 * foundAt?}]}`; absent or null if the HPA was never synced.
 */
export function readHistory(given: HistoryInput | undefined): History | null {
  if (given === undefined) return null;
  const { recommendations = [], scaleUpEvents = [], scaleDownEvents = [] } = given;
  return {
    recommendations: recommendations.map(readRun),
    scaleUpEvents: scaleUpEvents.map(readEvent),
    scaleDownEvents: scaleDownEvents.map(readEvent),
  };
}

function readRun({ replicas, at, since = at }: RunInput): RecommendationSpan {
  return { replicas, since: parseInstant(since), at: parseInstant(at) };
}

function readEvent({ change, at, foundAt }: EventInput): ScaleEvent {
  return { change, at: parseInstant(at), ...(foundAt === undefined ? {} : { foundAt: parseInstant(foundAt) }) };
}

/** The inverse of readHistory: the next decision continues exactly. */
export function historyJson({ recommendations, scaleUpEvents, scaleDownEvents }: History) {
  return {
    recommendations: recommendations.map(({ replicas, since, at }) => ({
      replicas,
      since: formatInstant(since),
      at: formatInstant(at),
    })),
    scaleUpEvents: scaleUpEvents.map(eventJson),
    scaleDownEvents: scaleDownEvents.map(eventJson),
  };
}

function eventJson({ change, at, foundAt }: ScaleEvent) {
  return { change, at: formatInstant(at), ...(foundAt === undefined ? {} : { foundAt: formatInstant(foundAt) }) };
}
