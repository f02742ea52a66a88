import { decodeStored } from "../../../lib/k8s/codec/decode-stored";
import type { HorizontalPodAutoscaler, MetricSpec } from "../../../lib/k8s/hpa";
import { isMap, present } from "../../../lib/k8s/map";
import type { ObjectMeta } from "../../../lib/k8s/objects";
import { type FieldError, required, unsupported } from "../../../lib/k8s/validate/field-error";
import { type Problem, problemText } from "../../../lib/model/check/problem";
import { clusterAnnotation } from "../../../lib/model/entry/annotation-names";
import type { ClusterSpec } from "../../../lib/model/entry/entries";
import { type EntryKind, kinds } from "../../../lib/model/entry/kinds";
import { secretNameProblem } from "../../../lib/model/entry/secret-name";
import { validateCluster, validateResource, validateSource } from "../../../lib/model/entry/validate-entry";
import { validateGivenHpa } from "../../../lib/model/entry/validate-hpa-entry";
import type { EntryContent, EntryDocument, EntryRef } from "../../../lib/model/ports/entries";
import { isVariable } from "../../../lib/secrets/variable";
import {
  type KnownEntries,
  validateMetricParameters,
  validateSourceParameters,
} from "../../../lib/sources/validate-parameters";
import { unstorable } from "../../../lib/table/entries";
import type { Settings } from "../../shell/settings";
import { type StoredAround, timeoutErrors } from "./check-timeouts";

/** `cluster` is absent if the document names none. */
export type GivenRef = Omit<EntryRef, "cluster"> & Partial<Pick<EntryRef, "cluster">>;

/** A stored HPA is autoscaling/v2 with defaults, in whatever version it was written. */
export interface CheckedDocument extends Pick<EntryContent, "document"> {
  readonly ref: GivenRef;
}

/** `ref`: an HPA that can be read may be valid as the next version of the stored one. */
export interface InvalidDocument {
  readonly errors: readonly FieldError[];
  readonly ref?: GivenRef;
}

interface Around {
  /** The entry that the document replaces, valid or not. */
  readonly stored?: EntryDocument;
  /** By path, numbers as they were written, where JavaScript spells them differently. */
  readonly numbers?: ReadonlyMap<string, string>;
}

/** Checks a new entry, or the next version of a stored one. `namespace` applies to an HPA that names none. */
export function checkDocument(
  value: unknown,
  namespace: string,
  around: Around = {},
): { readonly checked: CheckedDocument } | InvalidDocument {
  const kind = isMap(value) ? value["kind"] : undefined;
  if (kind === "HorizontalPodAutoscaler" || !isMap(value)) return checkHpa(value, namespace, around);
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

function checkHpa(value: unknown, namespace: string, around: Around): ReturnType<typeof checkDocument> {
  const { errors, hpa } = validateGivenHpa(value, { namespace, ...around });
  if (hpa === undefined) {
    const read = decodeStored(value, "known");
    return read === undefined || read.metadata.name === "" ? { errors } : { errors, ref: hpaRef(read, namespace) };
  }
  const { apiVersion, kind, metadata, spec, status } = hpa;
  const document = { apiVersion, kind, metadata, spec, ...present({ status }) };
  return { checked: { ref: hpaRef(hpa, namespace), document } };
}

function hpaRef({ metadata }: HorizontalPodAutoscaler, namespace: string): GivenRef {
  const { name, namespace: own = namespace } = metadata;
  return { kind: "HorizontalPodAutoscaler", namespace: own, name, ...clusterOf(metadata) };
}

function checkResource(value: unknown, kind: Exclude<EntryKind, "HorizontalPodAutoscaler">) {
  const { errors, resource } = validateResource(value, kind);
  if (resource === undefined) return { errors };
  const { metadata, spec } = resource;
  const { name } = metadata;
  const document = { ...resource };
  const invalid = [
    ...(kind === "Cluster" ? clusterErrors(name, spec) : sourceErrors(spec)),
    ...storageErrors({ ref: { kind, cluster: name, name }, document }),
  ];
  if (invalid.length > 0) return { errors: invalid };
  const where = kind === "Cluster" ? { cluster: name } : clusterOf(metadata);
  return { checked: { ref: { kind, name, ...where }, document } };
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

/** DynamoDB cannot store NaN, say. */
function storageErrors(entry: EntryContent): readonly FieldError[] {
  const problem = unstorable(entry);
  return problem === undefined ? [] : [{ path: "spec", text: `spec: ${problem}` }];
}

function clusterOf({ annotations = {} }: ObjectMeta): Pick<GivenRef, "cluster"> {
  const cluster = Object.hasOwn(annotations, clusterAnnotation) ? annotations[clusterAnnotation] : undefined;
  return cluster === undefined || cluster === "" ? {} : { cluster };
}

export interface Where {
  readonly known: KnownEntries;
  readonly settings: Pick<Settings, "table">;
  /** Absent: the default. */
  readonly periodSeconds?: number;
  /** Absent: there is no table. */
  readonly stored?: StoredAround;
}

/** Errors of a valid document in this table. */
export function unusableErrors(checked: CheckedDocument, where: Where): readonly FieldError[] {
  const { known, settings } = where;
  return [...metricErrors(checked, known), ...timeoutErrors(checked, where), ...variableErrors(checked, settings)];
}

/** Errors in the parameters of External metrics. */
function metricErrors({ ref, document }: CheckedDocument, known: KnownEntries): readonly FieldError[] {
  if (ref.kind !== "HorizontalPodAutoscaler") return [];
  return validateMetricParameters(document as unknown as HorizontalPodAutoscaler, known).map(asFieldError);
}

const noVariable =
  "expected a secret in Secrets Manager or SSM such as ebb/prod/stats, got a variable of one machine's environment; " +
  "the table is in DynamoDB, and functions have no such variable";

/** Only `ebb start`'s table may name a variable as a secret. */
function variableErrors({ ref, document }: CheckedDocument, { table }: Where["settings"]): readonly FieldError[] {
  if (table === undefined) return [];
  const spec = isMap(document["spec"]) ? document["spec"] : {};
  return parametersIn(ref.kind, spec).flatMap(([at, parameters]) => {
    const secret = isMap(parameters) ? parameters["secret"] : undefined;
    if (typeof secret !== "string" || !isVariable(secret)) return [];
    return [{ path: `${at}.secret`, text: `${at}.secret: ${noVariable}` }];
  });
}

/** Parts that may name a source's secret, with their paths. */
function parametersIn(kind: EntryKind, spec: EntryContent["document"]): readonly (readonly [string, unknown])[] {
  if (kind === "MetricSource") return [["spec.parameters", spec["parameters"]]];
  if (kind === "Cluster") return [];
  return ((spec["metrics"] ?? []) as readonly MetricSpec[]).map(({ external }, index) => [
    `spec.metrics[${index}].external.metric.selector.matchLabels`,
    external?.metric.selector?.matchLabels,
  ]);
}

/** Leaves out the table's sources. */
export function sourcesAmong(documents: readonly CheckedDocument[]): KnownEntries {
  const sources = documents.filter(({ ref }) => ref.kind === "MetricSource");
  const entries = sources.map(({ ref, document }) => [ref.name, document["spec"] as SourceSpec] as const);
  return { entries: new Map(entries), areAll: false };
}

export type SourceSpec = KnownEntries["entries"] extends ReadonlyMap<string, infer Spec> ? Spec : never;
