import type jsep from "jsep";
import { badParameter } from "../parameters";
import {
  compileCall,
  finite,
  isMissing,
  notUnderstood,
  type FormulaPart,
  type CompileContext,
  type FormulaScope,
  typedPart,
} from "./call";
import { parseFormula } from "./parse-formula";
import { badAnswer } from "../network/as-reading";

const deepest = 100;

/** @throws Fault "badEntry", also for an unused operand. */
export function compileFormula(
  formula: string,
  operands: readonly string[],
): (operand: FormulaScope["operand"]) => number {
  const used = new Set<string>();
  const whole = compile(parseFormula(formula), { formula, operands: new Set(operands), used, depth: 0 });
  if (whole.type === "condition")
    throw badParameter("formula", "a number (a condition becomes one by ? 1 : 0)", formula);
  const { run } = typedPart<number>(whole, "number", { formula });
  const unused = operands.find((name) => !used.has(name));
  if (unused !== undefined) throw badParameter("formula", `a formula that uses the operand ${unused}`, formula);
  return (operand) => run({ operand });
}

function compile(given: jsep.Expression, outer: CompileContext): FormulaPart {
  const context = { ...outer, depth: outer.depth + 1 };
  if (context.depth > deepest) throw badParameter("formula", `at most ${deepest} levels`, context.formula);
  const node = signLast(given);
  switch (node.type) {
    case "Literal":
      return literal(node as jsep.Literal, context);
    case "Identifier":
      return identifier(node as jsep.Identifier, context);
    case "Group":
      return compile(node["inner"] as jsep.Expression, context);
    case "ArrayExpression":
      return list((node as jsep.ArrayExpression).elements, context);
    case "UnaryExpression":
      return unary(node as jsep.UnaryExpression, context);
    case "BinaryExpression":
      return binary(node as jsep.BinaryExpression, context);
    case "ConditionalExpression":
      return conditional(node as jsep.ConditionalExpression, context);
    case "CallExpression":
      return compileCall(node as jsep.CallExpression, context, compile);
    default:
      throw notUnderstood(nameOf(node), context);
  }
}

function nameOf({ type }: jsep.Expression): string {
  if (type === "Block") return "{…} outside of a function such as count";
  if (type === "MemberExpression") return "a member such as a.b or a[0]";
  return type === "Compound" || type === "SequenceExpression" ? "several expressions" : type;
}

/** jsep binds a sign tighter than every operator. expr reads `-a ** 2` as `-(a ** 2)`, and `-a ?? b` as `-(a ?? b)`. */
function signLast(node: jsep.Expression): jsep.Expression {
  if (node.type !== "BinaryExpression" || !["**", "^", "??"].includes((node as jsep.BinaryExpression).operator))
    return node;
  const left = signLast((node as jsep.BinaryExpression).left);
  if (left.type !== "UnaryExpression") return { ...node, left };
  return { ...left, argument: { ...node, left: (left as jsep.UnaryExpression).argument } };
}

function literal({ value, raw }: jsep.Literal, context: CompileContext): FormulaPart {
  if (value === null) return { type: "nil", run: () => Number.NaN };
  if (typeof value === "boolean") return { type: "condition", run: () => value };
  if (typeof value !== "number" || !Number.isFinite(value)) throw notUnderstood(raw, context);
  return { type: "number", run: () => value };
}

function identifier({ name }: jsep.Identifier, { formula, operands, used, element }: CompileContext): FormulaPart {
  if (name === "#" && element !== undefined) return { type: element, run: (scope) => scope.element ?? Number.NaN };
  if (!operands.has(name)) {
    const known = [...operands].join(", ");
    throw badParameter("formula", `operands among ${known}, not ${name}`, formula);
  }
  used.add(name);
  return { type: "number", run: ({ operand }) => operand(name) };
}

