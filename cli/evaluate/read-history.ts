import { formatInstant, parseInstant } from "../../lib/k8s/time";
import type { History, Run, ScaleEvent } from "../../lib/model/situation";
import { checkInstant, checkInt32, checkObject, field, itemsOf, optional, type At } from "./shape";

/**
 * `{recommendations: [{replicas, at, since?}], scaleUpEvents: [{change, at, foundAt?}], scaleDownEvents: [{change, at,
 * foundAt?}]}`; absent or null if the HPA was never synced. Throws ShapeError.
 */
export function readHistory(at: At): History | null {
  if (at.value === undefined) return null;
  checkObject(at);
  return {
    recommendations: itemsOf(field(at, "recommendations")).map(readRun),
    scaleUpEvents: itemsOf(field(at, "scaleUpEvents")).map(readEvent),
    scaleDownEvents: itemsOf(field(at, "scaleDownEvents")).map(readEvent),
  };
}

function readRun(run: At): Run {
  checkInt32(field(run, "replicas"));
  checkInstant(field(run, "at"));
  optional(field(run, "since"), checkInstant);
  const at = field(run, "at").value as string;
  const since = (field(run, "since").value ?? at) as string;
  return { replicas: field(run, "replicas").value as number, since: parseInstant(since), at: parseInstant(at) };
}

function readEvent(event: At): ScaleEvent {
  checkInt32(field(event, "change"));
  checkInstant(field(event, "at"));
  optional(field(event, "foundAt"), checkInstant);
  const change = field(event, "change").value as number;
  const at = parseInstant(field(event, "at").value as string);
  const foundAt = field(event, "foundAt").value as string | undefined;
  return { change, at, ...(foundAt === undefined ? {} : { foundAt: parseInstant(foundAt) }) };
}

/** In the form that readHistory reads: as input of the next decision, it continues exactly. */
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
