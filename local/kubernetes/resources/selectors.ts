import { fieldAt, isJsonObject, listAt } from "./object";
import { badRequest } from "./status";

export type Labels = Readonly<Record<string, string>>;
export type LabelMatch = (labels: Labels | undefined) => boolean;

/** The string form of a label selector: `app=web,tier in (a,b),!canary`. Rejects with the API server's 400. */
export function parseLabelSelector(text: string): LabelMatch {
  const requirements = splitRequirements(text).map(parseRequirement);
  return (labels = {}) => requirements.every((requirement) => requirement(labels));
}

// Commas inside parentheses separate values; others separate requirements.
function splitRequirements(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function parseRequirement(text: string): (labels: Labels) => boolean {
  const key = "[A-Za-z0-9./_-]+";
  const set = new RegExp(`^(${key})\\s+(in|notin)\\s*\\(([^)]*)\\)$`).exec(text);
  if (set) {
    const [, name = "", operator, list = ""] = set;
    const values = list.split(",").map((value) => value.trim());
    return operator === "in"
      ? (labels) => Object.hasOwn(labels, name) && values.includes(labels[name] ?? "")
      : (labels) => !Object.hasOwn(labels, name) || !values.includes(labels[name] ?? "");
  }
  const equality = new RegExp(`^(${key})\\s*(=|==|!=)\\s*([A-Za-z0-9._-]*)$`).exec(text);
  if (equality) {
    const [, name = "", operator, value = ""] = equality;
    return operator === "!=" ? (labels) => labels[name] !== value : (labels) => labels[name] === value;
  }
  const existence = new RegExp(`^(!?)\\s*(${key})$`).exec(text);
  if (existence) {
    const [, not, name = ""] = existence;
    return (labels) => Object.hasOwn(labels, name) !== (not === "!");
  }
  const [, found = ""] = text.split(/\s+/);
  throw badRequest(`unable to parse requirement: found '${found}', expected: in, notin, =, ==, !=, gt, lt`);
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
