import { isMap } from "../k8s/map";
import type { Problem } from "../model/check/problem";
import { parameterProblems } from "./fields/read-fields";
import type { SourceKind } from "./kind";
import { sourceKinds } from "./registry";

/**
 * What is wrong with the parameters of a spec that validateSource accepts. They are defaults, and labels may add to
 * them, so none is required. A kind that this version does not know may have any parameters.
 */
export function validateSourceParameters(
  spec: unknown,
  kinds: Readonly<Record<string, Pick<SourceKind, "fields">>> = sourceKinds,
): readonly Problem[] {
  if (!isMap(spec) || typeof spec["kind"] !== "string") return [];
  const kind = Object.hasOwn(kinds, spec["kind"]) ? kinds[spec["kind"]] : undefined;
  return kind === undefined ? [] : parameterProblems(kind.fields, spec["parameters"], ["spec", "parameters"]);
}
