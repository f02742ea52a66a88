import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";

/** The object that is scaled, as kubectl takes it: "deployment/orders", "rollout.argoproj.io/orders". */
export function kubectlName({ spec }: Pick<HorizontalPodAutoscaler, "spec">): string {
  const { apiVersion = "", kind, name } = spec.scaleTargetRef;
  const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  const isBuiltIn = group === "" || group === "apps";
  return `${kind.toLowerCase()}${isBuiltIn ? "" : `.${group}`}/${name}`;
}
