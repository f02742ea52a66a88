import { Fault } from "../../model/fault";
import { shown } from "../parameters";

/**
 * What an expression is made of, as far as ids matter: strings and numbers (in which a letter is no id), and words. Ids start with a
 * lowercase letter, functions and keywords (SUM, REPEAT, AND) with an uppercase one.
 */
const tokens = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_][A-Za-z0-9_]*/g;

/**
 * METRICS() is all queries of the call, and a call may hold one Metrics Insights query (SELECT …) and few SEARCHes: such expressions
 * get a call of their own, with the ids that their author gave.
 */
export function needsOwnCall(expression: string): boolean {
  return /\b(METRICS|SEARCH|SELECT)\b/i.test(expression);
}

/** Gives every id of the expression its new name. Throws a Fault "badEntry" on an id that is not among `names`. */
export function renameIds(expression: string, names: ReadonlyMap<string, string>): string {
  return expression.replace(tokens, (token) => (/^[a-z]/.test(token) ? renamed(token, expression, names) : token));
}

/** In a call that is shared, an unknown id could be somebody else's query. */
function renamed(id: string, expression: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  if (name !== undefined) return name;
  const known = [...names.keys()].join(", ") || "none";
  throw new Fault(
    "badEntry",
    `parameter expression: expected ids of queries (${known}), got ${id} in ${shown(expression)}`,
  );
}
