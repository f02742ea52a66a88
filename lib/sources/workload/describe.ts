import { describeKind } from "../description";
import { workloadFields } from "./fields";
import { workload } from "./kind";
import { parseWorkloadQuery } from "./workload-query";

export const describedWorkload = describeKind(workload, workloadFields, {
  summary: "How many pods of a workload are in the cluster.",
  parameters: {
    namespace: "The pods' namespace. Required.",
    podSelector: "Which of its pods count, as kubectl's -l has it. Required.",
  },
  parse: parseWorkloadQuery,
  example: { namespace: "shop", podSelector: "app=producer" },
  advice:
    "check that kubectl get pods -n NAMESPACE -l SELECTOR lists them, and that ebb may list pods there (ebb rbac)",
  iam: [],
  keda: {},
});
