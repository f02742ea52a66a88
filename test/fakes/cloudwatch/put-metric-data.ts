import { metricKey, type Sample } from "./samples";
import { validationError } from "./service-error";

interface Datum {
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
  /** Seconds since the epoch. */
  readonly Timestamp?: number;
  readonly Value?: number;
  readonly Values?: readonly number[];
  readonly Counts?: readonly number[];
  readonly Unit?: string;
  readonly StorageResolution?: number;
}

/**
 * PutMetricData: samples of single values and of values with counts. Statistic sets are refused, since they allow no
 * percentiles.
 */
export function putMetricData(input: unknown, samples: Map<string, Sample[]>, now: number): Record<string, never> {
  const { Namespace, MetricData = [] } = input as {
    readonly Namespace?: string;
    readonly MetricData?: readonly Datum[];
  };
  if (typeof Namespace !== "string" || Namespace === "") throw validationError("The parameter Namespace is required.");
  for (const datum of MetricData) {
    const { MetricName, Dimensions = [], Timestamp = now / 1000, Unit: unit = "None" } = datum;
    const values = datum.Values ?? (datum.Value === undefined ? undefined : [datum.Value]);
    if (MetricName === undefined || values === undefined) {
      throw validationError("The parameters MetricName and Value or Values are required.");
    }
    const resolution = datum.StorageResolution === 1 ? 1 : 60;
    const at = Math.floor(Timestamp / resolution) * resolution * 1000;
    const key = metricKey({ Namespace, MetricName, Dimensions });
    const added = values.map((value, index): Sample => ({
      at,
      value,
      count: datum.Counts?.[index] ?? 1,
      unit,
      resolution,
    }));
    samples.set(key, [...(samples.get(key) ?? []), ...added]);
  }
  return {};
}
