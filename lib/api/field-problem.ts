import { shown } from "./shown";

/** The names and indexes that lead to a field; the last may be missing in the document. */
export type FieldPath = readonly (string | number)[];

/** In one line: where, what was expected, and what came (`spec.auth.type: expected one of eks, token, got "foo"`). */
export function fieldProblem(path: FieldPath, expected: string, got: unknown): string {
  return `${fieldText(path)}: expected ${expected}, got ${shown(got)}`;
}

/** "spec.auth.type", "spec.parameters.queries[1]", `spec.parameters["dimension.QueueName"]`. */
export function fieldText(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (!/^[\w-]+$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}
