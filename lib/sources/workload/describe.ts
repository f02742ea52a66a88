import { type Command, inBrackets, kubectl, row } from "../../model/advice";
import { describeKind, type UnreadParameter } from "../description";
import type { GivenParameters } from "../parameters";
import { workloadFields } from "./fields";
import { workload } from "./kind";
import { parseWorkloadQuery } from "./workload";
import { type FromKeda, type KedaTrigger, onlySet } from "../keda";

export const describedWorkload = describeKind(workload, workloadFields, {
  summary: "How many pods of a workload are in the cluster, or a number in any field of an object.",
  parameters: {
    namespace: "The namespace of the pods or the object. Required.",
    podSelector: "Which pods count, as kubectl's -l has it. Either this or field is required.",
    apiVersion: "Of the object. Required with field.",
    resource: "The resource's plural name. Required with field.",
    name: "The object's name. Required with field.",
    field: "Where the number is in the object, as an RFC 9535 JSONPath.",
    absent: "The value if the object does not have the field. Default error.",
  },
  parse: parseWorkloadQuery,
  example: { namespace: "shop", podSelector: "app=producer" },
  advice: row<UnreadParameter>`check that the pods or the object's field are there${({ cluster, parameters }) =>
    inBrackets(getWorkload(cluster, parameters))}, and what ebb may read there (ebb rbac)`,
  iam: [],
  keda: { "kubernetes-workload": fromKubernetesWorkload },
});

function getWorkload(cluster: string, parameters: GivenParameters): Command | undefined {
  const text = (name: string) => (typeof parameters[name] === "string" ? parameters[name] : "");
  const [namespace, selector, version] = [text("namespace"), text("podSelector"), text("apiVersion")];
  if (namespace === "") return undefined;
  if (selector !== "") return kubectl(cluster, "get", "pods", "-n", namespace, "-l", selector);
  const [group, number] = version.includes("/") ? version.split("/") : ["", version];
  const resource = group === "" ? text("resource") : `${text("resource")}.${number}.${group}`;
  return kubectl(cluster, "get", resource, text("name"), "-n", namespace, "-o", "yaml");
}

/** Source: https://keda.sh/docs/2.20/scalers/kubernetes-workload/ */
function fromKubernetesWorkload(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationValue");
  const target = trigger.required("value") ?? "1";
  const parameters = onlySet({ namespace: trigger.namespace, podSelector: trigger.required("podSelector") });
  if (!trigger.flag("groupByNode", false)) return { parameters, target };
  trigger.note("groupByNode", "counts each node once: ebb counts pods, so the HPA keeps its size", "held");
  return { kind: "kubernetes-workload", parameters, target };
}
