import { decodeMeta } from "../../k8s/codec/decode-meta";
import { note } from "../../k8s/codec/decoder";
import { isMap } from "../../k8s/map";
import type { ObjectMeta } from "../../k8s/objects";
import { hasControlCharacters, noControlCharacters } from "../../k8s/validate/control-characters";
import { type FieldError, invalid, required, unknownField, unsupported } from "../../k8s/validate/field-error";
import { validateLabelsAndAnnotations } from "../../k8s/validate/validate-meta";
import { problemsOf } from "../check/check-schema";
import type { Schema } from "../check/schema-data";
import { annotationErrors } from "./annotations";
import type { ClusterSpec } from "./entries";
import { type EntryKind, kinds } from "./kinds";
import { limits, sizeProblem } from "./limits";
import { ruleProblems } from "./metric-rules";
import { type FieldPath, type Problem, unexpected } from "../check/problem";
import { clusterSpec } from "../validators/cluster-spec";
import { metricSourceSpec } from "../validators/metric-source-spec";
import { sizeOf } from "../size";

/** Checks endpoint and certificate too, which no schema can. */
export function validateCluster(spec: unknown): readonly Problem[] {
  const problems = problemsIn(spec, clusterSpec, limits.documentBytes);
  if (problems.length > 0) return problems;
  const { endpoint, certificateAuthorityData: certificate } = spec as ClusterSpec;
  const found: Problem[] = [];
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    found.push(unexpected(["spec", "endpoint"], "https://host[:port][/path] (http only on this machine)", endpoint));
  }
  if (certificate !== undefined && !holdsCertificate(certificate)) {
    const expected = "base64 of a PEM certificate, as in a kubeconfig";
    found.push(unexpected(["spec", "certificateAuthorityData"], expected, certificate));
  }
  return found;
}

function problemsIn(spec: unknown, schema: Schema, mostBytes: number): readonly Problem[] {
  const document = { spec };
  const tooLarge = sizeProblem(document, sizeOf(document), mostBytes);
  return tooLarge === undefined ? problemsOf(schema, spec, { root: ["spec"] }) : [tooLarge];
}

/** A token must not cross a network in the clear. */
function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  const loopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const bare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return bare && (url.protocol === "https:" || (url.protocol === "http:" && loopback));
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

function holdsCertificate(base64: string): boolean {
  return pemCertificate.test(Buffer.from(base64, "base64").toString());
}

/** Parameters are checked with the metric, whose labels override them. */
export function validateSource(spec: unknown): readonly Problem[] {
  const found = problemsIn(spec, metricSourceSpec, limits.sourceBytes);
  const problems = found.length > 0 ? found : ruleProblems(spec, ["spec"]);
  const bytes = problems.length > 0 ? undefined : bytesIn(spec, ["spec"]);
  return bytes === undefined
    ? problems
    : [unexpected(bytes, "text, a number, a flag, a list or a map", new Uint8Array())];
}

function bytesIn(value: unknown, path: FieldPath): FieldPath | undefined {
  if (value instanceof Uint8Array) return path;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = bytesIn(member, [...path, Array.isArray(value) ? Number(name) : name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: unknown;
}

const topLevel = new Set(["apiVersion", "kind", "metadata", "spec"]);

/** `ebb get` adds this member, and `apply` ignores it. */
const served: Readonly<Record<Exclude<EntryKind, "HorizontalPodAutoscaler">, string | undefined>> = {
  Cluster: undefined,
  MetricSource: "status",
};

/** In the API server's words. As it does, drops the namespace of a cluster-scoped object. */
export function validateResource(
  document: unknown,
  kind: Exclude<EntryKind, "HorizontalPodAutoscaler">,
): { readonly errors: readonly FieldError[]; readonly resource?: Resource } {
  const problems: FieldError[] = [];
  if (!isMap(document)) {
    note({ path: "", problems }, document, `a ${kind} object`);
    return { errors: problems };
  }
  const { apiVersion } = kinds[kind];
  const { namespace: _namespace, ...metadata } = decodeMeta(document["metadata"], {
    path: "metadata",
    problems,
    names: "exact",
  });
  const errors = [
    ...versionErrors(document["apiVersion"], apiVersion),
    ...Object.keys(document)
      .filter((name) => !topLevel.has(name) && name !== served[kind])
      .map(unknownField),
    ...problems,
  ];
  if (errors.length === 0)
    errors.push(
      ...nameErrors(metadata.name),
      ...validateLabelsAndAnnotations(metadata),
      ...annotationErrors(kind, metadata),
    );
  return errors.length > 0
    ? { errors }
    : { errors: [], resource: { apiVersion, kind, metadata, spec: document["spec"] } };
}

function versionErrors(given: unknown, expected: string): FieldError[] {
  if (given === expected) return [];
  return [
    typeof given === "string"
      ? unsupported("apiVersion", given, [expected])
      : required("apiVersion", `must be ${expected}`),
  ];
}

/** In the table's keys, "#" separates names. */
function nameErrors(name: string): FieldError[] {
  if (name.trim() === "") return [required("metadata.name", "name is required")];
  if (hasControlCharacters(name)) return [invalid("metadata.name", name, noControlCharacters)];
  return name.includes("#") ? [invalid("metadata.name", name, 'must not contain "#"')] : [];
}
