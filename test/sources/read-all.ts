import { contextOf } from "./read-context";
import type { MetricSource, SourceQuery, SourceReading } from "../../lib/model/ports/sources";

/** One run's readings of these queries, in their order. */
export function readAll(
  source: MetricSource,
  queries: readonly SourceQuery[],
  now: number,
  signal: AbortSignal,
): Promise<readonly SourceReading[]> {
  const reader = source.open(contextOf({ now, signal }));
  return Promise.all(queries.map((query) => reader.read(query)));
}
