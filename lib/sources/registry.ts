import { present } from "../k8s/map";
import { cloudwatch } from "./cloudwatch/kind";
import { formula } from "./formula/kind";
import { http } from "./http/kind";
import { kafka } from "./kafka/kind";
import type { SourceDeps, SourceKind } from "./kind";
import type { KnownSource, MetricSource, SourceQuery } from "../model/ports/sources";
import { prometheus } from "./prometheus/kind";
import { rabbitmq } from "./rabbitmq/kind";
import { postgresql } from "./postgresql/kind";
import { redis } from "./redis/kind";
import { schedule } from "./schedule/kind";
import { sqs } from "./sqs/kind";
import { workload } from "./workload/kind";
import { isFault } from "../model/fault";
import { prices } from "../model/prices";
import type { BilledRead, BilledUnit } from "./description";
import { billedByAws as ofCloudWatch } from "./cloudwatch/cloudwatch-query";
import { billedByAws as ofSqs } from "./sqs/sqs-query";

/** descriptions.ts has their descriptions, which functions do not load. */
export const sourceKinds = {
  sqs,
  cloudwatch,
  schedule,
  http,
  prometheus,
  rabbitmq,
  redis,
  postgresql,
  kafka,
  formula,
  workload,
} satisfies Readonly<Record<string, SourceKind>>;

export type KindName = keyof typeof sourceKinds;

export function builtInKinds(): readonly string[] {
  return Object.values(sourceKinds).flatMap(({ name, isBuiltIn }) => (isBuiltIn ? [name] : []));
}

export function openMetricSources(deps: SourceDeps): Readonly<Record<KindName, KnownSource>> {
  const opened = Object.values(sourceKinds).map(
    (kind) => [kind.name, { ...kind.open(deps), ...knownOf(kind) }] as const,
  );
  return Object.fromEntries(opened) as Record<KindName, KnownSource>;
}

function knownOf(kind: SourceKind): Omit<KnownSource, keyof MetricSource> {
  const { isBuiltIn, settleMs, operands, rights } = kind;
  return {
    isBuiltIn,
    ...present({ settleMs, operands, rights }),
  };
}

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
    // An unusable query is never read.
    if (isFault(error, "badEntry")) return 0;
    throw error;
  }
}
