import { isFault } from "../model/fault";
import type { SourceQuery } from "../model/ports/sources";
import { prices } from "../model/prices";
import type { BilledRead, BilledUnit } from "./billed";
import { billedByAws as ofCloudWatch } from "./cloudwatch/cloudwatch-query";
import { billedByAws as ofSqs } from "./sqs/billed";

/** Of one, in $. */
const priceOf: Readonly<Record<BilledUnit, number>> = {
  "SQS request": prices.sqs.request,
  "CloudWatch metric": prices.cloudwatch.readMetric,
};

const billed: Readonly<Record<string, (query: SourceQuery) => readonly BilledRead[]>> = {
  sqs: ofSqs,
  cloudwatch: ofCloudWatch,
};

/** What AWS bills for one reading of a query, in $: at least, where only the server knows what it reads. */
export function priceOfReading(kind: string, query: SourceQuery): number {
  const billedBy = Object.hasOwn(billed, kind) ? billed[kind] : undefined;
  if (billedBy === undefined) return 0;
  try {
    return billedBy(query).reduce((sum, { unit }) => sum + priceOf[unit], 0);
  } catch (error) {
    // A query that cannot be used is never read.
    if (isFault(error, "badEntry")) return 0;
    throw error;
  }
}
