import type { Load } from "./plan";
import { prices } from "../../../lib/model/prices";
import type { BilledUnit } from "../../../lib/sources/billed";

/** One driver of the cost. Amounts in $ a month. */
export interface Line extends Readonly<Record<Load, number>> {
  readonly what: string;
  /** How the amount in motion comes about, with its counts and prices. */
  readonly arithmetic: string;
  /** What lowers it. */
  readonly knob: string;
  /** Whether it pays for reading metrics, which any autoscaler has to do. */
  readonly readsSources?: true;
}

/** What lowers most lines. */
export const slower = "a longer syncPeriodSeconds of the cluster";

/** What lowers the zero-scale poller's. */
export const pollerKnob = "the param watchBudget, or ebb.dev/wake: slot";

export function same(amount: number): Readonly<Record<Load, number>> {
  return { atRest: amount, moving: amount };
}

export function many(count: number, one: string): string {
  return `${number(count)} ${count === 1 ? one : `${one}s`}`;
}

/** "12,345" */
export function number(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

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
