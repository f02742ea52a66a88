import { goQuote } from "../go-quote";
import type { LabelSelector } from "../meta";
import { sortByKey } from "./parse-selector";
import { newRequirement, type Operator, type Requirement } from "./requirement";
import { SelectorError } from "./selector-error";
import type { Selector } from "./selector-type";

const operators: ReadonlyMap<string, Operator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * A structured selector in the form that matches and prints. Absent selects nothing, empty everything.
 * Throws SelectorError with upstream's message. Upstream: metav1.LabelSelectorAsSelector.
 */
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
