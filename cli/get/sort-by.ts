import { compile, type JSONValue } from "json-p3";
import { failure } from "../failure";
import { toRfcPath } from "../jsonpath/to-rfc";
import type { Found } from "../resources/found";

/**
 * Sorted by what stands at a path: numbers by size, all else as text; objects without it come first. The path may stand in braces, and
 * its first dot may be left out.
 *
 * @throws Failure for what is no path, and when no object has it.
 */
export function sortBy(found: readonly Found[], path: string): readonly Found[] {
  const bare = path.replace(/^\{(.*)\}$/s, "$1");
  const query = compiled(/^[.[$@]/.test(bare) ? bare : `.${bare}`, path);
  const keyed = found.map((one) => ({ one, key: query.query(one.object as JSONValue).values()[0] }));
  if (found.length > 0 && keyed.every(({ key }) => key === undefined))
    throw failure(`couldn't find any field with path "${path}" in the list of objects`);
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ one }) => one);
}

function compiled(path: string, given: string) {
  try {
    return compile(toRfcPath(path));
  } catch (error) {
    throw failure(`--sort-by ${given}: ${(error as Error).message}`, 2);
  }
}

function compare(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [textOf(a), textOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
