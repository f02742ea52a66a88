import type { MetricSpec, MetricTarget } from "../../lib/api/hpa";
import { parseQuantity, QuantityError } from "../../lib/api/quantity";
import { failure } from "../failure";

/** What a number without a unit means, as kubectl has it. */
const units = { cpu: "m", memory: "Mi" } as const;

/**
 * The metric that --cpu or --memory asks for: "70%" of what the pods request, or a quantity for each pod ("500m", "200Mi", a bare 500).
 * Upstream: parseResourceInput of kubectl's autoscale.go. @throws Failure in kubectl's words
 */
export function resourceMetric(name: keyof typeof units, given: string): MetricSpec {
  return { type: "Resource", resource: { name, target: targetOf(name, given.trim()) } };
}

function targetOf(name: keyof typeof units, given: string): MetricTarget {
  if (given === "") throw failure("empty input", 2);
  if (given.endsWith("%")) return { type: "Utilization", averageUtilization: percentage(given.slice(0, -1)) };
  const quantity = bareNumber.test(given) ? `${Number(given)}${units[name]}` : given;
  try {
    parseQuantity(quantity);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw failure(`invalid resource ${name} value: ${given}`, 2);
  }
  return { type: "AverageValue", averageValue: quantity };
}

const bareNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function percentage(given: string): number {
  const value = /^\+?\d+$/.test(given) ? Number(given) : NaN;
  if (!(value < 2 ** 31)) throw failure(`invalid percentage value: ${given}`, 2);
  return value;
}
