/**
 * The list prices of us-east-1 in $, without free tiers and discounts. A price of AWS that changes is changed here and
 * nowhere else. Sources: the pricing pages of AWS Lambda, Amazon SQS, Amazon DynamoDB (on demand), Amazon CloudWatch,
 * Amazon EventBridge Scheduler and Amazon EC2.
 */
export const prices = {
  region: "us-east-1",
  of: "2026-11",
  lambda: {
    /** arm64, the first tier. INIT is billed as well, since August 2025. */
    gbSecond: 0.0000133334,
    request: 0.2 / 1e6,
    /** A provisioned poller of a queue, for an hour: one Event Poller Unit. */
    pollerHour: 0.00925,
  },
  sqs: { request: 0.4 / 1e6 },
  dynamodb: {
    /** Of 1 KB. */
    write: 0.625 / 1e6,
    /** Strongly consistent, of 4 KB. */
    read: 0.125 / 1e6,
  },
  cloudwatch: {
    /** GetMetricData. */
    readMetric: 0.01 / 1e3,
    customMetric: 0.3,
    /** Each metric that an alarm looks at. */
    alarmMetric: 0.1,
    logGb: 0.5,
  },
  scheduler: { invocation: 1 / 1e6 },
  /** One vCPU of an m7g.large for an hour, with its share of memory. For what runs inside a cluster. */
  vcpuHour: 0.0816 / 2,
} as const;

/** A year's twelfth, in seconds: 43,800 minutes. */
export const monthSeconds = 2_628_000;
