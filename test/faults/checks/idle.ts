import { metricId } from "../world/metric-id";
import { type IntentRecord, isActive, type Ledger, usableAt } from "./ledger";

/** What `ebb.dev/zero` forbids the announced size, counted from the answers that runs were given. */
export function idleProblems(ledger: Ledger, own: IntentRecord): readonly string[] {
  const entry = usableAt(ledger, own);
  const zero = entry?.zero;
  if (entry === undefined || zero === undefined || !isActive(entry) || ledger.isSpoiled) return [];
  const { key } = ledger;
  const { from, to, by } = own;
  const ids = (entry.spec.metrics ?? []).map((_, index) => metricId(key, index));
  const valuesOf = (run: IntentRecord["by"]) =>
    ids.map((id) => ledger.readings.get(id)?.findLast((reading) => reading.by === run)?.value);
  const least = Math.min(zero.from, entry.spec.maxReplicas);
  if (to > 0) return to < least ? [`idle: ${key} ${from} → ${to}, and the least size above zero is ${least}`] : [];
  if (from === 0) return [];
  const read = valuesOf(by);
  if (read.some((value) => value !== 0)) return [`idle: ${key} goes to zero, and not every metric was read empty`];
  // Work in a run that read all of it, and whose state the deciding run found.
  const seen = ledger.writers.filter((write) => write.by !== by && write.at < by.startedAt && write.at > ledger.bornAt);
  const work = seen.flatMap((write) => {
    const values = valuesOf(write.by);
    if (values.includes(undefined) || values.every((value) => value === 0)) return [];
    return ids.flatMap((id) => ledger.readings.get(id)?.filter((reading) => reading.by === write.by) ?? []);
  });
  const last = Math.max(-Infinity, ...work.map(({ at }) => at));
  const idleMs = own.decidedAt - last;
  // Since the table was put back or the state was lost, nobody knows of work before.
  // A metric is read within the second after a run's instant.
  return idleMs < zero.afterSeconds * 1_000 - 1_000
    ? [`idle: ${key} goes to zero ${Math.round(idleMs / 1_000)} s after work, and ${zero.afterSeconds} s must pass`]
    : [];
}
