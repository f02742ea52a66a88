/**
 * List prices of us-east-1 in $, without free tiers and discounts, from the pricing pages of AWS Lambda, SQS, DynamoDB
 * (on demand), CloudWatch, EventBridge Scheduler and EC2. Prices are in no other file.
 */
export const prices = {
  region: "us-east-1",
  of: "2026-11",
  lambda: {
    /** arm64, the first tier. Since August 2025, INIT is billed too. */
    gbSecond: 0.0000133334,
    request: 0.2 / 1e6,
    /** One Event Poller Unit of a provisioned queue poller. */
    pollerHour: 0.00925,
  },
  sqs: { request: 0.4 / 1e6 },
  dynamodb: {
    /** 1 KB. */
    write: 0.625 / 1e6,
    /** 4 KB, strongly consistent. */
    read: 0.125 / 1e6,
  },
  cloudwatch: {
    /** GetMetricData. */
    readMetric: 0.01 / 1e3,
    customMetric: 0.3,
    /** A month, for each metric of an alarm. */
    alarmMetric: 0.1,
    logGb: 0.5,
  },
  scheduler: { invocation: 1 / 1e6 },
  /** One vCPU of an m7g.large with its share of memory, an hour: what runs inside a cluster costs this. */
  vcpuHour: 0.0816 / 2,
} as const;

/** A twelfth of a year. */
export const monthSeconds = 2_628_000;
