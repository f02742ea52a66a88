import { type ReadingRow, readingRows } from "../../../parity/keda/readings";
import type { subjects } from "./servers";

type Texts = Readonly<Record<string, string>>;

export interface Case {
  readonly subject: keyof typeof subjects;
  readonly metadata: Texts;
}

export const on = (subject: keyof typeof subjects, ...given: readonly Texts[]) =>
  given.map((metadata): Case => ({ subject, metadata }));
const length = { mode: "QueueLength" };
const matching = (operation: string) => ({ queueName: "^(orders|idle)$", ...length, useRegex: "true", operation });
const group = { consumerGroup: "mailers" };
/** Of the last minute that has ended, in which the metric began. */
const ofMinute = (given: Texts): Texts => ({
  ...{ metricName: "Growing", metricStat: "Sum", metricStatPeriod: "60", metricCollectionTime: "60" },
  ...given,
});
export const query = (text: string): Texts => ({ query: text });

export const cases: readonly Case[] = [
  ...on(
    "redis",
    ...["jobs", "jobs:ids", "jobs:due", "jobs:by-id", "jobs:text", "none"].map((listName) => ({ listName })),
  ),
  ...on("redis", { listName: "jobs", activationListLength: "2" }, { listName: "jobs", activationListLength: "3" }),
  ...on("streams", { stream: "orders", ...group, pendingEntriesCount: "5" }, { stream: "orders", streamLength: "5" }),
  ...on("streams", { stream: "orders", ...group, lagCount: "5" }, { stream: "none", streamLength: "5" }),
  ...on("streams", { stream: "orders", ...group, lagCount: "5", activationLagCount: "4" }),
  ...on("streams", { stream: "orders", ...group, lagCount: "5", activationLagCount: "3" }),
  ...on("streams", { stream: "orders", consumerGroup: "nobody", lagCount: "5" }),
  ...on("streams", { stream: "orders", consumerGroup: "nobody", pendingEntriesCount: "5" }),
  ...on("streams", { stream: "none", ...group, pendingEntriesCount: "5" }, { stream: "none", ...group, lagCount: "5" }),
  ...on("rabbitmq", ...["orders", "idle", "none"].map((queueName) => ({ queueName, ...length }))),
  ...on("rabbitmq", { queueName: "orders", ...length, activationValue: "5" }),
  ...on("rabbitmq", { queueName: "orders", ...length, activationValue: "4.5" }),
  ...on("rabbitmq", { queueName: "orders", ...length, excludeUnacknowledged: "true" }),
  ...["sum", "max", "avg"].flatMap((operation) => on("rabbitmq", matching(operation))),
  ...on("rabbitmq", { queueName: "^nothing", ...length, useRegex: "true" }),
  ...on("rabbitmq", { queueName: "idle", mode: "MessageRate" }, { queueName: "idle", mode: "DeliverGetRate" }),
  ...on(
    "postgresql",
    ...["count(*)", "sum(weight)", "max(queue)", "NULL::int", "-2", "1e3::float8"].map((what) =>
      query(`SELECT ${what} FROM jobs`),
    ),
  ),
  ...on(
    "postgresql",
    query("SELECT count(*) FROM none"),
    query("SELECT id FROM jobs WHERE false"),
    query("SELECT id, weight FROM jobs"),
  ),
  ...on(
    "postgresql",
    query("SELECT id FROM jobs ORDER BY id"),
    query("SELECT '7'"),
    query("SELECT 'seven'"),
    query("SELECT true"),
  ),
  ...on("postgresql", { ...query("SELECT count(*) FROM jobs"), activationTargetQueryValue: "5" }),
  ...on(
    "prometheus",
    ...["sum(jobs)", "jobs", 'jobs{queue="mail"}', "none", "nothing", "0/0", "1/0", "-below", "below"].map(query),
  ),
  ...on("prometheus", { ...query("none"), ignoreNullValues: "false" }, { ...query("sum("), ignoreNullValues: "true" }),
  ...on(
    "prometheus",
    { ...query("sum(jobs)"), activationThreshold: "15.5" },
    { ...query("sum(jobs)"), activationThreshold: "15" },
  ),
  ...on("prometheus", query("scalar(sum(jobs))")),
  ...["earliest", "latest"].flatMap((offsetResetPolicy) => [
    ...on("kafka", ...["orders", "empty", "none"].map((topic) => ({ topic, offsetResetPolicy }))),
    ...on("kafka", { topic: "orders", offsetResetPolicy, consumerGroup: "nobody" }),
    ...on("kafka", { topic: "orders", offsetResetPolicy, consumerGroup: "nobody", allowIdleConsumers: "true" }),
    ...on("kafka", { topic: "orders", offsetResetPolicy, consumerGroup: "nobody", scaleToZeroOnInvalidOffset: "true" }),
  ]),
  ...on(
    "kafka",
    { topic: "orders", allowIdleConsumers: "true" },
    { topic: "orders", limitToPartitionsWithLag: "true" },
  ),
  ...on("kafka", { topic: "orders", partitionLimitation: "0", allowIdleConsumers: "true" }),
  ...on("kafka", { topic: "orders", activationLagThreshold: "14" }, { topic: "orders", activationLagThreshold: "20" }),
  ...on("sqs", ...["orders", "idle", "none"].map((queueURL) => ({ queueURL }))),
  ...on("sqs", { queueURL: "orders", scaleOnInFlight: "false" }, { queueURL: "orders", scaleOnDelayed: "true" }),
  ...on("sqs", { queueURL: "orders", activationQueueLength: "7" }, { queueURL: "orders", activationQueueLength: "6" }),
  ...on("cloudwatch", {}, ...["Maximum", "Minimum", "SampleCount", "Sum"].map((metricStat) => ({ metricStat }))),
  ...on("cloudwatch", { metricStatPeriod: "60", metricCollectionTime: "300", metricEndTimeOffset: "60" }),
  ...on("cloudwatch", { activationTargetMetricValue: "6" }, { activationTargetMetricValue: "5.5" }),
  ...on("cloudwatch", { metricName: "None", minMetricValue: "1.5" }, { metricName: "None", ignoreNullValues: "false" }),
  ...on("cloudwatch", ofMinute({}), ofMinute({ metricEndTimeOffset: "0" }), ofMinute({ metricStat: "Average" })),
  ...["app=backend", "app in (backend, frontend)", "app=nothing", "!app", ""].flatMap((podSelector) =>
    on("workload", { podSelector }),
  ),
  ...on("workload", { podSelector: "app=backend", activationValue: "4" }),
  ...on("workload", { podSelector: "app=backend", activationValue: "3.5" }),
  ...["whole", "part", "text", "none", "deep.list.1.depth", "deep.list", "missing", "below"].flatMap((valueLocation) =>
    on("http", { path: "numbers", valueLocation }),
  ),
  ...['jobs{queue="orders"}', "nothing", "missing", "below"].flatMap((valueLocation) =>
    on("http", { path: "metrics", valueLocation, format: "prometheus" }),
  ),
];

