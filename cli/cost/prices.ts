import { prices } from "../../lib/model/prices";
import type { BilledUnit } from "../../lib/sources/billed";

/** What one costs, and how a bill writes it. */
export const priceOfRead: Readonly<Record<BilledUnit, { readonly each: number; readonly arithmetic: () => string }>> = {
  "SQS request": {
    each: prices.sqs.request,
    arithmetic: () => `requests × ${money(prices.sqs.request * 1e6)} a million`,
  },
  "CloudWatch metric": {
    each: prices.cloudwatch.readMetric,
    arithmetic: () => `metrics × ${money(prices.cloudwatch.readMetric * 1e3)} a thousand`,
  },
};

/** A price: "$0.40", "$0.625" */
export function money(value: number): string {
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
}
