import type { ExternalMetricValue, MetricResponse } from "../k8s/objects";
import type { EpochMs } from "../k8s/time";

/** What to read. Values are strings where they come from selector labels, anything JSON has where a SOURCE entry gives them. */
export interface SourceQuery {
  readonly metricName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type Reading = MetricResponse<ExternalMetricValue>;

/** A kind of metric source outside the cluster; the structure of the sync's port of the same name. */
export interface MetricSource {
  /** How long a reading must be kept before this query may be asked again, in ms; 0: ask every slot. */
  keepMs(query: SourceQuery): number;
  /** One reading for each query, in order; never rejects: what failed is `{error, from}` in its place. */
  read(queries: readonly SourceQuery[], now: EpochMs, signal: AbortSignal): Promise<readonly Reading[]>;
}
