import type { HpaSpec, MetricSpec, MetricTarget, Quantity, ScalingRules } from "./hpa";
import { present } from "./map";
import { parseQuantity } from "./quantity";
import { removeFactors } from "./quantity/decimal";

/** Deeply equal for the same decoded spec, however its quantities are spelled. Upstream: apiequality.Semantic. */
export function comparableSpec(spec: HpaSpec): object {
  const { metrics, behavior } = spec;
  const { scaleUp, scaleDown } = behavior ?? {};
  return {
    ...spec,
    metrics: metrics?.map(comparableMetric),
    behavior: behavior && { scaleUp: comparableRules(scaleUp), scaleDown: comparableRules(scaleDown) },
  };
}

function comparableMetric({ type, ...sources }: MetricSpec): object {
  const entries = Object.entries(sources).map(([name, source]) => [name, withComparableTarget(source)]);
  return { type, ...Object.fromEntries(entries) } as object;
}

function withComparableTarget(source: { readonly target: MetricTarget }): object {
  const { value, averageValue, ...target } = source.target;
  return { ...source, target: { ...target, value: amountOf(value), averageValue: amountOf(averageValue) } };
}

function comparableRules(rules: ScalingRules | undefined): object | undefined {
  return rules && { ...rules, ...present({ tolerance: amountOf(rules.tolerance) }) };
}

/** One text for each value. */
function amountOf(quantity: Quantity | undefined): string | undefined {
  if (quantity === undefined) return undefined;
  const { unscaled, exponent } = parseQuantity(quantity);
  const { rest, times } = removeFactors(unscaled, 10n);
  return unscaled === 0n ? "0" : `${rest}e${exponent + times}`;
}
