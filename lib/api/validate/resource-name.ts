import { labelKeyErrors } from "../selector/label-names";
import { invalid, invalidName } from "./field-error";

const containerResources = new Set(["cpu", "memory", "ephemeral-storage"]);

const standardResources = new Set([
  ...containerResources,
  ...["cpu", "memory", "ephemeral-storage", "storage"].map((name) => `requests.${name}`),
  ...["cpu", "memory", "ephemeral-storage"].map((name) => `limits.${name}`),
  ...["pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "storage"],
  ...["persistentvolumeclaims", "services.nodeports", "services.loadbalancers"],
]);

/** A resource that a container can request. Upstream: ValidateContainerResourceName, pkg/apis/core/v1/validation. */
export function containerResourceNameErrors(field: string, name: string): string[] {
  const malformed = labelKeyErrors(name).map((text) => invalid(field, name, text));
  const errors = malformed.length > 0 ? malformed : standardErrors(field, name);
  if (!name.includes("/")) {
    const known = containerResources.has(name) || name.startsWith("hugepages-");
    return known ? errors : [...errors, invalidName(field, name, "must be a standard resource for containers")];
  }
  if (name.includes("kubernetes.io/") || isExtended(name)) return errors;
  return [...errors, invalidName(field, name, "doesn't follow extended resource name standard")];
}

function standardErrors(field: string, name: string): string[] {
  if (name.includes("/") || standardResources.has(name) || /^(requests\.)?hugepages-/.test(name)) return [];
  return [invalidName(field, name, "must be a standard resource type or fully qualified")];
}

/** A vendor's resource: it must still be a valid name as "requests.<name>" in a quota. */
function isExtended(name: string): boolean {
  return !name.startsWith("requests.") && labelKeyErrors(`requests.${name}`).length === 0;
}
