import { matches, parseSelector, SelectorError } from "../../../../lib/k8s/selector";
import { listAt, objectAt } from "./object";
import { badRequest } from "./status";

export type Labels = Readonly<Record<string, string>>;
export type LabelMatch = (labels: Labels | undefined) => boolean;

/** `app=web,tier in (a,b),!canary`. @throws 400 */
export function parseLabelSelector(text: string): LabelMatch {
  try {
    const selector = parseSelector(text);
    return (labels) => matches(selector, labels);
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

/** By key, as the API server prints it. */
export function selectorText(selector: unknown): string {
  const equal = Object.entries(objectAt(selector, "matchLabels")).map(([key, value]) => [
    key,
    `${key}=${String(value)}`,
  ]);
  const expressions = listAt(selector, "matchExpressions").map(({ key, operator, values }) => {
    const name = String(key);
    const list = Array.isArray(values) ? [...(values as string[])].sort().join(",") : "";
    const texts = new Map([["In", `${name} in (${list})`], ["NotIn", `${name} notin (${list})`], ["DoesNotExist", `!${name}`]]); // prettier-ignore
    return [name, texts.get(String(operator)) ?? name];
  });
  return [...equal, ...expressions]
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(",");
}
