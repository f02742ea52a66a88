import type { SourceQuery, SourceReading } from "../model/ports/sources";
import type { CachedReading } from "../model/stored/state";
import { type FoundSource, keyOfFound } from "../model/metric/found-source";
import type { SourceReads } from "./read-sources";

export type SourceRequest = Omit<SourceQuery, "parameters" | "operands">;

export interface ReadSource {
  readonly response: SourceReading;
  readonly cached: Readonly<Record<string, CachedReading>>;
  readonly operands?: readonly ReadOperand[];
}

export interface ReadOperand {
  readonly name: string;
  readonly metricName: string;
  readonly reading: SourceReading;
}

/** Reads operands as metrics of their own: shared and cached. The formula handles a failed one. */
export async function readSource(
  reads: Pick<SourceReads, "read">,
  found: FoundSource,
  request: SourceRequest,
): Promise<ReadSource> {
  const { operands } = found;
  const cached: Record<string, CachedReading> = {};
  const read = async (of: FoundSource, query: Omit<SourceQuery, "parameters">): Promise<SourceReading> => {
    const key = keyOfFound(of, query.metricName);
    const { response, keep } = await reads.read(of.source, { ...query, parameters: of.parameters }, key);
    if (keep !== undefined) cached[keep.key] = keep.reading;
    return response;
  };
  if (operands === undefined) return { response: await read(found, request), cached };
  const readings = await Promise.all(
    operands.map(async ({ name, metricName, found }) => {
      const reading =
        found.kind === "invalid"
          ? { error: found.error, from: found.from }
          : await read(found, { ...request, metricName });
      return { name, metricName, reading };
    }),
  );
  const byName = Object.fromEntries(readings.map(({ name, reading }) => [name, reading]));
  return { response: await read(found, { ...request, operands: byName }), cached, operands: readings };
}

/** Equal texts for equal requests. */
export function requestKeys(found: FoundSource, metricName: string): readonly string[] {
  const { operands } = found;
  if (operands === undefined) return [keyOfFound(found, metricName)];
  const keys = operands.flatMap(({ metricName: name, found }) =>
    found.kind === "source" ? [keyOfFound(found, name)] : [],
  );
  return [...new Set(keys)];
}
