import { schemaProblems } from "./schema-problems";
import * as validator from "./validators/metric-source-spec";

/**
 * What is wrong with a metric source's spec, whatever its kind. Its parameters are defaults that labels go over, so a sync checks what
 * comes of both when it reads the metric; whoever writes an entry checks them with validateSourceParameters before.
 */
export function validateSource(spec: unknown): readonly string[] {
  return schemaProblems(validator, spec, "spec");
}
