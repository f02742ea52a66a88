import { Fault } from "../../model/fault";
import { shown } from "../../model/check/problem";

/**
 * Strings, numbers (1e3) and words. Ids start with a lowercase letter; functions and keywords (SUM, AND) with an
 * uppercase one.
 */
const tokens = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_][A-Za-z0-9_]*/g;

/** METRICS() means all queries of the call; a call may hold only one SELECT and few SEARCHes. */
export function needsOwnCall(expression: string): boolean {
  return /\b(METRICS|SEARCH|SELECT)\b/i.test(expression);
}

/** @throws Fault "badEntry" on an unknown id. */
export function renameIds(expression: string, names: ReadonlyMap<string, string>): string {
  return expression.replace(tokens, (token) => (/^[a-z]/.test(token) ? renamed(token, expression, names) : token));
}

function renamed(id: string, expression: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  if (name !== undefined) return name;
  const known = [...names.keys()].join(", ") || "none";
  throw new Fault(
    "badEntry",
    `parameter expression: expected ids of queries (${known}), got ${id} in ${shown(expression)}`,
  );
}
