import { goQuote } from "../go-text";
import { isLabelKey, isLabelValue, labelKeyErrors, labelValueErrors } from "../label-names";

export class SelectorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SelectorError";
  }
}

export type Operator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** Values from texts are sorted and distinct. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** Upstream: labels.NewRequirement. @throws SelectorError */
export function newRequirement(key: string, operator: Operator, values: readonly string[]): Requirement {
  if (operator === "=" && values.length === 1 && isLabelKey(key) && isLabelValue(values[0] ?? ""))
    return { key, operator, values };
  const errors = [
    ...invalid("key", key, labelKeyErrors(key)),
    ...valueCountErrors(operator, values),
    ...values.flatMap((value, index) => invalid(`values[${index}][${key}]`, value, labelValueErrors(value))),
  ];
  if (errors.length > 0) throw new SelectorError(errors.length === 1 ? errors.join() : `[${errors.join(", ")}]`);
  return { key, operator, values };
}

/** Upstream prints "<nil>" for the field. @throws SelectorError */
export function checkKey(key: string): void {
  if (isLabelKey(key)) return;
  const [error] = invalid("<nil>", key, labelKeyErrors(key));
  if (error !== undefined) throw new SelectorError(error);
}

function invalid(field: string, value: string, errors: readonly string[]): string[] {
  return errors.length === 0 ? [] : [`${field}: Invalid value: ${goQuote(value)}: ${errors.join("; ")}`];
}

function valueCountErrors(operator: Operator, values: readonly string[]): string[] {
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0 ? [wrongCount(values, "for 'in', 'notin' operators, values set can't be empty")] : [];
    case "exists":
    case "!":
      return values.length > 0 ? [wrongCount(values, "values set must be empty for exists and does not exist")] : [];
    case "gt":
    case "lt":
      return comparisonErrors(values);
    case "=":
    case "==":
    case "!=":
      return values.length === 1 ? [] : [wrongCount(values, "exact-match compatibility requires one single value")];
  }
}

function comparisonErrors(values: readonly string[]): string[] {
  const count =
    values.length === 1 ? [] : [wrongCount(values, "for 'Gt', 'Lt' operators, exactly one value is required")];
  const notIntegers = values.flatMap((value, index) =>
    parseInt64(value) === undefined
      ? [`values[${index}]: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`]
      : [],
  );
  return [...count, ...notIntegers];
}

function wrongCount(values: readonly string[], text: string): string {
  return `values: Invalid value: ${values.length === 0 ? "null" : JSON.stringify(values)}: ${text}`;
}

/** Undefined: not an int64. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[-+]?[0-9]{1,32}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Sorted by key; none selects everything. */
export type Selector =
  { readonly kind: "requirements"; readonly requirements: readonly Requirement[] } | { readonly kind: "nothing" };
