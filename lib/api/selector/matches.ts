import { parseInt64, type Requirement } from "./requirement";
import type { Selector } from "./selector-type";

/** Whether an object with these labels is selected. Absent labels are none. */
export function matches(selector: Selector, labels: Readonly<Record<string, string>> | undefined): boolean {
  if (selector.kind === "nothing") return false;
  return selector.requirements.every((requirement) => isMet(requirement, labels));
}

/** No requirement at all: every object is selected, which upstream's HPA refuses for a target's pods. */
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
