import type { SourceQuery } from "../ports/sources";

/** Of a query of a kind of source: equal for the same query, in whatever order its parameters are. */
export function queryKey(kind: string, { metricName, parameters }: Omit<SourceQuery, "rank" | "asker">): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([kind, kind === metricName ? "" : metricName, sorted]);
}