function list(elements: jsep.ArrayExpression["elements"], context: CompileContext): FormulaPart {
  const parts = elements.map((element) => {
    if (element === null) throw notUnderstood("a list with holes", context);
    return compile(element, context);
  });
  const [first] = parts;
  const type = first?.type === "condition" ? "condition" : "number";
  const runs = parts.map((part) => typedPart<number | boolean>(part, type, context).run);
  return { type: `list of ${type}s`, run: (scope) => runs.map((run) => run(scope)) };
}

function unary({ operator, argument }: jsep.UnaryExpression, context: CompileContext): FormulaPart {
  const part = compile(argument, context);
  if (operator === "!" || operator === "not") {
    const { run } = typedPart<boolean>(part, "condition", context);
    return { type: "condition", run: (scope) => !run(scope) };
  }
  const { run } = typedPart<number>(part, "number", context);
  return { type: "number", run: operator === "-" ? (scope) => -run(scope) : run };
}

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / divisor(b),
  "%": (a, b) => a % divisor(b),
  "**": (a, b) => a ** b,
  "^": (a, b) => a ** b,
};

function divisor(value: number): number {
  if (value === 0) throw badAnswer("division by zero");
  return value;
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

function binary({ operator, left, right }: jsep.BinaryExpression, context: CompileContext): FormulaPart {
  // People read `a ?? 0 + b` both ways. expr refuses it too.
  if (operator !== "??" && left.type === "BinaryExpression" && (left as jsep.BinaryExpression).operator === "??")
    throw badParameter("formula", "brackets around ?? or around what is beside it", context.formula);
  const [a, b] = [compile(left, context), compile(right, context)];
  const calculate = arithmetic[operator];
  if (calculate !== undefined) {
    const [x, y] = [typedPart<number>(a, "number", context), typedPart<number>(b, "number", context)];
    return { type: "number", run: (scope) => finite(calculate(x.run(scope), y.run(scope)), operator) };
  }
  const compare = comparisons[operator];
  if (compare !== undefined) {
    const [x, y] = [typedPart<number>(a, "number", context), typedPart<number>(b, "number", context)];
    return { type: "condition", run: (scope) => compare(x.run(scope), y.run(scope)) };
  }
  if (operator === "??") {
    const [x, y] = [typedPart<number>(a, "number", context), typedPart<number>(b, "number", context)];
    return { type: "number", run: (scope) => unlessMissing(() => x.run(scope)) ?? y.run(scope) };
  }
  if (operator === "==" || operator === "!=") return equality(a, b, operator === "==", context);
  const [x, y] = [typedPart<boolean>(a, "condition", context), typedPart<boolean>(b, "condition", context)];
  const isOr = operator === "||" || operator === "or";
  return { type: "condition", run: (scope) => (isOr ? x.run(scope) || y.run(scope) : x.run(scope) && y.run(scope)) };
}

function equality(a: FormulaPart, b: FormulaPart, isEqual: boolean, context: CompileContext): FormulaPart {
  const other = a.type === "nil" ? b : a;
  if (a.type === "nil" || b.type === "nil") {
    const { run } = typedPart<number>(other, "number", context);
    return { type: "condition", run: (scope) => (unlessMissing(() => run(scope)) === undefined) === isEqual };
  }
  const type = a.type === "condition" ? "condition" : "number";
  const [x, y] = [typedPart(a, type, context), typedPart(b, type, context)];
  return { type: "condition", run: (scope) => (x.run(scope) === y.run(scope)) === isEqual };
}

function unlessMissing<Of>(run: () => Of): Of | undefined {
  try {
    return run();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** An operand of the other branch may be missing. */
function conditional(
  { test, consequent, alternate }: jsep.ConditionalExpression,
  context: CompileContext,
): FormulaPart {
  const { run } = typedPart<boolean>(compile(test, context), "condition", context);
  const then = compile(consequent, context);
  const otherwise = typedPart(compile(alternate, context), then.type, context);
  return { type: then.type, run: (scope) => (run(scope) ? then.run(scope) : otherwise.run(scope)) };
}
