import {
  checkInstant,
  checkInt32,
  checkName,
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

/** Checks only the shape. `ebb validate` checks the values, and the decision uses them as they are. */
export function checkHpa(at: At): void {
  checkObject(at);
  checkName(field(field(at, "metadata"), "name"));
  optional(field(field(at, "metadata"), "namespace"), checkText);
  optional(field(field(at, "metadata"), "generation"), checkInteger);
  checkSpec(field(at, "spec"));
  optional(field(at, "status"), checkStatus);
}

function checkInteger(at: At): void {
  if (!Number.isSafeInteger(at.value)) throw new ShapeError(at, "an integer");
}

function checkSpec(spec: At): void {
  checkObject(spec);
  checkReference(field(spec, "scaleTargetRef"));
  optional(field(spec, "minReplicas"), checkInt32);
  checkInt32(field(spec, "maxReplicas"));
  itemsOf(field(spec, "metrics")).forEach(checkMetric);
  optional(field(spec, "behavior"), (behavior) => {
    checkObject(behavior);
    optional(field(behavior, "scaleUp"), checkRules);
    optional(field(behavior, "scaleDown"), checkRules);
  });
}

function checkReference(reference: At): void {
  checkObject(reference);
  checkText(field(reference, "kind"));
  checkText(field(reference, "name"));
  optional(field(reference, "apiVersion"), checkText);
}

const sourceOf: ReadonlyMap<unknown, string> = new Map([
  ["Resource", "resource"],
  ["ContainerResource", "containerResource"],
  ["Pods", "pods"],
  ["Object", "object"],
  ["External", "external"],
]);

function checkMetric(metric: At): void {
  checkObject(metric);
  const type = field(metric, "type");
  checkText(type);
  const name = sourceOf.get(type.value);
  if (name === undefined) return;
  const source = field(metric, name);
  checkObject(source);
  checkTarget(field(source, "target"));
  if (name === "resource" || name === "containerResource") checkName(field(source, "name"));
  else checkIdentifier(field(source, "metric"));
  if (name === "containerResource") checkName(field(source, "container"));
  if (name === "object") checkReference(field(source, "describedObject"));
}

function checkTarget(target: At): void {
  checkObject(target);
  optional(field(target, "type"), checkText);
  optional(field(target, "value"), checkQuantity);
  optional(field(target, "averageValue"), checkQuantity);
  optional(field(target, "averageUtilization"), checkInt32);
}

function checkIdentifier(metric: At): void {
  checkObject(metric);
  checkText(field(metric, "name"));
  optional(field(metric, "selector"), (selector) => {
    checkObject(selector);
    entriesOf(field(selector, "matchLabels")).forEach(checkText);
    for (const expression of itemsOf(field(selector, "matchExpressions"))) {
      checkText(field(expression, "key"));
      checkText(field(expression, "operator"));
      itemsOf(field(expression, "values")).forEach(checkText);
    }
  });
}

function checkRules(rules: At): void {
  checkObject(rules);
  optional(field(rules, "stabilizationWindowSeconds"), checkInt32);
  optional(field(rules, "selectPolicy"), checkText);
  optional(field(rules, "tolerance"), checkQuantity);
  for (const policy of itemsOf(field(rules, "policies"))) {
    checkText(field(policy, "type"));
    checkInt32(field(policy, "value"));
    checkInt32(field(policy, "periodSeconds"));
  }
}

function checkStatus(status: At): void {
  checkObject(status);
  optional(field(status, "lastScaleTime"), checkInstant);
  optional(field(status, "currentReplicas"), checkInt32);
  optional(field(status, "desiredReplicas"), checkInt32);
  itemsOf(field(status, "currentMetrics")).forEach(checkObject);
  for (const condition of itemsOf(field(status, "conditions"))) {
    checkText(field(condition, "type"));
    checkText(field(condition, "status"));
  }
}
