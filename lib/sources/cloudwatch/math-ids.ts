import { Fault } from "../../model/fault";
import { shown } from "../../model/check/problem";

/**
 * The tokens of an expression that may hold letters: strings, numbers (1e3) and words. Of these, ids are the words that
 * start with a lowercase letter. Functions and keywords (SUM, REPEAT, AND) start with an uppercase one.
 */
const tokens = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_][A-Za-z0-9_]*/g;

/**
 * METRICS() means all queries of the call, and a call may hold only one Metrics Insights query (SELECT …) and few
 * SEARCHes. Such an expression gets a call of its own, with its own ids.
 */
export function needsOwnCall(expression: string): boolean {
  return /\b(METRICS|SEARCH|SELECT)\b/i.test(expression);
}

/** Renames every id of the expression. Throws a Fault "badEntry" on an id that is not among `names`. */
export function renameIds(expression: string, names: ReadonlyMap<string, string>): string {
  return expression.replace(tokens, (token) => (/^[a-z]/.test(token) ? renamed(token, expression, names) : token));
}

/** In a shared call, an unknown id could be another query's. */
function renamed(id: string, expression: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  if (name !== undefined) return name;
  const known = [...names.keys()].join(", ") || "none";
  throw new Fault(
    "badEntry",
    `parameter expression: expected ids of queries (${known}), got ${id} in ${shown(expression)}`,
  );
}
