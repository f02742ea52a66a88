import { isDeepStrictEqual } from "node:util";
import { present } from "../../../../lib/k8s/map";
import { fieldAt, isJsonObject, type KubernetesObject, listAt } from "../resources/object";
import { deployments, pods, replicaSets, type ResourceKind, type ScaleRule, statefulSets } from "../resources/kinds";
import { type LabelMatch, parseLabelSelector, selectorText } from "../resources/selectors";
import { badRequest, type FieldCause, invalidError } from "../resources/status";

const notNegative = "must be greater than or equal to 0";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** @throws 400 for a wrong type, 422 for an invalid value. */
export function validate(resource: ResourceKind, object: KubernetesObject, before: KubernetesObject | undefined): void {
  checkReplicasType(resource, object);
  const errors = [
    ...nameErrors(object),
    ...replicasErrors(resource, object),
    ...(selects(resource) ? selectorErrors(object, before) : []),
    ...(resource === pods && listAt(object, "spec.containers").length === 0 ? [required("spec.containers")] : []),
  ];
  if (errors.length > 0) throw invalidError(resource, object.metadata.name, errors);
}

const required = (field: string, detail?: string): FieldCause => ({ field, type: "Required", ...present({ detail }) });
const invalid = (field: string, value: unknown, detail: string): FieldCause => ({
  field,
  type: "Invalid",
  value,
  detail,
});

const selects = (resource: ResourceKind): boolean => [deployments, replicaSets, statefulSets].includes(resource);

function checkReplicasType(resource: ResourceKind, object: KubernetesObject): void {
  const replicas = fieldAt(object, "spec.replicas");
  if (resource.scale === undefined || resource.custom || replicas === undefined || Number.isInteger(replicas)) return;
  throw badRequest(
    `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: json: cannot unmarshal ` +
      `${typeof replicas} into Go struct field ${resource.kind}Spec.spec.replicas of type int32`,
  );
}

function nameErrors({ metadata }: KubernetesObject): FieldCause[] {
  if (metadata.name === "") return [required("metadata.name", "name or generateName is required")];
  const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  if (metadata.name.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(metadata.name)) return [];
  return [invalid("metadata.name", metadata.name, subdomain)];
}

function replicasErrors(resource: ResourceKind, object: KubernetesObject): FieldCause[] {
  const replicas = fieldAt(object, "spec.replicas");
  if (resource.scale === undefined || resource.custom || typeof replicas !== "number" || replicas >= 0) return [];
  return [invalid("spec.replicas", replicas, notNegative)];
}

function selectorErrors(object: KubernetesObject, before: KubernetesObject | undefined): FieldCause[] {
  const field = "spec.template.metadata.labels";
  const mismatch = "`selector` does not match template `labels`";
  const labels = fieldAt(object, field) ?? null;
  const selector = fieldAt(object, "spec.selector");
  if (!isJsonObject(selector)) {
    return [required("spec.selector"), invalid(field, labels, mismatch)];
  }
  const errors: FieldCause[] = [];
  const matches: LabelMatch = parseLabelSelector(selectorText(selector));
  if (!matches(isJsonObject(labels) ? (labels as Record<string, string>) : undefined)) {
    errors.push(invalid(field, labels, mismatch));
  }
  if (before !== undefined && !isDeepStrictEqual(fieldAt(before, "spec.selector"), selector)) {
    errors.push(invalid("spec.selector", selector, "field is immutable"));
  }
  return errors;
}

/** A custom kind's errors name its own field, a built-in kind's the field of the Scale. */
export function validateScale(
  resource: ResourceKind,
  rule: ScaleRule,
  { name, replicas }: { readonly name: string; readonly replicas: unknown },
): void {
  if (replicas !== undefined && !Number.isInteger(replicas)) {
    throw badRequest(
      'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ' +
        `${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  }
  if (typeof replicas !== "number" || replicas >= 0) return;
  if (resource.custom !== undefined) {
    const detail = "should be a non-negative integer";
    throw invalidError(resource, name, [invalid(rule.specReplicasPath, replicas, detail)]);
  }
  throw invalidError({ group: "autoscaling", kind: "Scale" }, name, [invalid("spec.replicas", replicas, notNegative)]);
}
