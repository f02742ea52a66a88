import { compile, type JSONPathQuery, type JSONValue } from "json-p3";
import { type PathStep, readPath, type Slice } from "./read-json-path";

/** In kubectl's dialect. @throws Error for an index out of bounds */
export type JsonPath = (value: unknown) => readonly unknown[];

/** @throws SyntaxError */
export function compilePath(source: string): JsonPath {
  const steps = readPath(source).map(compileStep);
  return (value) => steps.reduce<readonly unknown[]>((values, step) => step(values), [value]);
}

type Evaluated = (values: readonly unknown[]) => readonly unknown[];

function compileStep(step: PathStep): Evaluated {
  switch (step.kind) {
    case "query": {
      const query = compile(`$${step.rfc}`);
      return (values) => values.flatMap((value) => results(query, value));
    }
    case "slice":
      return (values) => sliced(values, step.slice);
    case "union": {
      const members = step.members.map(compileStep);
      return (values) => members.flatMap((member) => member(values));
    }
  }
}

function results(query: JSONPathQuery, value: unknown): readonly unknown[] {
  return query.query(value as JSONValue).values();
}

/** Upstream: evalArray in k8s.io/client-go/util/jsonpath. An empty part ends the step, there as here. */
function sliced(values: readonly unknown[], { from, to, step }: Slice): readonly unknown[] {
  const found: unknown[] = [];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (!Array.isArray(value)) throw new Error(`${goType(value)} is not array or slice`);
    const { length } = value;
    const start = from === undefined ? 0 : from < 0 ? from + length : from;
    const end = endOf(to, length);
    if (start === end) return found;
    if (start >= length || start < 0) throw new Error(`array index out of bounds: index ${start}, length ${length}`);
    if (end > length || end < 0) throw new Error(`array index out of bounds: index ${end - 1}, length ${length}`);
    if (start > end) throw new Error(`starting index ${start} is greater than ending index ${end}`);
    if (step !== undefined && step <= 0) throw new Error("step must be > 0");
    for (let at = start; at < end; at += step ?? 1) found.push(value[at]);
  }
  return found;
}

function endOf(to: Slice["to"], length: number): number {
  if (to === undefined) return length;
  return to.at < 0 || (to.at === 0 && to.isAfterIndex) ? to.at + length : to.at;
}

function goType(value: unknown): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return "map[string]interface {}";
}
