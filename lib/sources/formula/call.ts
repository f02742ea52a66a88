import type jsep from "jsep";
import { badParameter } from "../parameters";
import { type Functions, functions } from "./functions";
import { finite, notUnderstood, type FormulaPart, type CompileContext, type FormulaScope, typedPart } from "./part";

type Compile = (node: jsep.Expression, context: CompileContext) => FormulaPart;

/**
 * max(a, b), count([a, b], {# > 1}).
 * @throws Fault "badEntry".
 */
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
