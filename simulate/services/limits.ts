/**
 * What AWS publishes, for a new account in us-east-1, with the page that says so (docs.aws.amazon.com, as of
 * 2026-11). What it does not publish is in assumptions.ts.
 */
export const limits = {
  /** EventBridge Scheduler: "invokes your target within 60 seconds" (scheduler/latest/UserGuide/schedule-types). */
  scheduler: { withinMs: 60_000 },
  sqs: {
    /** AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages */
    messagesPerBatch: 10,
    /** quotas-queues: messages that are received and not deleted, "approximately". */
    inFlight: 120_000,
  },
  /** lambda/latest/dg/services-sqs-scaling */
  pollers: { first: 5, morePerMinute: 300, most: 1_000 },
  lambda: {
    /** lambda/latest/dg/gettingstarted-limits; soft. */
    concurrency: 1_000,
    /**
     * lambda/latest/dg/scaling-behavior: new environments of one function. The rate refills all the time, and what is
     * not used is not added to it.
     */
    startsPerTenSeconds: 1_000,
    /** lambda/latest/dg/gettingstarted-limits: for each unit of the account's concurrency. */
    invocationsPerSecond: 10,
    /** lambda/latest/dg/configuration-memory: one vCPU. */
    mbPerVcpu: 1_769,
  },
  dynamodb: {
    /** amazondynamodb/latest/developerguide/warm-throughput: a new on-demand table, then twice its last peak. */
    newTable: { reads: 12_000, writes: 4_000 },
    /** ServiceQuotas: of an on-demand table; soft. */
    tableQuota: { reads: 40_000, writes: 40_000 },
    /** bp-partition-key-design: of one partition; hard. */
    partition: { reads: 3_000, writes: 1_000 },
  },
  /** AmazonCloudWatch/latest/monitoring/cloudwatch_limits, of an account in a region. */
  cloudwatch: {
    /** GetMetricData without Metrics Insights, a second; soft. */
    getMetricData: 50,
    metricsPerCall: 500,
    /** Hard: 180,000 with a start in the last three hours, as ebb's are, and 396,000 with an earlier one. */
    datapointsPerSecond: 180_000,
  },
} as const;

export interface Throughput {
  readonly reads: number;
  readonly writes: number;
}
