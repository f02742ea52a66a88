import { isDeepStrictEqual } from "node:util";
import type { Answer, Difference } from "./case";

/**
 * Where the two answers differ. Not a difference: the words in which an unreadable document is refused, and the order
 * of what upstream takes from a Go map.
 */
export function compare(upstream: Answer, ebb: Answer): readonly Difference[] {
  if ("expect" in upstream && "expect" in ebb) {
    return differences("", inOneOrder(upstream).expect, inOneOrder(ebb).expect);
  }
  return isRefused(upstream) && isRefused(ebb) ? [] : [{ path: "", upstream, ebb }];
}

function isRefused(answer: Answer): boolean {
  if ("crash" in answer) return false;
  if ("unreadable" in answer) return true;
  const { errors } = answer.expect as { readonly errors?: readonly string[] };
  return errors !== undefined && errors.length > 0;
}

const namesOfOthers = /(controlled by more than one HPA \(e\.g\. \[)([^\]]*)/g;
const severalSources = /: Forbidden: must populate the given metric source only$/;

/** What upstream takes from a Go map, sorted. */
export function inOneOrder<T extends Answer>(answer: T): T {
  const sorted = (_all: string, words: string, names: string) => words + names.split(" ").sort().join(" ");
  const named = mapTexts(answer, (text) => text.replace(namesOfOthers, sorted)) as T;
  if (!("expect" in named) || !isObject(named.expect) || !Array.isArray(named.expect["errors"])) return named;
  const errors = named.expect["errors"] as readonly string[];
  const sources = errors.filter((error) => severalSources.test(error)).sort();
  const inOrder = errors.map((error) => (severalSources.test(error) ? sources.shift() : error));
  return { ...named, expect: { ...named.expect, errors: inOrder } };
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}

function differences(path: string, upstream: unknown, ebb: unknown): readonly Difference[] {
  if (isDeepStrictEqual(upstream, ebb)) return [];
  if (Array.isArray(upstream) && Array.isArray(ebb) && upstream.length === ebb.length)
    return upstream.flatMap((item, index) => differences(`${path}[${index}]`, item, ebb[index]));
  if (isObject(upstream) && isObject(ebb)) {
    const keys = [...new Set([...Object.keys(upstream), ...Object.keys(ebb)])];
    return keys.flatMap((key) => differences(path === "" ? key : `${path}.${key}`, upstream[key], ebb[key]));
  }
  return [{ path, upstream, ebb }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
