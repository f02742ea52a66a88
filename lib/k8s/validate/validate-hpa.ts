import { readApiVersion, carriesBehavior, decodeHpa } from "../codec/decode-hpa";
import { isRecord, note } from "../codec/decoder";
import { withDefaults } from "../defaults";
import { goQuote } from "../go-text";
import type { HorizontalPodAutoscaler } from "../hpa";
import { validateMeta } from "./validate-meta";
import { validateSpec } from "./validate-spec";

interface ValidateOptions {
  /** Where nothing but an autoscaler can stand (an entry of the table): apiVersion and kind may be absent, other fields are ignored. */
  readonly assumeKind?: boolean;
  /** What an absent or empty metadata.namespace means, as the namespace of a request does; "default" if not given. */
  readonly namespace?: string;
}

export interface Validation {
  /** In upstream's words and order; empty when the document is valid. */
  readonly errors: readonly string[];
  /** The document as the API server would serve it as autoscaling/v2: defaulted, quantities canonical. Only when valid. */
  readonly hpa?: HorizontalPodAutoscaler;
}

const topLevel = new Set(["apiVersion", "kind", "metadata", "spec", "status"]);

/**
 * Decodes, defaults and validates one document, of any version that Kubernetes ever served, as the API server does on creation. Never throws: whatever
 * comes is either an autoscaler or a list of errors that name their fields.
 */
export function validateHpa(document: unknown, options: ValidateOptions = {}): Validation {
  const problems: string[] = [];
  if (!isRecord(document)) {
    note({ path: "", problems }, document, "an object, a HorizontalPodAutoscaler");
    return { errors: problems };
  }
  const assumeKind = options.assumeKind ?? false;
  const api = readApiVersion(document, assumeKind);
  if ("error" in api) return { errors: [api.error] };
  if (!assumeKind) problems.push(...unknownFields(document));
  const decoded = inNamespace(decodeHpa(document, api.version, { path: "", problems }), options.namespace ?? "default");
  if (problems.length > 0) return { errors: problems };
  const hpa = withDefaults(decoded);
  const asValidated = carriesBehavior(api.version) ? withBehaviorAsWritten(hpa, decoded) : hpa;
  const errors = [...validateMeta(hpa.metadata), ...validateSpec(asValidated.spec)];
  return errors.length > 0 ? { errors } : { errors: [], hpa };
}

/** What stands in an annotation has no defaults when it is validated. */
function withBehaviorAsWritten(
  hpa: HorizontalPodAutoscaler,
  { spec }: HorizontalPodAutoscaler,
): HorizontalPodAutoscaler {
  return spec.behavior === undefined ? hpa : { ...hpa, spec: { ...hpa.spec, behavior: spec.behavior } };
}

function unknownFields(document: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(document)
    .filter((name) => !topLevel.has(name))
    .map((name) => `strict decoding error: unknown field ${goQuote(name)}`);
}

function inNamespace(hpa: HorizontalPodAutoscaler, namespace: string): HorizontalPodAutoscaler {
  if (hpa.metadata.namespace !== undefined) return hpa;
  return { ...hpa, metadata: { ...hpa.metadata, namespace } };
}
