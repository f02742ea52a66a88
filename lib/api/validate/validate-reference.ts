import type { CrossVersionObjectReference } from "../hpa";
import { invalid, required } from "./field-error";
import { pathSegmentErrors } from "./names";

/** `needsGroup`: whether "v1" and an empty apiVersion are errors. Upstream: ValidateCrossVersionObjectReference. */
export function validateReference(
  field: string,
  reference: CrossVersionObjectReference,
  needsGroup: boolean,
): string[] {
  const { kind, name, apiVersion = "" } = reference;
  const wrong = apiVersionError(apiVersion, needsGroup);
  return [
    ...(kind === "" ? [required(`${field}.kind`)] : pathSegmentErrors(`${field}.kind`, kind)),
    ...(name === "" ? [required(`${field}.name`)] : pathSegmentErrors(`${field}.name`, name)),
    ...(wrong === undefined ? [] : [invalid(`${field}.apiVersion`, apiVersion, wrong)]),
  ];
}

/** Upstream: schema.ParseGroupVersion, where a lone "/" is as good as nothing. */
function apiVersionError(apiVersion: string, needsGroup: boolean): string | undefined {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const group = parts.length === 2 ? parts[0] : "";
  return needsGroup && group === "" ? "apiVersion must specify API group" : undefined;
}
