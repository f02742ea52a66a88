import type { Load } from "./plan";
import { prices } from "../../../lib/model/prices";
import type { BilledUnit } from "../../../lib/sources/description";

export interface Line extends Readonly<Record<Load, number>> {
  readonly what: string;
  readonly arithmetic: string;
  readonly knob: string;
  /** Reading metrics, which any autoscaler has to pay. */
  readonly readsSources?: true;
}

export const slower = "a longer syncPeriodSeconds of the cluster";

export const pollerKnob = "the param watchBudget, or ebb.dev/wake: slot";

export function same(amount: number): Readonly<Record<Load, number>> {
  return { atRest: amount, moving: amount };
}

export function many(count: number, one: string): string {
  return `${number(count)} ${count === 1 ? one : `${one}s`}`;
}

export function number(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

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

/** "$0.40", "$0.625" */
export function money(value: number): string {
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
}
