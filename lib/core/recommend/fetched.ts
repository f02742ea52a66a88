import type { MetricResponse } from "../../api/metric-values";
import type { Result } from "./recommendation";

type MetricsApi = "resource" | "custom" | "external";

/** The response's items, in the words of upstream's clients where there are none. Upstream: podautoscaler/metrics/client.go. */
export function fetchedItems<T>(response: MetricResponse, api: MetricsApi): Result<readonly T[]> {
  if ("error" in response) return { error: fetchError(response, api) };
  if (response.items.length === 0) return { error: `no metrics returned from ${api} metrics API` };
  return { value: response.items as readonly T[] };
}

/** The one item about an object; more or fewer are an error of the custom metrics API. */
export function fetchedItem<T>(response: MetricResponse, api: MetricsApi): Result<T> {
  if ("error" in response) return { error: fetchError(response, api) };
  const [item, ...more] = response.items as readonly T[];
  if (item !== undefined && more.length === 0) return { value: item };
  const error = `the custom metrics API server returned ${response.items.length} results when we asked for exactly one`;
  return { error: fetchError({ error }, api) };
}

function fetchError({ error, from }: { readonly error: string; readonly from?: string }, api: MetricsApi): string {
  return `unable to fetch metrics from ${from ?? `${api} metrics API`}: ${error}`;
}
