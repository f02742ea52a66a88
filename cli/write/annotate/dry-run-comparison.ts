import { isDryRunScaling } from "../../../lib/core/explain/digest";
import type { EpochMs } from "../../../lib/k8s/time";
import type { DecisionRecord } from "../../../lib/model/stored/state";

export interface DryRunComparison {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly would: Moves;
  readonly target: Moves;
  /** The part of `comparedMs` with the size that ebb would have left. */
  readonly sameMs: number;
  readonly comparedMs: number;
  readonly records: readonly DecisionRecord[];
}

export interface Moves {
  readonly up: number;
  readonly down: number;
}

interface ComparedTime {
  readonly since: EpochMs;
  /** The last sync. The last record holds until then, if the HPA is still a dry run. */
  readonly until: EpochMs;
}

/**
 * `records`: latest first, with one before `since` if there is any. ebb decides from the size that it finds, so a
 * wanted size that stays is one scaling. Undefined: no dry run.
 *
 *     target   2 ───── 4 ───────── 6 ──     2 up
 *     wished   4 ───── 4   7 ────────       2 up: from 2 to 4, from 4 to 7
 *              differ  same    differ
 */
export function compareDryRun(
  records: readonly DecisionRecord[],
  { since, until }: ComparedTime,
): DryRunComparison | undefined {
  const oldestFirst = records.toReversed();
  const would = { up: 0, down: 0 };
  const target = { up: 0, down: 0 };
  let [sameMs, comparedMs] = [0, 0];
  let from: EpochMs | undefined;
  let to = since;
  let size: number | null = null;
  oldestFirst.forEach((record, index) => {
    if (record.dryRun !== true) return void (size = null);
    const [begin, end] = [Math.max(record.at, since), oldestFirst[index + 1]?.at ?? until];
    if (record.at > since) {
      if (isNewScaling(record, oldestFirst[index - 1])) count(would, changeOf(record));
      if (size !== null && record.from !== null) count(target, record.from - size);
    }
    size = record.from ?? size;
    if (end <= begin) return;
    from ??= begin;
    to = end;
    comparedMs += end - begin;
    if (!isDryRunScaling(record)) sameMs += end - begin;
  });
  const compared = records.filter(({ at, dryRun }) => dryRun === true && at > since);
  if (from === undefined && compared.length === 0) return undefined;
  return { from: from ?? until, to, would, target, sameMs, comparedMs, records: compared };
}

/** In the other direction, the same size is another scaling. */
function isNewScaling(record: DecisionRecord, before: DecisionRecord | undefined): boolean {
  if (!isDryRunScaling(record)) return false;
  if (before === undefined || !isDryRunScaling(before) || before.desiredReplicas !== record.desiredReplicas)
    return true;
  return Math.sign(changeOf(before)) !== Math.sign(changeOf(record));
}

function changeOf({ from, desiredReplicas }: DecisionRecord): number {
  return from === null ? 0 : desiredReplicas - from;
}

function count(moves: { up: number; down: number }, change: number): void {
  if (change > 0) moves.up += 1;
  if (change < 0) moves.down += 1;
}
