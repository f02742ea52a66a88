import { metricId } from "../world/metric-id";
import { type IntentRecord, isActive, type Ledger, type Reading, usableAt } from "./ledger";

/** As stale-loads.ts has it: how long a count may be wrong. */
const settleMs = 57_000;

/** Whether counts that lag and spike may move the target to zero, or from it: from every answer that was given. */
export function judgeStale(
  ledger: Ledger,
  own: IntentRecord,
  workSince: (metric: string) => number | undefined,
): readonly string[] {
  const entry = usableAt(ledger, own);
  if (entry === undefined || !isActive(entry) || (entry.spec.minReplicas ?? 1) > 0 || ledger.isSpoiled) return [];
  const { key } = ledger;
  const { from, to } = own;
  const metrics = entry.spec.metrics ?? [];
  const ids = metrics.flatMap(({ external }, index) =>
    external?.metric.name === "stale" ? [metricId(key, index)] : [],
  );
  // It goes to a bound, whatever the metrics say.
  if (ids.length < metrics.length || ids.length === 0 || from > entry.spec.maxReplicas) return [];
  /** What this run read, and what earlier ones read and remember. */
  const readingsOf = (id: string) =>
    (ledger.readings.get(id) ?? []).filter(
      ({ by, at }) =>
        at >= ledger.bornAt && (by === own.by || ledger.writers.some((write) => write.by === by && write.at >= at)),
    );
  const lasting = (id: string, isSo: (reading: Reading) => boolean) => {
    const readings = readingsOf(id);
    const first = readings[readings.findLastIndex((reading) => !isSo(reading)) + 1];
    return first?.at ?? Infinity;
  };

  if (to === 0 && from > 0)
    return ids.flatMap((id) => {
      const emptySince = lasting(id, ({ value }) => value === 0);
      const waitsSince = workSince(id) ?? Infinity;
      return [
        ...(own.at - emptySince < settleMs
          ? [`stale: ${key} is empty for ${own.at - emptySince} ms, and goes to zero`]
          : []),
        ...(waitsSince <= emptySince ? [`stale: ${key} goes to zero with work that waits since before that`] : []),
      ];
    });
  if (from > 0 || to === 0) return [];
  const isWork = ids.some((id) => {
    const isCertain = readingsOf(id).some(({ by, value = 0, certain = value }) => by === own.by && certain > 0);
    return isCertain || own.at - lasting(id, ({ value }) => value === undefined || value > 0) >= settleMs;
  });
  return isWork ? [] : [`stale: ${key} is woken, and all of its work may be a wrong count`];
}
