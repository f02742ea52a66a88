import { matches, parseSelector, SelectorError } from "../../../lib/k8s/selector";
import { fieldAt, isJsonObject, listAt } from "./object";
import { badRequest } from "./status";

export type Labels = Readonly<Record<string, string>>;
export type LabelMatch = (labels: Labels | undefined) => boolean;

/** The string form of a label selector: `app=web,tier in (a,b),!canary`. Rejects with the API server's 400. */
export function parseLabelSelector(text: string): LabelMatch {
  try {
    const selector = parseSelector(text);
    return (labels) => matches(selector, labels);
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

/** A structured selector in string form, by key, as the API server prints it. */
export function selectorText(selector: unknown): string {
  const matchLabels = fieldAt(selector, "matchLabels");
  const equal = isJsonObject(matchLabels)
    ? Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${String(value)}` }))
    : [];
  const expressions = listAt(selector, "matchExpressions").map((expression) => ({
    key: String(expression["key"]),
    text: formatExpression(expression),
  }));
  return [...equal, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",");
}

function formatExpression(expression: Readonly<Record<string, unknown>>): string {
  const key = String(expression["key"]);
  const values = Array.isArray(expression["values"]) ? [...(expression["values"] as string[])].sort().join(",") : "";
  switch (expression["operator"]) {
    case "In":
      return `${key} in (${values})`;
    case "NotIn":
      return `${key} notin (${values})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return key;
  }
}
