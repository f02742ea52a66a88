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
export function validateMeta(meta: ObjectMeta, as: "created" | "updated" | "stored"): FieldError[] {
  const isUpdate = as === "updated";
  const prefixErrors = isUpdate ? pathSegmentPrefixErrors : subdomainPrefixErrors;
  const nameErrors = isUpdate ? pathSegmentErrors : subdomainErrors;
  const { name, generateName } = meta;
  return [
    ...(generateName === undefined ? [] : prefixErrors("metadata.generateName", generateName)),
    ...(name === "" ? missingName(as, generateName) : nameErrors("metadata.name", name)),
    ...(meta.namespace === undefined ? [] : labelErrors("metadata.namespace", meta.namespace)),
    ...validateLabelsAndAnnotations(meta),
  ];
}

/** At a creation, the server makes a name of generateName. */
function missingName(as: "created" | "updated" | "stored", generateName: string | undefined): FieldError[] {
  if (generateName === undefined) return [required("metadata.name", "name or generateName is required")];
  return as === "created" ? [] : [required("metadata.name", "name is required")];
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
