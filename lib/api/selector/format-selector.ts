import type { LabelSelector } from "../meta";
import type { Requirement } from "./requirement";
import type { Selector } from "./selector-type";

/** The text of a selector, as it goes into a labelSelector parameter and into messages. Upstream: Selector.String(). */
export function formatSelector(selector: Selector): string {
  return selector.kind === "nothing" ? "" : selector.requirements.map(formatRequirement).join(",");
}

function formatRequirement({ key, operator, values }: Requirement): string {
  const sorted = [...values].sort().join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${sorted})`;
    case "gt":
      return `${key}>${sorted}`;
    case "lt":
      return `${key}<${sorted}`;
    case "=":
    case "==":
    case "!=":
      return `${key}${operator}${sorted}`;
  }
}

/** Go's %+v of a *metav1.LabelSelector, which upstream puts into the names of metrics ("external metric m(nil)"). */
export function formatGoLabelSelector(selector: LabelSelector | undefined | null): string {
  if (selector === undefined || selector === null) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(" ")}],},`,
  );
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`
  );
}
