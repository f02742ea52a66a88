import type { MetricTarget, Quantity } from "../hpa";
import { parseQuantity, signOf } from "../quantity";
import { invalid, invalidName, required } from "./field-error";

/** What holds for a target whatever its metric is. Upstream: validateMetricTarget. */
export function validateTarget(field: string, target: MetricTarget): string[] {
  const { type, averageUtilization } = target;
  return [
    ...(type === "" ? [required(`${field}.type`, "must specify a metric target type")] : []),
    ...(type === "Utilization" || type === "Value" || type === "AverageValue"
      ? []
      : [invalidName(`${field}.type`, type, "must be either Utilization, Value, or AverageValue")]),
    ...positiveErrors(`${field}.value`, target.value),
    ...positiveErrors(`${field}.averageValue`, target.averageValue),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [invalid(`${field}.averageUtilization`, averageUtilization, "must be greater than 0")]
      : []),
  ];
}

function positiveErrors(field: string, quantity: Quantity | undefined): string[] {
  if (quantity === undefined || signOf(parseQuantity(quantity)) === 1) return [];
  return [invalid(field, String(quantity), "must be positive")];
}
