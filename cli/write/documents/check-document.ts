import { clusterAnnotation } from "../../../lib/model/entry/annotations";
import { isMap } from "../../../lib/k8s/map";
import { type EntryKind, kinds } from "../../../lib/model/entry/kinds";
import type { ObjectMeta } from "../../../lib/k8s/objects";
import { validateCluster, validateResource, validateSource } from "../../../lib/model/entry/validate-entry";
import { validateGivenHpa } from "../../../lib/model/entry/validate-hpa-entry";
import { type Problem, problemText } from "../../../lib/model/check/problem";
import type { ClusterSpec } from "../../../lib/model/entry/entries";
import { secretNameProblem } from "../../../lib/model/entry/secret-name";
import { validateSourceParameters } from "../../../lib/sources/validate-parameters";
import { type FieldError, required, unsupported } from "../../../lib/k8s/validate/field-error";
import type { EntryDocument, EntryRef } from "../../../lib/model/ports/entries";
import { unstorable } from "../../../lib/table/entries";

/** A valid document as the table stores it. An HPA is autoscaling/v2 with defaults, whatever version the file uses. */
export interface CheckedDocument {
  readonly kind: EntryKind;
  readonly namespace?: string;
  readonly name: string;
  /** The cluster that the document itself names. */
  readonly cluster?: string;
  readonly document: EntryDocument;
}

/** `namespace` applies to an HPA that names none. Errors read as the API server prints them. */
export function checkDocument(
  value: unknown,
  namespace: string,
): { readonly checked: CheckedDocument } | { readonly errors: readonly FieldError[] } {
  const kind = isMap(value) ? value["kind"] : undefined;
  if (kind === "HorizontalPodAutoscaler" || !isMap(value)) return checkHpa(value, namespace);
  if (kind === "Cluster" || kind === "MetricSource") return checkResource(value, kind);
  const supported = Object.keys(kinds);
  return {
    errors: [
      typeof kind === "string"
        ? unsupported("kind", kind, supported)
        : required("kind", `must be one of ${supported.join(", ")}`),
    ],
  };
}

function checkHpa(value: unknown, namespace: string): ReturnType<typeof checkDocument> {
  const { errors, hpa } = validateGivenHpa(value, namespace);
  if (hpa === undefined) return { errors };
  const { apiVersion, kind, metadata, spec, status } = hpa;
  const document = { apiVersion, kind, metadata, spec, ...(status && { status }) };
  const where = { namespace: metadata.namespace ?? namespace, name: metadata.name, ...clusterOf(metadata) };
  return { checked: { kind: "HorizontalPodAutoscaler", ...where, document } };
}

function checkResource(value: unknown, kind: "Cluster" | "MetricSource"): ReturnType<typeof checkDocument> {
  const { errors, resource } = validateResource(value, kind);
  if (resource === undefined) return { errors };
  const { metadata } = resource;
  const where = { name: metadata.name, ...(kind === "MetricSource" && clusterOf(metadata)) };
  const document = { ...resource };
  const invalid = [
    ...(kind === "Cluster" ? clusterErrors(metadata.name, resource.spec) : sourceErrors(resource.spec)),
    ...storageErrors({ kind, cluster: metadata.name, name: metadata.name }, document),
  ];
  return invalid.length === 0 ? { checked: { kind, ...where, document } } : { errors: invalid };
}

function clusterErrors(name: string, spec: unknown): readonly FieldError[] {
  const problems = validateCluster(spec);
  if (problems.length > 0) return problems.map(asFieldError);
  const { auth } = spec as ClusterSpec;
  const foreign = "secret" in auth && auth.secret !== undefined ? secretNameProblem(name, auth.secret) : undefined;
  return foreign === undefined ? [] : [asFieldError({ ...foreign, path: `spec.${foreign.path}` })];
}

function sourceErrors(spec: unknown): readonly FieldError[] {
  const problems = validateSource(spec);
  return (problems.length > 0 ? problems : validateSourceParameters(spec)).map(asFieldError);
}

function asFieldError(problem: Problem): FieldError {
  return { path: problem.path, text: problemText(problem) };
}

/** Errors for values that DynamoDB cannot store, such as NaN. */
function storageErrors(ref: EntryRef, document: EntryDocument): readonly FieldError[] {
  const problem = unstorable({ ref, document });
  return problem === undefined ? [] : [{ path: "spec", text: `spec: ${problem}` }];
}

function clusterOf({ annotations = {} }: ObjectMeta): { readonly cluster?: string } {
  const cluster = Object.hasOwn(annotations, clusterAnnotation) ? annotations[clusterAnnotation] : undefined;
  return cluster === undefined || cluster === "" ? {} : { cluster };
}
