import { describeKind } from "../description";
import { workloadFields } from "./fields";
import { fromKubernetesWorkload } from "./keda";
import { workload } from "./kind";
import { parseWorkloadQuery } from "./workload-query";

export const describedWorkload = describeKind(workload, workloadFields, {
  summary: "How many pods of a workload are in the cluster, or a number in any field of an object.",
  parameters: {
    namespace: "The namespace of the pods or the object. Required.",
    podSelector: "Which pods count, as kubectl's -l has it. Either this or field is required.",
    apiVersion: "Of the object: v1, batch/v1. Required with field.",
    resource: "The plural name of the object's resource, as kubectl api-resources has it: jobs. Required with field.",
    name: "The object's name. Required with field.",
    field: "Where the number is in the object: an RFC 9535 JSONPath such as $.status.active.",
    absent: "The value if the object does not have the field, or error (default).",
  },
  parse: parseWorkloadQuery,
  example: { namespace: "shop", podSelector: "app=producer" },
  advice:
    "check that kubectl get shows the pods (-n NAMESPACE -l SELECTOR) or the object's field, and what ebb may read there (ebb rbac)",
  iam: [],
  keda: { "kubernetes-workload": fromKubernetesWorkload },
});
