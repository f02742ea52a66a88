import type { HpaKey } from "../model/hpa-key";
import { digest, type Digest, isDryRunScaling } from "../core/explain/digest";
import type { EpochMs } from "../k8s/time";
import { decisionOptions } from "../model/entry/options";
import type { Options } from "../model/situation";
import type { DecisionRecord, Explained } from "../model/stored/state";
import type { TableStore } from "../table/store";
import type { HpaFacts } from "./hpa-facts";

export interface DigestedDecision extends Explained, Digest {
  readonly isDryRun: boolean;
  readonly isPast: boolean;
  readonly blindSince?: EpochMs;
  /** When its values were read, if later syncs may have read others: values are written once a minute. */
  readonly valuesAt?: EpochMs;
}

/** `facts` undefined: the HPA is gone. */
export function digestOf(facts: HpaFacts | undefined, record: Explained): Digest {
  const hpa = facts !== undefined && "hpa" in facts.entry ? facts.entry.hpa : undefined;
  return digest(record, { hpa, options: optionsOf(facts) });
}

/** null: unknown. A dry run leaves the size that it finds. */
export function sizeAfter({ from, scaleTo }: DecisionRecord): number | null {
  return scaleTo ?? from;
}

/** The size that a dry run would have left; null: unknown. Its status may be older. */
export function wouldBe(record: DecisionRecord): number | null {
  return isDryRunScaling(record) ? record.desiredReplicas : record.from;
}

export function unreadMetrics({ metrics }: Pick<Digest, "metrics">): readonly string[] {
  return metrics.filter(({ asksFor }) => asksFor === null).map(({ metric }) => metric);
}

export function digested(facts: HpaFacts, record: Explained): Explained & Digest {
  const { at, from, desiredReplicas, steps } = record;
  return { at, from, desiredReplicas, steps, ...digestOf(facts, record) };
}

export function optionsOf(facts: HpaFacts | undefined): Options {
  const cluster = facts?.cluster;
  return decisionOptions(cluster !== undefined && "value" in cluster ? cluster.value.spec.options : undefined);
}

const aPage = 100;

interface DecisionsQuery {
  readonly cluster: string;
  readonly key: HpaKey;
  readonly since: EpochMs;
  readonly until?: EpochMs;
  readonly most?: number;
}

/** Newest first. Rejects with a Fault. */
export async function decisionsSince(
  store: Pick<TableStore, "decisions">,
  { cluster, key, since, until, most = Infinity }: DecisionsQuery,
  signal: AbortSignal,
): Promise<readonly DecisionRecord[]> {
  const found: DecisionRecord[] = [];
  let notAfter = until;
  for (;;) {
    const query = { limit: aPage, ...(notAfter === undefined ? {} : { notAfter }) };
    const page = await store.decisions(cluster, key, query, signal);
    const newer = page.filter(({ at }) => at > since);
    found.push(...newer);
    const last = page.at(-1);
    const isLast = last === undefined || page.length < aPage || newer.length < page.length;
    if (isLast || found.length >= most) return found.slice(0, most);
    notAfter = last.at - 1;
  }
}
