import { errorText, isFault } from "../../model/fault";
import type { SourceQuery, SourceReading, ReadContext } from "../../model/ports/sources";

/** A value as a source found it: a quantity, and the labels that distinguish it. */
export interface FoundValue {
  readonly value: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What `read` finds, as a source answers a query. Never rejects: any error is the query's own. */
export async function asReading(
  from: string,
  { metricName }: SourceQuery,
  { now }: ReadContext,
  read: () => Promise<readonly FoundValue[]>,
): Promise<SourceReading> {
  try {
    const timestamp = new Date(now).toISOString();
    const found = await read();
    return { items: found.map(({ value, labels }) => ({ metricName, metricLabels: labels, timestamp, value })) };
  } catch (error) {
    if (!isFault(error)) return { error: `unexpected: ${errorText(error)}`, from };
    return { error: error.message, from, ...(error.lack !== undefined && { lack: error.lack }) };
  }
}
