import { once } from "../../async/shared";
import type { MetricIdentifier } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import type { SourceEntry } from "../../model/entries";
import type { Entry, MetricSource, MetricSources, SourceQuery } from "../../model/ports";
import type { EpochMs } from "../../k8s/time";
import type { Reading, State } from "../../model/state";

/** Where an External metric is read from. */
export type ExternalSource =
  /** The cluster's external.metrics.k8s.io. */
  | { readonly kind: "cluster" }
  | { readonly kind: "source"; readonly source: string; readonly parameters: Readonly<Record<string, unknown>> }
  /** What was written cannot be used. `from` names where the error belongs. */
  | { readonly kind: "invalid"; readonly error: string; readonly from: string };

/** A metric's own source, by its name; the labels of its selector are the source's parameters, and precede those of its entry. */
export function externalSource(
  metric: MetricIdentifier,
  sourceEntries: ReadonlyMap<string, Entry<SourceEntry>>,
): ExternalSource {
  const entry = sourceEntries.get(metric.name);
  if (entry !== undefined && "invalid" in entry) {
    return { kind: "invalid", error: entry.invalid, from: `source ${metric.name}` };
  }
  const source = entry?.value.spec.kind ?? builtInKind(metric.name);
  if (source === undefined) return { kind: "cluster" };
  if ((metric.selector?.matchExpressions ?? []).length > 0) {
    const error = "expected the source's parameters in selector.matchLabels, got matchExpressions";
    return { kind: "invalid", error, from: metric.name };
  }
  return { kind: "source", source, parameters: { ...entry?.value.spec.parameters, ...metric.selector?.matchLabels } };
}

/** Kinds of sources that External metrics may name without a SOURCE entry. */
function builtInKind(metricName: string): string | undefined {
  return metricName === "sqs" || metricName === "cloudwatch" ? metricName : undefined;
}

/** How long a query waits for others to share its call with, where not everybody has asked yet. */
const gatherMs = 100;
const retryFailedAfterMs = 60_000;

export type SourceResponse = MetricResponse<ExternalMetricValue>;

export interface SourceReads {
  /** Reads a query of a source, shared with whoever asks the same in this sync. `keep` is what the state must remember, if anything. */
  read(
    kind: string,
    query: SourceQuery,
  ): Promise<{ readonly response: SourceResponse; readonly keep?: { key: string; reading: Reading } }>;
  /** Everybody has asked: what is gathered goes out now. */
  flush(): void;
}

/**
 * Reads of metric sources in one sync: each distinct query once, gathered into as few calls as the source allows, and none faster than its
 * own period: a reading of an earlier slot that must be kept (`keepMs`) is answered from the states that remember it.
 * Periods are counted between slots, not clock readings, which jitter.
 */
export function shareSources(
  sources: MetricSources,
  states: Readonly<Record<string, State>>,
  { slot, now, signal }: { readonly slot: EpochMs; readonly now: EpochMs; readonly signal: AbortSignal },
): SourceReads {
  const kept = newestReadings(states);
  const share = once<SourceResponse>();
  const batches = new Map<string, Batch>();

  function ask(kind: string, source: MetricSource, query: SourceQuery): Promise<SourceResponse> {
    let batch = batches.get(kind);
    if (batch === undefined || batch.sent) {
      batch = openBatch(source, now, signal);
      batches.set(kind, batch);
    }
    return batch.add(query);
  }

  return {
    async read(kind, query) {
      const source = sources[kind];
      if (source === undefined) {
        const known = Object.keys(sources).join(", ");
        return { response: { error: `expected a source of kind ${known}, got "${kind}"`, from: query.metricName } };
      }
      const key = queryKey(kind, query);
      const keepMs = source.keepMs(query);
      const before = kept.get(key);
      if (before !== undefined && slot - before.readAt < keptFor(before.response, keepMs))
        return { response: before.response, keep: { key, reading: before } };
      const response = await share(key, () => ask(kind, source, query));
      return keepMs === 0 ? { response } : { response, keep: { key, reading: { response, readAt: slot } } };
    },
    flush() {
      for (const batch of batches.values()) batch.send();
    },
  };
}

/** A reading that failed is worth asking again before a long period is over, though not at once: asking costs as much. */
function keptFor(response: SourceResponse, keepMs: number): number {
  return "error" in response ? Math.min(keepMs, retryFailedAfterMs) : keepMs;
}

interface Batch {
  readonly sent: boolean;
  add(query: SourceQuery): Promise<SourceResponse>;
  send(): void;
}

function openBatch(source: MetricSource, now: EpochMs, signal: AbortSignal): Batch {
  const queries: SourceQuery[] = [];
  let sent = false;
  let start: () => void;
  const started = new Promise<void>((resolve) => (start = resolve));
  const answers = started.then(() => source.read(queries, now, signal));
  const timer = setTimeout(() => batch.send(), gatherMs);
  const batch: Batch = {
    get sent() {
      return sent;
    },
    async add(query) {
      const index = queries.push(query) - 1;
      return (
        (await answers)[index] ?? { error: "expected an answer for each query, got fewer", from: query.metricName }
      );
    },
    send() {
      clearTimeout(timer);
      sent = true;
      start();
    },
  };
  return batch;
}

/** Parameters in sorted order, so that the same query written differently is still one. */
function queryKey(kind: string, { metricName, parameters }: SourceQuery): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([kind, kind === metricName ? "" : metricName, sorted]);
}

function newestReadings(states: Readonly<Record<string, State>>): ReadonlyMap<string, Reading> {
  const newest = new Map<string, Reading>();
  for (const state of Object.values(states)) {
    for (const [key, reading] of Object.entries(state.readings ?? {})) {
      const known = newest.get(key);
      if (known === undefined || reading.readAt > known.readAt) newest.set(key, reading);
    }
  }
  return newest;
}
