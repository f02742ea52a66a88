import { isDeepStrictEqual } from "node:util";
import { once } from "../async/shared";
import type { MetricIdentifier } from "../k8s/hpa";
import { isMap } from "../k8s/map";
import { isQuantity } from "../k8s/quantity";
import { isFault } from "../model/fault";
import {
  foundSource,
  type FoundOperand,
  type FoundSource,
  type InvalidSource,
  withOperands,
} from "../model/metric/found-source";
import { queryKey } from "../model/metric/query-key";
import type { SourceEntry } from "../model/entry/entries";
import type {
  KnownSource,
  MetricSource,
  MetricSources,
  Operand,
  SourceQuery,
  SourceReader,
  SourceReading,
  ReadContext,
} from "../model/ports/sources";
import type { Entry, ShardContents } from "../model/ports/store";
import type { EpochMs } from "../k8s/time";
import type { CachedReading, CommittedOffsets, State } from "../model/stored/state";

export type ExternalSource =
  /** The cluster's external.metrics.k8s.io. */
  { readonly kind: "cluster" } | FoundSource | InvalidSource;

/** `entries`: by name. */
export interface KnownSources {
  readonly entries: ReadonlyMap<string, Entry<SourceEntry>>;
  readonly sources: MetricSources;
}

const ofContents = new WeakMap<object, KnownSources>();

/** One for each load: a metric's source is found once. */
export function knownSources(contents: Pick<ShardContents, "sources">, sources: MetricSources): KnownSources {
  const known = ofContents.get(contents) ?? {
    entries: new Map(contents.sources.map((source) => [source.key, source])),
    sources,
  };
  ofContents.set(contents, known);
  return known;
}

interface Finds {
  readonly byMetric: WeakMap<object, ExternalSource>;
  readonly byText: Map<string, ExternalSource>;
  count: number;
}

const findsOf = new WeakMap<KnownSources, Finds>();
const mostFinds = 20_000;

/** Labels override the entry's parameters. */
export function externalSource(metric: MetricIdentifier, known: KnownSources): ExternalSource {
  const finds: Finds = findsOf.get(known) ?? { byMetric: new WeakMap(), byText: new Map(), count: 0 };
  findsOf.set(known, finds);
  const before = finds.byMetric.get(metric);
  if (before !== undefined) return before;
  const text = JSON.stringify([metric.name, metric.selector]);
  const found: ExternalSource = finds.byText.get(text) ?? findSource(metric, known);
  if (finds.count >= mostFinds) return found;
  finds.count += found.kind === "source" ? 1 + (found.operands?.length ?? 0) : 1;
  finds.byMetric.set(metric, found);
  finds.byText.set(text, found);
  return found;
}

function findSource(metric: MetricIdentifier, known: KnownSources): ExternalSource {
  const found = located(metric, known);
  const operandsOf = found.kind === "source" ? kindOf(found, known)?.operands : undefined;
  if (found.kind !== "source" || operandsOf === undefined) return found;
  try {
    const operands = operandsOf({ metricName: metric.name, parameters: found.parameters });
    return withOperands(
      found,
      operands.map((operand) => foundOperand(operand, known)),
    );
  } catch (error) {
    if (!isFault(error)) throw error;
    return { kind: "invalid", error: error.message, from: metric.name };
  }
}

/** One level deep, so no operand leads back to itself. */
function foundOperand({ name, metric }: Operand, known: KnownSources): FoundOperand {
  const found = located(metric, known);
  const invalid = (error: string) => ({ kind: "invalid" as const, error, from: metric.name });
  if (found.kind === "cluster")
    return { name, metricName: metric.name, found: invalid(`there is no source named ${metric.name}`) };
  if (found.kind === "source" && kindOf(found, known)?.operands !== undefined) {
    const error = `expected a source that is no ${found.source} itself: write that one's formula here`;
    return { name, metricName: metric.name, found: invalid(error) };
  }
  return { name, metricName: metric.name, found };
}

function kindOf({ source }: FoundSource, { sources }: KnownSources): KnownSource | undefined {
  return Object.hasOwn(sources, source) ? sources[source] : undefined;
}

function located(metric: MetricIdentifier, { entries, sources }: KnownSources): ExternalSource {
  const entry = entries.get(metric.name);
  if (entry !== undefined && "invalid" in entry) {
    return { kind: "invalid", error: entry.invalid, from: `source ${metric.name}` };
  }
  const source = entry?.value.spec.kind ?? (isBuiltIn(metric.name, sources) ? metric.name : undefined);
  if (source === undefined) return { kind: "cluster" };
  if ((metric.selector?.matchExpressions ?? []).length > 0) {
    const error = "expected the source's parameters in selector.matchLabels, got matchExpressions";
    return { kind: "invalid", error, from: metric.name };
  }
  const own = entry?.value.spec.parameters;
  return foundSource({ source, metricName: metric.name, own, labels: metric.selector?.matchLabels });
}

