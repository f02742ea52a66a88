import type { Scale } from "../api/workload";
import type { Situation } from "./situation";

/**
 * The target's scale, or why there is none. A malformed apiVersion names no target, whatever was read.
 * Upstream: reconcileAutoscaler, horizontal.go, and ParseGroupVersion, apimachinery pkg/runtime/schema.
 */
export function targetScale({ hpa, scale }: Situation): Scale | { readonly error: string } {
  const apiVersion = hpa.spec.scaleTargetRef.apiVersion ?? "";
  if (apiVersion.split("/").length > 2) return { error: `unexpected GroupVersion string: ${apiVersion}` };
  return scale;
}
