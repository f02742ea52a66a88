import { byteLength } from "../go-text";
import { labelKeyErrors, labelValueErrors } from "../label-names";
import {
  labelErrors,
  pathSegmentErrors,
  pathSegmentPrefixErrors,
  subdomainErrors,
  subdomainPrefixErrors,
} from "../names";
import type { ObjectMeta } from "../objects";
import { type FieldError, invalid, required } from "./field-error";

const ANNOTATIONS_BYTES = 256 * 1024;

/**
 * The server sets the generation before it validates. An update looks at names only as parts of a path. Upstream:
 * ValidateObjectMeta; validateCommonFields in apiserver's pkg/registry/rest/update.go.
 */
export function validateMeta(meta: ObjectMeta, isUpdate: boolean): FieldError[] {
  const prefixErrors = isUpdate ? pathSegmentPrefixErrors : subdomainPrefixErrors;
  const nameErrors = isUpdate ? pathSegmentErrors : subdomainErrors;
  return [
    ...(meta.generateName === undefined ? [] : prefixErrors("metadata.generateName", meta.generateName)),
    ...(meta.name === ""
      ? [required("metadata.name", "name or generateName is required")]
      : nameErrors("metadata.name", meta.name)),
    ...(meta.namespace === undefined ? [] : labelErrors("metadata.namespace", meta.namespace)),
    ...validateLabelsAndAnnotations(meta),
  ];
}

export function validateLabelsAndAnnotations({
  labels = {},
  annotations = {},
}: Pick<ObjectMeta, "labels" | "annotations">): FieldError[] {
  return [...labelsErrors(labels), ...annotationsErrors(annotations)];
}

/** Sorted. Upstream's order is a Go map's. */
function labelsErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(labels)
    .sort(byKey)
    .flatMap(([key, value]) => [
      ...labelKeyErrors(key).map((text) => invalid("metadata.labels", key, text)),
      ...labelValueErrors(value).map((text) => invalid("metadata.labels", value, text)),
    ]);
}

function annotationsErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(annotations).sort(byKey);
  const errors = entries.flatMap(([key]) =>
    labelKeyErrors(key.toLowerCase()).map((text) => invalid("metadata.annotations", key, text)),
  );
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (bytes > ANNOTATIONS_BYTES) {
    const text = `metadata.annotations: Too long: may not be more than ${ANNOTATIONS_BYTES} bytes`;
    errors.push({ path: "metadata.annotations", text });
  }
  return errors;
}

function byKey([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}
