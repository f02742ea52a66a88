import { limits } from "./limits";
import { openBucket, openPeak } from "./rates";

/** What a GetMetricData takes. */
export interface MetricsAsked {
  readonly metrics: number;
  /** As AWS estimates them: from the time range and the period, whether there is data or not. */
  readonly datapoints: number;
}

export interface CloudWatchModel {
  /** Whether GetMetricData is answered now. Otherwise it is throttled. */
  admit(asked: MetricsAsked, now: number): boolean;
  readonly throttled: number;
  /** Answered. */
  readonly used: { readonly calls: number; readonly metrics: number };
  /** The busiest second, with what was throttled. */
  readonly peaks: { readonly calls: number; readonly datapoints: number };
}

/** GetMetricData in one account and region. A throttled request takes nothing of the quota. */
export function openCloudWatchModel(callsPerSecond: number): CloudWatchModel {
  const calls = { bucket: openBucket(callsPerSecond), peak: openPeak() };
  const datapoints = { bucket: openBucket(limits.cloudwatch.datapointsPerSecond), peak: openPeak() };
  const used = { calls: 0, metrics: 0 };
  let throttled = 0;
  return {
    used,
    get throttled() {
      return throttled;
    },
    get peaks() {
      return { calls: calls.peak.most, datapoints: datapoints.peak.most };
    },
    admit(asked, now) {
      calls.peak.note(1, now);
      datapoints.peak.note(asked.datapoints, now);
      if (calls.bucket.left(now) < 1 || datapoints.bucket.left(now) < asked.datapoints) {
        throttled += 1;
        return false;
      }
      calls.bucket.take(1);
      datapoints.bucket.take(asked.datapoints);
      used.calls += 1;
      used.metrics += asked.metrics;
      return true;
    },
  };
}
