/** What was published: raw samples, from which every statistic of every period is computed when it is asked for. */
export interface Sample {
  /** In ms; already cut to the metric's resolution. */
  readonly at: number;
  readonly value: number;
  readonly count: number;
  readonly unit: string;
  /** Seconds: 1 for high-resolution metrics, 60 for all others. Those are not seen with a period under 60. */
  readonly resolution: 1 | 60;
}

export interface MetricIdentity {
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name?: string; readonly Value?: string }[];
}

/**
 * A metric is its namespace, its name and exactly its dimensions, in any order; CloudWatch aggregates over no others.
 */
export function metricKey({ Namespace, MetricName, Dimensions = [] }: MetricIdentity): string {
  const dimensions = Dimensions.map(({ Name, Value }) => [Name, Value]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  return JSON.stringify([Namespace, MetricName, dimensions]);
}
