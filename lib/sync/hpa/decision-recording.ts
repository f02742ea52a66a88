import type { HpaKey } from "../../model/hpa-key";
import { isDeepStrictEqual } from "node:util";
import { isFault } from "../../model/fault";
import type { Decision } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { DecisionRecord, Explained, Intent, Recorded, State } from "../../model/stored/state";
import type { SyncRun } from "./sync-run";

/** Except scalings, each record costs a minute, and an HPA may owe ten: constant changes are recorded once a minute. */
const recordMs = 60_000;
const mostOwed = 10;

export type Decided = Pick<Decision, "desiredReplicas" | "events" | "steps">;

export interface Circumstances {
  readonly at: EpochMs;
  /** null: unknown. */
  readonly from: number | null;
  readonly dryRun: boolean;
  readonly generation: number | undefined;
}

/** `due`: the record to write. */
export interface DecisionRecording {
  readonly explained: Explained;
  readonly recorded?: Recorded;
  readonly due?: DecisionRecord;
}

/**
 * Due when another limit holds the size back. In a dry run, also when it begins or ends, or its wanted or found size
 * changes. docs/decisions/0069-what-a-dry-run-records.md
 */
export function recordingOf({ recorded }: State, decided: Decided, circumstances: Circumstances): DecisionRecording {
  const { at, from, dryRun, generation } = circumstances;
  const { desiredReplicas, events, steps } = decided;
  const explained: Explained = { at, from, desiredReplicas, steps, ...(generation !== undefined && { generation }) };
  const found = dryRun ? (from ?? recorded?.found) : undefined;
  const next: Recorded = { ...recordedOf(explained, recorded), ...(found !== undefined && { found }) };
  const paidUntil = Math.max(next.paidUntil ?? at, at) + recordMs;
  if (!isNews(recorded, next) || paidUntil - at > mostOwed * recordMs)
    return { explained, ...(recorded === undefined ? {} : { recorded }) };
  const due: DecisionRecord = { ...explained, scaleTo: null, events, ...(dryRun ? { dryRun } : {}) };
  return { explained, recorded: { ...next, paidUntil }, due };
}

export function recordedOf({ at, desiredReplicas, steps }: Explained, before: Recorded | undefined): Recorded {
  const { paidUntil = at } = before ?? {};
  const limitedBy = steps.flatMap(({ limitedBy = [] }) => limitedBy);
  return { at, desiredReplicas, limitedBy, ...(paidUntil > at && { paidUntil }) };
}

/** Without a record, a size that nothing holds back is no news. */
function isNews(before: Omit<Recorded, "at"> = nothingYet, next: Recorded): boolean {
  const isWish = next.limitedBy.includes("DryRun");
  if (!isDeepStrictEqual(before.limitedBy, next.limitedBy)) return true;
  if (next.found !== before.found) return true;
  return isWish && before.desiredReplicas !== next.desiredReplicas;
}

const nothingYet = { desiredReplicas: 0, limitedBy: [] };

/** Records a scaling that a later sync found as its own run would have done. */
export function appliedRecord({ from, to, at, message, steps = [] }: Intent): DecisionRecord {
  const events = [{ type: "Normal", reason: "SuccessfulRescale", message }] as const;
  return { at, from, scaleTo: to, desiredReplicas: to, events, steps };
}

/** Call before the state is written. If that fails, the next run records the decision again under the same moment. */
export async function recordDecision(run: SyncRun, key: HpaKey, record: DecisionRecord): Promise<void> {
  try {
    await run.records.putDecision(key, record);
  } catch (error) {
    if (!isFault(error)) throw error;
    const { cluster } = run.message;
    run.reporter.failed({ cluster, key, reason: "FailedRecordDecision", message: error.message, at: record.at });
  }
}
