import { groupIn } from "../../k8s/objects";
import type { Right } from "../../model/ports/sources";
import { type SourceKind, loadKindLazily } from "../kind";
import type { GivenParameters } from "../parameters";
import { workloadFields } from "./fields";

/** A cluster may serve an external metric of this name. */
export const workload: SourceKind = {
  name: "workload",
  isBuiltIn: false,
  rights: rightsOf,
  open: () => loadKindLazily(async () => (await import("./workload")).openWorkloadSource()),
};

/** Unreadable parameters need none. */
function rightsOf(parameters: GivenParameters): readonly Right[] {
  const text = (name: "namespace" | "resource" | "name" | "apiVersion"): string | undefined => {
    const value = parameters[name];
    return typeof value === "string" && workloadFields[name].pattern.test(value) ? value : undefined;
  };
  const namespace = text("namespace");
  if (namespace === undefined) return [];
  if (parameters["field"] === undefined) return [{ group: "", resource: "pods", verbs: ["list"], namespace }];
  const [resource, name, apiVersion] = [text("resource"), text("name"), text("apiVersion")];
  if (resource === undefined || name === undefined || apiVersion === undefined) return [];
  return [{ group: groupIn(apiVersion), resource, name, verbs: ["get"], namespace }];
}