export const idOf = ({ subject, metadata }: Case) => `${subject} ${JSON.stringify(metadata)}`;

interface Difference {
  readonly row: ReadingRow;
  /** Thousandths. Absent: it cannot be read. */
  readonly keda?: string;
  readonly ebb?: string;
}

const differing = (difference: Difference, ...cases: readonly Case[]) =>
  cases.map((one) => [idOf(one), difference] as const);
const { severalRows, scalar, belowZero, rabbitmqAverage, kafkaCap, growing } = readingRows;

/** By the case's id. */
const differences = new Map([
  ...differing({ row: severalRows, keda: "0" }, ...on("postgresql", query("SELECT -2 FROM jobs"))),
  ...differing({ row: severalRows, keda: "1000000" }, ...on("postgresql", query("SELECT 1e3::float8 FROM jobs"))),
  ...differing({ row: severalRows, keda: "1000" }, ...on("postgresql", query("SELECT id FROM jobs ORDER BY id"))),
  ...differing({ row: scalar, ebb: "0" }, ...on("prometheus", query("0/0"), query("1/0"))),
  ...differing({ row: scalar, ebb: "15500" }, ...on("prometheus", query("scalar(sum(jobs))"))),
  ...differing({ row: belowZero, keda: "0", ebb: "-5000" }, ...on("prometheus", query("below"))),
  ...differing({ row: belowZero, keda: "0", ebb: "-3000" }, ...on("http", { path: "numbers", valueLocation: "below" })),
  ...differing(
    { row: belowZero, keda: "0", ebb: "-5000" },
    ...on("http", { path: "metrics", valueLocation: "below", format: "prometheus" }),
  ),
  ...differing({ row: growing, keda: "42000", ebb: "0" }, ...on("cloudwatch", ofMinute({}))),
  ...differing({ row: rabbitmqAverage, keda: "2000", ebb: "2500" }, ...on("rabbitmq", matching("avg"))),
  ...differing(
    { row: kafkaCap, keda: "17000", ebb: "15000" },
    ...on(
      "kafka",
      { topic: "orders", offsetResetPolicy: "earliest" },
      { topic: "orders", offsetResetPolicy: "latest" },
    ),
    ...on(
      "kafka",
      { topic: "orders", activationLagThreshold: "14" },
      { topic: "orders", activationLagThreshold: "20" },
    ),
  ),
]);

export const differenceOf = (one: Case) => differences.get(idOf(one));
