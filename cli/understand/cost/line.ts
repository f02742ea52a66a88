import type { Load } from "./plan";
import { prices } from "../../../lib/model/prices";
import type { BilledUnit } from "../../../lib/sources/description";

export interface Cost extends Readonly<Record<Load, number>> {
  readonly arithmetic: string;
}

export interface Line extends Cost {
  readonly what: string;
  readonly knob: string;
  /** Reading metrics, which any autoscaler has to pay. */
  readonly readsSources?: true;
}

export const slower = "a longer syncPeriodSeconds of the cluster";
export const oneDeployment = "one deployment for all clusters";
export const pollerKnob = "the param watchBudget, or ebb.dev/wake: slot";

export function same(amount: number, arithmetic: string): Cost {
  return { atRest: amount, moving: amount, arithmetic };
}

/** "175,200 requests × $0.40 a million". `price`: of one. */
export function million(count: number, units: string, price: number): Cost {
  return same(count * price, `${number(count)} ${units} × ${money(price * 1e6)} a million`);
}

export const costOf: Readonly<Record<BilledUnit, (count: number) => Cost>> = {
  "SQS request": (count) => million(count, "requests", prices.sqs.request),
  "CloudWatch metric": (count) =>
    same(
      count * prices.cloudwatch.readMetric,
      `${number(count)} metrics × ${money(prices.cloudwatch.readMetric * 1e3)} a thousand`,
    ),
};

export function dearestFirst(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ moving }) => moving > 0).toSorted((a, b) => b.moving - a.moving);
}

export function totalOf(lines: readonly Line[], load: Load, only: (line: Line) => boolean = () => true): number {
  return lines.filter(only).reduce((sum, line) => sum + line[load], 0);
}

export function many(count: number, one: string): string {
  return `${number(count)} ${count === 1 ? one : `${one}s`}`;
}

export function number(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** "$0.40", "$0.625" */
export function money(value: number): string {
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
}
