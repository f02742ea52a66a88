import type { CrossVersionObjectReference } from "../hpa";
import { pathSegmentErrors } from "../names";
import { type FieldError, invalid, required } from "./field-error";

/** How an apiVersion is checked. grouped: "v1" is an error. */
export type VersionRule = "grouped" | "parsed" | "unchecked";

/** Upstream: ValidateCrossVersionObjectReference. */
export function validateReference(
  field: string,
  reference: CrossVersionObjectReference,
  rule: VersionRule,
): FieldError[] {
  const { kind, name, apiVersion = "" } = reference;
  const wrong = apiVersionError(reference, rule);
  return [
    ...(kind === "" ? [required(`${field}.kind`)] : pathSegmentErrors(`${field}.kind`, kind)),
    ...(name === "" ? [required(`${field}.name`)] : pathSegmentErrors(`${field}.name`, name)),
    ...(wrong === undefined ? [] : [invalid(`${field}.apiVersion`, apiVersion, wrong)]),
  ];
}

/** Upstream: ValidateAPIVersion and schema.ParseGroupVersion, which accepts a lone "/". */
export function apiVersionError(
  { apiVersion = "" }: CrossVersionObjectReference,
  rule: VersionRule,
): string | undefined {
  if (rule === "unchecked") return undefined;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const group = parts.length === 2 ? parts[0] : "";
  return rule === "grouped" && group === "" ? "apiVersion must specify API group" : undefined;
}
