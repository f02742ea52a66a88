import { describedCloudWatch } from "./cloudwatch/describe";
import type { DescribedKind } from "./description";
import type { KindName } from "./registry";
import { describedFormula } from "./formula/describe";
import { serviceField } from "./fields/server-fields";
import { describedHttp } from "./http/describe";
import { describedKafka } from "./kafka/describe";
import { describedPrometheus } from "./prometheus/describe";
import { describedRabbitmq } from "./rabbitmq/describe";
import { describedPostgresql } from "./postgresql/describe";
import { describedRedis } from "./redis/describe";
import { describedSchedule } from "./schedule/describe";
import { describedSqs } from "./sqs/describe";
import { describedWorkload } from "./workload/describe";

export const descriptions: Readonly<Record<KindName, DescribedKind>> = {
  sqs: describedSqs,
  cloudwatch: describedCloudWatch,
  schedule: describedSchedule,
  http: describedHttp,
  prometheus: describedPrometheus,
  rabbitmq: describedRabbitmq,
  redis: describedRedis,
  postgresql: describedPostgresql,
  kafka: describedKafka,
  formula: describedFormula,
  workload: describedWorkload,
};

export function descriptionOf(kind: string): DescribedKind | undefined {
  const known: Readonly<Record<string, DescribedKind>> = descriptions;
  return Object.hasOwn(known, kind) ? known[kind] : undefined;
}

export function isForwarded(kind: string): boolean {
  return descriptionOf(kind)?.fields["via"] === serviceField;
}
