import type { MetricRules } from "../../../lib/model/metric/metric-rules";
import { metricId } from "../world/metric-id";
import type { Invocation } from "../world/wire";
import { type IntentRecord, isActive, type Ledger, type Reading, usableAt } from "./ledger";

/** What the metrics of an HPA's rules allow, counted here again from every answer that was given. */
export interface RulesView {
  /** A fallback counts: the metric has failed for long enough. Its number; undefined: it is unknown, as ever. */
  fallbackOf(id: string): number | undefined;
  /** What is wrong with the announced size. */
  problems(): readonly string[];
}

/** `periodMs`: of the slots. A story with rules has no processes whose clocks differ. */
export function viewRules(ledger: Ledger, own: IntentRecord, clusterPeriodMs: number): RulesView {
  const entry = usableAt(ledger, own);
  // With a shorter period than the cluster's, an HPA has slots of its own.
  const periodMs = Math.min(clusterPeriodMs, (entry?.spec.syncPeriodSeconds ?? Infinity) * 1_000);
  const ids = (entry?.spec.metrics ?? []).map((_, index) => metricId(ledger.key, index));
  const rulesOf = (id: string): MetricRules => entry?.rules?.[id] ?? {};
  const readingsOf = (id: string) => (ledger.readings.get(id) ?? []).filter(({ at }) => at >= ledger.bornAt);
  /** Its run wrote a state after it: what it read is remembered. */
  const isKept = ({ by, at }: Reading) => ledger.writers.some((write) => write.by === by && write.at >= at);
  const slotsOf = (readings: readonly Reading[]) => [
    ...new Set(readings.map(({ by }) => slotOf(ledger, by, periodMs))),
  ];
  const after = (readings: readonly Reading[], isEnd: (reading: Reading) => boolean) =>
    readings.slice(readings.findLastIndex((reading) => isEnd(reading) && isKept(reading)) + 1);

  function fallbackOf(id: string): number | undefined {
    const { after: seconds = 180, replicas } = rulesOf(id).fallback ?? {};
    const failed = after(readingsOf(id), ({ value }) => value !== undefined).filter(({ value }) => value === undefined);
    const [first] = failed;
    if (replicas === undefined || first === undefined) return undefined;
    const lasted = (slotOf(ledger, own.by, periodMs) - slotOf(ledger, first.by, periodMs) + 1) * periodMs;
    if (lasted < seconds * 1_000) return undefined;
    return failed.some(({ by }) => by === own.by) ? replicas : undefined;
  }

  /** As many slots in a row as the rule asks for had an empty reading, and nothing else was remembered since. */
  function isEmptied(id: string): boolean {
    const { confirm = 1 } = rulesOf(id);
    const empty = after(readingsOf(id), ({ value }) => value !== 0).filter(({ value }) => value === 0);
    const slots = slotsOf(empty);
    return slots.some((slot) =>
      Array.from({ length: confirm }, (_, index) => slot + index).every((one) => slots.includes(one)),
    );
  }

  function isWoken(id: string): boolean {
    const { confirmWake = 1 } = rulesOf(id);
    const busy = after(readingsOf(id), ({ value }) => value === 0).filter(({ value = 0 }) => value > 0);
    return slotsOf(busy).length >= confirmWake || fallbackOf(id) !== undefined;
  }

  function problems(): readonly string[] {
    if (entry?.rules === undefined || !isActive(entry) || (entry.spec.minReplicas ?? 1) > 0 || ledger.isSpoiled)
      return [];
    const { from, to } = own;
    const isBounded = from > entry.spec.maxReplicas;
    const least = Math.max(0, ...ids.map((id) => fallbackOf(id) ?? 0));
    const lost = to < Math.min(least, entry.spec.maxReplicas, from);
    return [
      ...(to === 0 && from > 0 && !ids.every(isEmptied)
        ? [`confirm: ${ledger.key} goes to zero, and that is not confirmed`]
        : []),
      ...(from === 0 && to > 0 && !ids.some(isWoken)
        ? [`confirm: ${ledger.key} is woken, and that is not confirmed`]
        : []),
      ...(lost && !isBounded ? [`fallback: ${ledger.key} ${from} → ${to}, and a fallback asks for ${least}`] : []),
    ];
  }

  return { fallbackOf, problems };
}

/** Of the run's only message: a paused run may have its answers long after its slot. */
function slotOf({ wokenAt }: Ledger, by: Invocation, periodMs: number): number {
  const { bodies } = by;
  const { slot, at = 0 } = JSON.parse(bodies[0] ?? "{}") as { readonly slot?: number; readonly at?: number };
  return Math.floor((slot ?? wokenAt.get(by) ?? at) / periodMs);
}
