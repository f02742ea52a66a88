import { compile, type JSONPathQuery } from "json-p3";
import { isMap } from "../../k8s/map";
import { approximateFloat, isQuantity, parseQuantity } from "../../k8s/quantity";
import { errorText } from "../../model/fault";
import { shown } from "../../model/check/problem";
import type { FoundValue } from "../network/as-reading";
import { badParameter, quantityOf } from "../parameters";
import { badAnswer } from "../network/as-reading";

export interface JsonPath {
  readonly text: string;
  readonly query: JSONPathQuery;
}

/**
 * Parses an RFC 9535 query that takes time in proportion to the document, since clusters share a process: patterns in
 * filters, filters on descendants and several descendant segments are refused.
 * @throws Fault "badEntry".
 */
export function parseJsonPath(text: string, parameter = "path"): JsonPath {
  const outside = withoutStrings(text);
  const descents = outside.match(/\.\./g)?.length ?? 0;
  if (descents > 1 || (descents === 1 && outside.includes("?")) || /\b(match|search)\s*\(/.test(outside))
    throw badParameter(
      parameter,
      "a path with one .. at most, and without it beside a filter, match() and search()",
      text,
    );
  if ((outside.match(/\?/g)?.length ?? 0) > 1) throw badParameter(parameter, "a path with one filter at most", text);
  try {
    return { text, query: compile(text) };
  } catch (error) {
    throw badParameter(parameter, `an RFC 9535 JSONPath (${errorText(error)})`, text);
  }
}

function withoutStrings(text: string): string {
  return text.replace(/"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/g, '""');
}

/** @throws Fault "badAnswer" for anything but numbers. */
export function numbersAt({ query, text }: JsonPath, document: unknown, show = shown): readonly FoundValue[] {
  // A document may be a number itself: the path is then $.
  const isNested = isMap(document) || Array.isArray(document);
  const nodes = isNested
    ? query.query(document as Parameters<JSONPathQuery["query"]>[0]).nodes
    : [{ value: text === "$" ? document : undefined, location: [] }];
  return nodes.map(({ value, location }) => {
    const labels = labelsOf(nodes.length, location);
    if (typeof value === "number") return { value: quantityOf(value), labels };
    // Upstream reads "-" and "k" as 0. Here they say that there is no number.
    if (typeof value === "string" && /\d/.test(value) && isQuantity(value)) return { value: inRange(value), labels };
    if (!isNested && text !== "$") throw badAnswer(`expected a JSON object or list, got ${show(document)}`);
    throw badAnswer(`expected a number at ${text}, got ${show(value)}`);
  });
}

/** @throws Fault "badAnswer" for a quantity that upstream's parser would cap. */
function inRange(quantity: string): string {
  quantityOf(approximateFloat(parseQuantity(quantity)));
  return quantity;
}

function labelsOf(count: number, location: readonly (string | number)[]): Readonly<Record<string, string>> {
  return count === 1 ? {} : { path: location.join(".") };
}
