import { goQuote } from "../go-text";
import type { LabelSelector } from "../objects";
import { sortByKey } from "./parse-selector";
import {
  type Operator,
  type Requirement,
  type Selector,
  SelectorError,
  newRequirement,
  parseInt64,
} from "./requirement";

const operators: ReadonlyMap<string, Operator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/** Absent selects nothing, empty everything. Upstream: metav1.LabelSelectorAsSelector. @throws SelectorError */
export function selectorFrom(selector: LabelSelector | undefined | null): Selector {
  if (selector === undefined || selector === null) return { kind: "nothing" };
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => newRequirement(key, "=", [value]));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }): Requirement => {
    const known = operators.get(operator);
    if (known === undefined) throw new SelectorError(`${goQuote(operator)} is not a valid label selector operator`);
    return newRequirement(key, known, values ?? []);
  });
  return { kind: "requirements", requirements: sortByKey([...sortByKey(labels), ...expressions]) };
}

/** Upstream: Selector.String(). */
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

/** Go's %+v of a *metav1.LabelSelector: "external metric m(nil)". */
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

export function matches(selector: Selector, labels: Readonly<Record<string, string>> | undefined): boolean {
  if (selector.kind === "nothing") return false;
  return selector.requirements.every((requirement) => isMet(requirement, labels));
}

/** Upstream refuses it for a target's pods. */
export function selectsEverything(selector: Selector): boolean {
  return selector.kind === "requirements" && selector.requirements.length === 0;
}

function isMet({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>> | undefined): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt":
      return value !== undefined && compares(value, operator, values[0]);
  }
}

function compares(value: string, operator: "gt" | "lt", bound: string | undefined): boolean {
  const left = parseInt64(value);
  const right = parseInt64(bound ?? "");
  if (left === undefined || right === undefined) return false;
  return operator === "gt" ? left > right : left < right;
}