function isBuiltIn(name: string, sources: MetricSources): boolean {
  return Object.hasOwn(sources, name) && sources[name]?.isBuiltIn === true;
}

/** For each request. */
export type OnRead = (kind: string, outcome: "read" | "failed") => void;

const retryFailedAfterMs = 60_000;

export interface SourceReads {
  /** Equal queries are shared. `keep`: for the state. */
  read(
    kind: string,
    query: SourceQuery,
    key?: string,
  ): Promise<{ readonly response: SourceReading; readonly keep?: { key: string; reading: CachedReading } }>;
}

/**
 * Reads each distinct query once, and no more often than `keepMs`, which counts in slots, because the clock jitters. A
 * slow endpoint delays only HPAs that need it.
 */
export function shareSources(
  sources: MetricSources,
  states: Readonly<Record<string, State>>,
  { slot, onRead, ...run }: ReadContext & { readonly slot: EpochMs; readonly onRead?: OnRead },
): SourceReads {
  const cached = newestReadings(states);
  const share = once<SourceReading>();
  const readers = new Map<string, SourceReader>();
  /** `keepMs` by key: sources parse parameters for it. */
  const keptFrom = new Map<string, number>();

  function readerOf(kind: string, source: MetricSource): SourceReader {
    const reader = readers.get(kind) ?? source.open(run);
    readers.set(kind, reader);
    return reader;
  }

  return {
    async read(kind, query, key = queryKey(kind, query)) {
      const source = Object.hasOwn(sources, kind) ? sources[kind] : undefined;
      if (source === undefined) {
        const known = Object.keys(sources).join(", ");
        return { response: { error: `expected a source of kind ${known}, got "${kind}"`, from: query.metricName } };
      }
      const keepMs = keptFrom.get(key) ?? source.keepMs(query);
      keptFrom.set(key, keepMs);
      const before = cached.get(key);
      // A reading from the future would be cached until then.
      if (before !== undefined && Math.abs(slot - before.readAt) < cachedFor(before.response, keepMs))
        return { response: before.response, keep: { key, reading: before } };
      const known = before?.places === undefined ? {} : { committedOffsets: before.places };
      const { committedOffsets, isThrottled, lack, ...lasting } = await share(key, async () => {
        const found = await readerOf(kind, source).read({ ...query, ...known });
        onRead?.(kind, "error" in found ? "failed" : "read");
        return found;
      });
      const response = lack === undefined ? lasting : { ...lasting, lack };
      // If all throttled ones waited for a period, they would meet again.
      if (keepMs > 0 && isThrottled === true) return { response };
      if (keepMs > 0) return { response, keep: { key, reading: { response: lasting, readAt: slot } } };
      const reading = "error" in response ? before : offsetsAt(slot, committedOffsets, before);
      return reading?.places === undefined ? { response } : { response, keep: { key, reading } };
    },
  };
}

/** The same object if nothing moved: no state is written. */
function offsetsAt(
  slot: EpochMs,
  places: CommittedOffsets | undefined,
  before: CachedReading | undefined,
): CachedReading | undefined {
  if (places === undefined || Object.keys(places).length === 0) return undefined;
  return isDeepStrictEqual(places, before?.places) ? before : { response: { items: [] }, readAt: slot, places };
}

/** Retries a failed reading before a long period ends, but not at once: a failed request costs as much. */
function cachedFor(response: SourceReading, keepMs: number): number {
  return "error" in response ? Math.min(keepMs, retryFailedAfterMs) : keepMs;
}

function newestReadings(states: Readonly<Record<string, State>>): ReadonlyMap<string, CachedReading> {
  const newest = new Map<string, CachedReading>();
  for (const state of Object.values(states)) {
    for (const [key, reading] of Object.entries(state.readings ?? {})) {
      if (!isUsable(reading.response)) continue;
      const known = newest.get(key);
      if (known === undefined || reading.readAt > known.readAt) newest.set(key, reading);
    }
  }
  return newest;
}

/** A state may hold anything here. */
function isUsable(response: SourceReading): boolean {
  if ("error" in response) return true;
  const items: unknown = response.items;
  if (response.certain !== undefined && !isQuantity(response.certain)) return false;
  return Array.isArray(items) && items.every((item: unknown) => isMap(item) && isQuantity(item["value"]));
}
