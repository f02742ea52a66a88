import type { SourceKind } from "../kind";
import { lazily } from "../lazily";
import { workloadFields } from "./fields";

/** Never by its name alone: a cluster may serve an external metric of this name. */
export const workload: SourceKind = {
  name: "workload",
  isBuiltIn: false,
  rights: ({ namespace }) =>
    typeof namespace === "string" && workloadFields.namespace.pattern.test(namespace)
      ? [{ group: "", resource: "pods", verbs: ["list"], namespace }]
      : [],
  open: () => lazily(async () => (await import("./workload")).openWorkloadSource()),
};
