import { byteLength } from "./go-text";
import { labelKeyErrors } from "./label-names";
import { type FieldError, invalid, invalidName } from "./validate/field-error";

/** Upstream: apimachinery pkg/util/validation and pkg/api/validate/content. */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;

const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);

export function subdomainErrors(field: string, name: string): FieldError[] {
  return subdomainTexts(name).map((text) => invalid(field, name, text));
}

/** A trailing dash is allowed. Upstream: maskTrailingDash. */
export function subdomainPrefixErrors(field: string, prefix: string): FieldError[] {
  const masked = prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
  return subdomainTexts(masked).map((text) => invalid(field, prefix, text));
}

function subdomainTexts(name: string): readonly string[] {
  const texts: string[] = [];
  if (byteLength(name) > 253) texts.push("must be no more than 253 characters");
  if (!subdomainPattern.test(name)) {
    texts.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
        `an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
    );
  }
  return texts;
}

export function labelErrors(field: string, name: string): FieldError[] {
  const texts: string[] = [];
  if (byteLength(name) > 63) texts.push("must be no more than 63 characters");
  if (!labelPattern.test(name)) {
    texts.push(
      subdomainPattern.test(name)
        ? "must not contain dots"
        : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
            `an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
    );
  }
  return texts.map((text) => invalid(field, name, text));
}

export function pathSegmentErrors(field: string, name: string): FieldError[] {
  if (name === "." || name === "..") return [invalid(field, name, `may not be '${name}'`)];
  return pathSegmentPrefixErrors(field, name);
}

export function pathSegmentPrefixErrors(field: string, prefix: string): FieldError[] {
  return ["/", "%"]
    .filter((character) => prefix.includes(character))
    .map((character) => invalid(field, prefix, `may not contain '${character}'`));
}

const containerResources = new Set(["cpu", "memory", "ephemeral-storage"]);

const standardResources = new Set([
  ...containerResources,
  ...["cpu", "memory", "ephemeral-storage", "storage"].map((name) => `requests.${name}`),
  ...["cpu", "memory", "ephemeral-storage"].map((name) => `limits.${name}`),
  ...["pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "storage"],
  ...["persistentvolumeclaims", "services.nodeports", "services.loadbalancers"],
]);

/** Upstream: ValidateContainerResourceName, pkg/apis/core/v1/validation. */
export function containerResourceNameErrors(field: string, name: string): FieldError[] {
  const malformed = labelKeyErrors(name).map((text) => invalidName(field, name, text));
  const errors = malformed.length > 0 ? malformed : standardErrors(field, name);
  if (!name.includes("/")) {
    const known = containerResources.has(name) || name.startsWith("hugepages-");
    return known ? errors : [...errors, invalidName(field, name, "must be a standard resource for containers")];
  }
  if (name.includes("kubernetes.io/") || isExtended(name)) return errors;
  return [...errors, invalidName(field, name, "doesn't follow extended resource name standard")];
}

function standardErrors(field: string, name: string): FieldError[] {
  if (name.includes("/") || standardResources.has(name) || /^(requests\.)?hugepages-/.test(name)) return [];
  return [invalidName(field, name, "must be a standard resource type or fully qualified")];
}

/** "requests.<name>" must be valid in a quota. */
function isExtended(name: string): boolean {
  return !name.startsWith("requests.") && labelKeyErrors(`requests.${name}`).length === 0;
}
