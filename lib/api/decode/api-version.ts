import { goQuote } from "../go-quote";
import { unsupported } from "../validate/field-error";

export const KIND = "HorizontalPodAutoscaler";

/** Every version that a Kubernetes release ever served; the three betas and alphas are gone since 1.26 at the latest. */
export const apiVersions = [
  "autoscaling/v1",
  "autoscaling/v2",
  "autoscaling/v2alpha1",
  "autoscaling/v2beta1",
  "autoscaling/v2beta2",
] as const;

export type ApiVersion = (typeof apiVersions)[number];

/**
 * Which version of the kind a document says it is, or what is wrong with that. `assumeKind`: where nothing but an autoscaler
 * can stand, apiVersion and kind may be left out; what is written must still be right.
 */
export function readApiVersion(
  { apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown },
  assumeKind: boolean,
): { readonly version: ApiVersion } | { readonly error: string } {
  if (!(assumeKind && kind === undefined) && kind !== KIND) {
    return { error: typeof kind === "string" ? unsupported("kind", kind, [KIND]) : missing("kind", KIND, kind) };
  }
  if (assumeKind && apiVersion === undefined) return { version: "autoscaling/v2" };
  if (typeof apiVersion !== "string") return { error: missing("apiVersion", "autoscaling/v2", apiVersion) };
  const version = apiVersions.find((known) => known === apiVersion);
  return version === undefined ? { error: unsupported("apiVersion", apiVersion, apiVersions) } : { version };
}

function missing(field: string, expected: string, came: unknown): string {
  return came === undefined || came === null
    ? `${field}: Required value: must be ${expected}`
    : `${field}: Invalid value: expected ${goQuote(expected)}, a string`;
}
