import {
  checkDuration,
  checkInstant,
  checkInt32,
  checkName,
  checkNotNegative,
  checkObject,
  checkQuantity,
  checkText,
  entriesOf,
  field,
  itemsOf,
  optional,
  ShapeError,
  type At,
} from "./shape";

/** autoscaling/v1 Scale, or {error}. */
export function checkScale(at: At): void {
  checkObject(at);
  if (field(at, "error").value !== undefined) return checkText(field(at, "error"));
  optional(field(field(at, "spec"), "replicas"), checkInt32);
  checkInt32(field(field(at, "status"), "replicas"));
  optional(field(field(at, "status"), "selector"), checkText);
}

/** core/v1 Pod, as far as a decision reads it. */
export function checkPod(at: At): void {
  checkObject(at);
  const metadata = field(at, "metadata");
  checkName(field(metadata, "name"));
  entriesOf(field(metadata, "labels")).forEach(checkText);
  optional(field(metadata, "deletionTimestamp"), checkInstant);
  const spec = field(at, "spec");
  itemsOf(field(spec, "containers")).forEach(checkContainer);
  itemsOf(field(spec, "initContainers")).forEach(checkContainer);
  entriesOf(field(field(spec, "resources"), "requests")).forEach(checkQuantity);
  entriesOf(field(spec, "overhead")).forEach(checkQuantity);
  const status = field(at, "status");
  optional(field(status, "phase"), checkText);
  optional(field(status, "startTime"), checkInstant);
  for (const condition of itemsOf(field(status, "conditions"))) {
    checkText(field(condition, "type"));
    checkText(field(condition, "status"));
    optional(field(condition, "lastTransitionTime"), checkInstant);
  }
}

function checkContainer(at: At): void {
  checkName(field(at, "name"));
  optional(field(at, "restartPolicy"), checkText);
  entriesOf(field(field(at, "resources"), "requests")).forEach(checkQuantity);
}

const checkItem: ReadonlyMap<string, (at: At) => void> = new Map([
  ["Resource", checkPodMetrics],
  ["ContainerResource", checkPodMetrics],
  ["Pods", checkMetricValue],
  ["Object", checkMetricValue],
  ["External", checkExternalValue],
]);

/** The answer of the metrics API for a metric of that type: {items}, or {error}. */
export function checkResponse(at: At, type: string): void {
  checkObject(at);
  if (field(at, "error").value !== undefined) {
    checkText(field(at, "error"));
    return optional(field(at, "from"), checkText);
  }
  const items = field(at, "items");
  if (items.value === undefined) throw new ShapeError(at, "items or an error");
  itemsOf(items).forEach(checkItem.get(type) ?? checkObject);
}

function checkPodMetrics(at: At): void {
  checkName(field(field(at, "metadata"), "name"));
  checkInstant(field(at, "timestamp"));
  checkDuration(field(at, "window"));
  for (const container of itemsOf(field(at, "containers"))) {
    checkName(field(container, "name"));
    entriesOf(field(container, "usage")).forEach(checkQuantity);
  }
}

function checkMetricValue(at: At): void {
  checkText(field(field(at, "describedObject"), "name"));
  checkInstant(field(at, "timestamp"));
  optional(field(at, "windowSeconds"), checkNotNegative);
  checkQuantity(field(at, "value"));
}

function checkExternalValue(at: At): void {
  checkQuantity(field(at, "value"));
}
