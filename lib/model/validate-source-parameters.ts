import { schemaProblems } from "./problem";
import * as validator from "./validators/source-parameters";

/** What is wrong with the parameters of a spec that validateSource has nothing against. A kind that is not known here may have any. */
export function validateSourceParameters(spec: unknown): readonly string[] {
  return schemaProblems(validator, spec, "spec");
}
