import { type FromKeda, type KedaTrigger, onlySet } from "../keda";

/** Source: https://keda.sh/docs/2.20/scalers/kubernetes-workload/ */
export function fromKubernetesWorkload(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationValue");
  const target = trigger.required("value") ?? "1";
  const parameters = onlySet({ namespace: trigger.namespace, podSelector: trigger.required("podSelector") });
  if (!trigger.flag("groupByNode", false)) return { parameters, target };
  trigger.note("groupByNode", "counts each node once: ebb counts pods, so the HPA keeps its size");
  return { kind: "kubernetes-workload", parameters, target };
}
