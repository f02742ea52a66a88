import { goQuote } from "../go-quote";
import { unsupported } from "../validate/field-error";

export const KIND = "HorizontalPodAutoscaler";

export type ApiVersion = "autoscaling/v1" | "autoscaling/v2";

const removed: ReadonlyMap<unknown, string> = new Map([
  ["autoscaling/v2beta1", "1.25"],
  ["autoscaling/v2beta2", "1.26"],
]);

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
  if (apiVersion === "autoscaling/v1" || apiVersion === "autoscaling/v2") return { version: apiVersion };
  const since = removed.get(apiVersion);
  if (typeof apiVersion !== "string") return { error: missing("apiVersion", "autoscaling/v2", apiVersion) };
  const error = unsupported("apiVersion", apiVersion, ["autoscaling/v1", "autoscaling/v2"]);
  return { error: since === undefined ? error : `${error} (removed in Kubernetes ${since}; write autoscaling/v2)` };
}

function missing(field: string, expected: string, came: unknown): string {
  return came === undefined || came === null
    ? `${field}: Required value: must be ${expected}`
    : `${field}: Invalid value: expected ${goQuote(expected)}, a string`;
}
