import { groupIn } from "../../../lib/k8s/api-version";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";

/**
 * For `kubectl scale`: "deployment/orders", "Rollout.argoproj.io/orders". A custom kind's singular may be any word, so
 * kubectl must find it by its kind. Like upstream, ignores the reference's version.
 */
export function kubectlTarget({ spec }: Pick<HorizontalPodAutoscaler, "spec">): string {
  const { apiVersion = "", kind, name } = spec.scaleTargetRef;
  const group = groupIn(apiVersion);
  return group === "" || group === "apps" ? `${kind.toLowerCase()}/${name}` : `${kind}.${group}/${name}`;
}
