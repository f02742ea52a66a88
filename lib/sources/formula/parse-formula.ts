import jsep from "jsep";
import { errorText } from "../../model/fault";
import { badParameter } from "../parameters";

/**
 * The operators of expr, the language of KEDA's formulas: the higher, the tighter. Upstream:
 * parser/operator/operator.go.
 */
const operators: Readonly<Record<string, number>> = {
  ...{ "||": 10, or: 10, "&&": 15, and: 15 },
  ...{ "==": 20, "!=": 20, "<": 20, "<=": 20, ">": 20, ">=": 20 },
  ...{ "+": 30, "-": 30, "*": 60, "/": 60, "%": 60, "**": 100, "^": 100, "??": 500 },
};

jsep.removeAllBinaryOps();
for (const [operator, precedence] of Object.entries(operators)) {
  jsep.addBinaryOp(operator, precedence, operator === "**" || operator === "^");
}
for (const operator of Object.keys(jsep.unary_ops)) jsep.removeUnaryOp(operator);
for (const operator of ["-", "+", "!", "not"]) jsep.addUnaryOp(operator);
jsep.addIdentifierChar("#");
jsep.removeLiteral("null");
jsep.addLiteral("nil", null);

/** A sign before `(…)` binds otherwise; `{…}` is the condition of a function. */
jsep.hooks.add("gobble-token", function (env) {
  const opening = this.char;
  if (opening === "(") env.node = { type: "Group", inner: this.gobbleGroup() };
  if (opening === "{") env.node = { type: "Block", inner: block(this) };
});

function block(parser: jsep.HookScope): jsep.Expression {
  parser.index += 1;
  const inner = parser.gobbleExpression();
  parser.gobbleSpaces();
  if (parser.char !== "}") parser.throwError("Expected }");
  parser.index += 1;
  return inner;
}

/** More than any person writes. */
const deepest = 30;

/** @throws Fault "badEntry". */
export function parseFormula(text: string): jsep.Expression {
  const depth = deepestBracket(text);
  if (depth > deepest) throw badParameter("formula", `at most ${deepest} brackets within each other`, depth);
  try {
    return jsep(text);
  } catch (error) {
    throw badParameter("formula", `a formula (${errorText(error)})`, text);
  }
}

function deepestBracket(text: string): number {
  let [depth, most] = [0, 0];
  for (const character of text) {
    if ("([{".includes(character)) most = Math.max(most, (depth += 1));
    if (")]}".includes(character)) depth -= 1;
  }
  return most;
}
