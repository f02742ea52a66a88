import { isFault } from "../model/fault";
import type { SourceQuery } from "../model/ports/sources";
import { prices } from "../model/prices";
import type { BilledRead, BilledUnit } from "./description";
import { billedByAws as ofCloudWatch } from "./cloudwatch/cloudwatch-query";
import { billedByAws as ofSqs } from "./sqs/sqs-query";

const priceOf: Readonly<Record<BilledUnit, number>> = {
  "SQS request": prices.sqs.request,
  "CloudWatch metric": prices.cloudwatch.readMetric,
};

const billed: Readonly<Record<string, (query: SourceQuery) => readonly BilledRead[]>> = {
  sqs: ofSqs,
  cloudwatch: ofCloudWatch,
};

/** In $; a lower bound where only the server knows how much it reads. */
export function priceOfReading(kind: string, query: SourceQuery): number {
  const billedBy = Object.hasOwn(billed, kind) ? billed[kind] : undefined;
  if (billedBy === undefined) return 0;
  try {
    return billedBy(query).reduce((sum, { unit }) => sum + priceOf[unit], 0);
  } catch (error) {
    if (isFault(error, "badEntry")) return 0;
    throw error;
  }
}
