import type jsep from "jsep";
import { badParameter } from "../parameters";
import { Fault, isFault } from "../../model/fault";
import { badAnswer } from "../network/as-reading";

type Type = "number" | "condition" | "list of numbers" | "list of conditions" | "nil";

type Value = number | boolean | readonly (number | boolean)[];

export interface FormulaScope {
  /** @throws Missing. */
  readonly operand: (name: string) => number;
  readonly element?: number | boolean;
}

export interface FormulaPart<Of extends Value = Value> {
  readonly type: Type;
  readonly run: (scope: FormulaScope) => Of;
}

export interface CompileContext {
  readonly formula: string;
  readonly operands: ReadonlySet<string>;
  readonly used: Set<string>;
  readonly depth: number;
  readonly element?: Type;
}

type One = number | boolean;

/** Names and meanings are those of expr. */
type Known =
  | { readonly ofNumbers: (values: readonly number[]) => number }
  | { readonly ofNumber: (value: number) => number }
  | {
      readonly overList: (values: readonly One[], of: (one: One) => unknown) => number | boolean | readonly One[];
      readonly results: "number" | "condition" | "list";
    };

type Functions = Readonly<Record<string, Known>>;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const matching = (values: readonly One[], of: (one: One) => unknown) => values.filter((one) => of(one) === true);

export const functions = {
  max: { ofNumbers: (values) => Math.max(...filled(values, "max")) },
  min: { ofNumbers: (values) => Math.min(...filled(values, "min")) },
  sum: { ofNumbers: sum },
  mean: { ofNumbers: mean },
  median: { ofNumbers: median },
  abs: { ofNumber: Math.abs },
  ceil: { ofNumber: Math.ceil },
  floor: { ofNumber: Math.floor },
  /** Half away from zero, as in Go. */
  round: { ofNumber: (value) => Math.sign(value) * Math.round(Math.abs(value)) },
  int: { ofNumber: Math.trunc },
  float: { ofNumber: (value) => value },
  len: { overList: (values) => values.length, results: "number" },
  count: { overList: (values, of) => matching(values, of).length, results: "number" },
  any: { overList: (values, of) => matching(values, of).length > 0, results: "condition" },
  all: { overList: (values, of) => matching(values, of).length === values.length, results: "condition" },
  none: { overList: (values, of) => matching(values, of).length === 0, results: "condition" },
  one: { overList: (values, of) => matching(values, of).length === 1, results: "condition" },
  filter: { overList: matching, results: "list" },
  map: { overList: (values, of) => values.map((one) => of(one) as One), results: "list" },
} satisfies Functions;

type Compile = (node: jsep.Expression, context: CompileContext) => FormulaPart;

/** @throws Fault "badEntry". */
export function compileCall(
  { callee, arguments: given }: jsep.CallExpression,
  context: CompileContext,
  compile: Compile,
): FormulaPart {
  const name = callee.type === "Identifier" ? (callee as jsep.Identifier).name : "";
  const known: Functions = functions;
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  if (found === undefined)
    throw badParameter(
      "formula",
      `functions among ${Object.keys(known).join(", ")}, not ${name || "another"}`,
      context.formula,
    );
  if ("ofNumbers" in found) {
    const parts = given.map((argument) => compile(argument, context));
    if (parts.length === 0) throw notUnderstood(`${name}()`, context);
    const runs = parts.map((part) =>
      part.type === "list of numbers"
        ? (part.run as (scope: FormulaScope) => readonly number[])
        : (scope: FormulaScope) => [typedPart<number>(part, "number", context).run(scope)],
    );
    for (const part of parts) if (part.type !== "list of numbers") typedPart(part, "number", context);
    return { type: "number", run: (scope) => finite(found.ofNumbers(runs.flatMap((run) => run(scope))), name) };
  }
  if ("ofNumber" in found) {
    const [argument] = given;
    if (argument === undefined || given.length > 1) throw notUnderstood(`${name} of ${given.length} values`, context);
    const { run } = typedPart<number>(compile(argument, context), "number", context);
    return { type: "number", run: (scope) => found.ofNumber(run(scope)) };
  }
  return overList(name, given, found, { context, compile });
}

/** `count([a, b], {# > 1})`. Nesting is refused, since it could take very long. */
function overList(
  name: string,
  [of, condition, ...more]: readonly jsep.Expression[],
  { overList: calculate, results }: Extract<Functions[string], { readonly overList: unknown }>,
  { context, compile }: { readonly context: CompileContext; readonly compile: Compile },
): FormulaPart {
  if (context.element !== undefined) throw notUnderstood(`${name} within a condition of another function`, context);
  if (of === undefined || more.length > 0) throw notUnderstood(`${name} of these values`, context);
  const items = compile(of, context);
  if (items.type !== "list of numbers" && items.type !== "list of conditions")
    throw badParameter("formula", `a list such as [a, b] in ${name}`, context.formula);
  const element = items.type === "list of numbers" ? "number" : "condition";
  const values = items.run as (scope: FormulaScope) => readonly (number | boolean)[];
  if (condition === undefined) {
    if (name !== "len" && (name !== "count" || element !== "condition"))
      throw notUnderstood(`${name} without a condition such as {# > 1}`, context);
    return { type: "number", run: (scope) => values(scope).filter((value) => name === "len" || value === true).length };
  }
  if (name === "len") throw notUnderstood("len of two values", context);
  const inner = condition.type === "Block" ? (condition["inner"] as jsep.Expression) : condition;
  const wanted = name === "map" ? "number" : "condition";
  const { run } = typedPart(compile(inner, { ...context, element }), wanted, context);
  const type = results === "list" ? (name === "map" ? "list of numbers" : items.type) : results;
  return {
    type,
    run: (scope) => calculate(values(scope), (one) => run({ ...scope, element: one })),
  };
}

function mean(values: readonly number[]): number {
  return sum(values) / filled(values, "mean").length;
}

function median(values: readonly number[]): number {
  const sorted = [...filled(values, "median")].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return mean(sorted.length % 2 === 1 ? sorted.slice(middle, middle + 1) : sorted.slice(middle - 1, middle + 1));
}

function filled(values: readonly number[], name: string): readonly number[] {
  if (values.length === 0) throw badAnswer(`${name} of an empty list`);
  return values;
}

/** Only `??` and a comparison with nil catch it. */
export class Missing extends Fault {
  constructor(readonly reason: string) {
    super("badAnswer", reason);
  }
}

/** instanceof takes any Fault for any other. */
export function isMissing(error: unknown): error is Missing {
  return isFault(error) && "reason" in error;
}

/** @throws Fault "badEntry" for another type. */
export function typedPart<Of extends Value>(
  part: FormulaPart,
  type: Type,
  { formula }: Pick<CompileContext, "formula">,
): FormulaPart<Of> {
  if (part.type !== type) throw badParameter("formula", `a ${type} where there is a ${part.type}`, formula);
  return part as FormulaPart<Of>;
}

export function notUnderstood(what: string, { formula }: Pick<CompileContext, "formula">): Fault {
  return badParameter("formula", `a formula without ${what}`, formula);
}

/** @throws Fault if the value is NaN or infinite. */
export function finite(value: number, operator: string): number {
  if (!Number.isFinite(value)) throw badAnswer(`the result of ${operator} is not a finite number`);
  return value;
}
