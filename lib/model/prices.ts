/** List prices of us-east-1 in $, without free tiers and discounts, from AWS' pricing pages. */
export const prices = {
  region: "us-east-1",
  of: "2026-11",
  lambda: {
    /** arm64, first tier. */
    gbSecond: 0.0000133334,
    request: 0.2 / 1e6,
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
    alarmMetric: 0.1,
    logGb: 0.5,
  },
  scheduler: { invocation: 1 / 1e6 },
  /** m7g.large with its memory, an hour: for what runs inside a cluster. */
  vcpuHour: 0.0816 / 2,
} as const;

export const monthSeconds = 2_628_000;

/** $ a month for polling HPAs at zero (`watchBudget`). */
export const defaultWatchBudget = 20;
