import { decodeMeta } from "./decode/decode-meta";
import { isRecord, note } from "./decode/decoder";
import { goQuote } from "./go-quote";
import { type EntryKind, kinds } from "./kinds";
import type { ObjectMeta } from "./meta";
import { invalid, required, unsupported } from "./validate/field-error";
import { validateMarks } from "./validate/validate-meta";

/** A document of ebb.dev: everything but its spec checked. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: unknown;
}

const topLevel = new Set(["apiVersion", "kind", "metadata", "spec"]);

/**
 * Checks what a Cluster or MetricSource has around its spec, in the API server's words. A namespace is left out, as the API server does
 * with objects that stand in none. Never throws.
 */
export function validateResource(
  document: unknown,
  kind: Exclude<EntryKind, "HorizontalPodAutoscaler">,
): { readonly errors: readonly string[]; readonly resource?: Resource } {
  const problems: string[] = [];
  if (!isRecord(document)) {
    note({ path: "", problems }, document, `an object, a ${kind}`);
    return { errors: problems };
  }
  const { apiVersion } = kinds[kind];
  const { namespace: _namespace, ...metadata } = decodeMeta(document["metadata"], { path: "metadata", problems });
  const errors = [
    ...versionErrors(document["apiVersion"], apiVersion),
    ...Object.keys(document)
      .filter((name) => !topLevel.has(name))
      .map((name) => `strict decoding error: unknown field ${goQuote(name)}`),
    ...problems,
  ];
  if (errors.length === 0) errors.push(...nameErrors(metadata.name), ...validateMarks(metadata));
  return errors.length > 0
    ? { errors }
    : { errors: [], resource: { apiVersion, kind, metadata, spec: document["spec"] } };
}

function versionErrors(given: unknown, expected: string): string[] {
  if (given === expected) return [];
  return [
    typeof given === "string"
      ? unsupported("apiVersion", given, [expected])
      : required("apiVersion", `must be ${expected}`),
  ];
}

/** Names are the user's own: an EKS cluster's, a metric's. "#" separates them from other names in the table's keys. */
function nameErrors(name: string): string[] {
  if (name.trim() === "") return [required("metadata.name", "name is required")];
  return name.includes("#") ? [invalid("metadata.name", name, 'must not contain "#"')] : [];
}
