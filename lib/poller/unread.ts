import { createHash } from "node:crypto";
import { cutText } from "../k8s/go-text";
import type { EpochMs } from "../k8s/time";
import type { MetricResponse } from "../k8s/objects";
import type { Unread, UnreadQuery } from "../model/stored/idle";
import { namespaceOf } from "../model/hpa-key";
import { firstInShares } from "../model/max-min";
import type { Reporter } from "../model/report";
import type { PolledQuery } from "./polled-queries";

/** Keeps the lease item within some KB: it is written three times a minute. */
const mostQueries = 10;
const errorBytes = 256;
/** Fewer failures in a row may be a server that restarts. */
export const fewestReadings = 3;

interface Outcome {
  readonly query: PolledQuery;
  readonly hash: string;
  readonly since: EpochMs;
  readings: number;
  isAnswered: boolean;
  error: string;
}

/** Queries whose readings all failed. Slots may succeed: sync has another role. */
export function openUnread() {
  const outcomes = new Map<string, Outcome>();
  const hashOf = ({ id }: PolledQuery) => outcomes.get(id)?.hash ?? hashed(id);

  function outcomeOf(query: PolledQuery, since: EpochMs): Outcome {
    const known = outcomes.get(query.id);
    if (known !== undefined) return known;
    const outcome = { query, hash: hashed(query.id), since, readings: 0, isAnswered: false, error: "" };
    outcomes.set(query.id, outcome);
    return outcome;
  }

  return {
    note(query: PolledQuery, response: MetricResponse, at: EpochMs): void {
      const outcome = outcomeOf(query, at);
      outcome.readings += 1;
      if ("error" in response) outcome.error = response.error;
      else outcome.isAnswered = true;
    },

    /** For the lease item. A query that was not read stays while an HPA uses it. */
    after(known: Unread | undefined, polled: readonly PolledQuery[]): Unread | undefined {
      const before = new Map(known?.queries.map((one) => [one.id, one]));
      const failed = [...outcomes.values()].filter(({ isAnswered }) => !isAnswered);
      const now = failed.flatMap((outcome) => unreadQuery(outcome, before));
      const read = new Set([...outcomes.values()].map(({ hash }) => hash));
      const stillPolled = new Set(polled.map(hashOf));
      const kept = [...before.values()].filter(({ id }) => !read.has(id) && stillPolled.has(id));
      // Known ones stay: each is reported once.
      const all = [...now, ...kept].sort(
        (a, b) => reportOrder(a, before) - reportOrder(b, before) || (a.id < b.id ? -1 : 1),
      );
      if (all.length === 0) return undefined;
      const pathOf = ({ cluster, hpa }: UnreadQuery) => [cluster, namespaceOf(hpa)];
      // Always the same ones, or each would be reported again and again.
      const queries = firstInShares(all, pathOf, { most: mostQueries, rotation: 0 });
      const more = all.length - queries.length;
      return { queries, ...(more > 0 ? { more } : {}) };
    },

    hasAnswered: (id: string): boolean =>
      [...outcomes.values()].some(({ hash, isAnswered }) => isAnswered && hash === id),
  };
}

export type UnreadQueries = ReturnType<typeof openUnread>;

function unreadQuery({ query, hash: id, since, readings, error }: Outcome, before: ReadonlyMap<string, UnreadQuery>) {
  const [reader] = query.readers;
  if (reader === undefined) return [];
  const known = before.get(id);
  return [
    {
      ...{ id, cluster: query.cluster.name, hpa: reader.id.key, metric: query.metricName },
      error: cutText(error, errorBytes),
      since: known?.since ?? since,
      readings: (known?.readings ?? 0) + readings,
    },
  ];
}

function reportOrder({ id }: UnreadQuery, before: ReadonlyMap<string, UnreadQuery>): number {
  const known = before.get(id);
  return known === undefined ? 2 : isLasting(known) ? 0 : 1;
}

export function isLasting({ readings }: UnreadQuery): boolean {
  return readings >= fewestReadings;
}

interface Change {
  readonly before: Unread | undefined;
  readonly after: Unread | undefined;
  readonly hasAnswered: UnreadQueries["hasAnswered"];
}

export function reportUnread(
  reporter: Pick<Reporter, "failed" | "recovered">,
  { before, after, hasAnswered }: Change,
  at: EpochMs,
): void {
  const lasting = (one: Unread | undefined) => (one?.queries ?? []).filter(isLasting);
  const [known, now] = [before, after].map((one) => new Set(lasting(one).map(({ id }) => id)));
  for (const { id, cluster, hpa: key, metric, error, since, readings } of lasting(after)) {
    if (known?.has(id)) continue;
    const first = `${new Date(since).toISOString().slice(0, 19)}Z`;
    const message = `the zero-scale poller has read ${metric} in none of ${readings} tries since ${first}: ${error}`;
    reporter.failed({ cluster, key, reason: "FailedWatch", message, at });
  }
  const more = after?.more ?? 0;
  if (more > 0 && before?.more === undefined) {
    const message = `the zero-scale poller can read ${more} more queries in no try either`;
    reporter.failed({ cluster: "all", reason: "FailedWatch", message, at });
  }
  for (const { id, cluster, hpa: key } of lasting(before))
    if (!now?.has(id) && hasAnswered(id)) reporter.recovered({ cluster, key });
}

/** 96 bits: a query's text has all its parameters. */
function hashed(id: string): string {
  return createHash("sha256").update(id).digest("base64url").slice(0, 16);
}
