import type { HpaKey } from "../../model/hpa-key";
import { isDeepStrictEqual } from "node:util";
import { isFault } from "../../model/fault";
import type { Decision } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { DecisionRecord, Explained, Intent, Recorded, State } from "../../model/state";
import type { Turn } from "../frame";

/** Apart from scalings, an HPA's decisions are recorded at most this often, however often they change. */
const notOftenerThanMs = 60_000;

export type Decided = Pick<Decision, "desiredReplicas" | "events" | "steps">;

export interface Circumstances {
  readonly at: EpochMs;
  /** The size that the decision started from, if it is known. */
  readonly from: number | null;
  readonly dryRun: boolean;
}

/** What a state keeps of a decision that scaled nothing, and the record to write, if there is one. */
export interface Kept {
  readonly explained: Explained;
  readonly recorded?: Recorded;
  readonly due?: DecisionRecord;
}

/**
 * A decision that scaled nothing is recorded when a different limit holds the size back than in the last record, or
 * when a dry run wants another size.
 */
export function keepDecision({ recorded }: State, decided: Decided, circumstances: Circumstances): Kept {
  const { at, from, dryRun } = circumstances;
  const { desiredReplicas, events, steps } = decided;
  const explained: Explained = { at, from, desiredReplicas, steps };
  const next = recordedOf(explained);
  if (!isNews(recorded, next)) return { explained, ...(recorded === undefined ? {} : { recorded }) };
  const due: DecisionRecord = { ...explained, scaleTo: null, events, ...(dryRun ? { dryRun } : {}) };
  return { explained, recorded: next, due };
}

export function recordedOf({ at, desiredReplicas, steps }: Explained): Recorded {
  return { at, desiredReplicas, limitedBy: steps.flatMap(({ limitedBy = [] }) => limitedBy) };
}

/** Without an earlier record, a size that nothing holds back is no news. */
function isNews(before: Recorded = { at: -Infinity, desiredReplicas: 0, limitedBy: [] }, next: Recorded): boolean {
  const isWish = next.limitedBy.includes("DryRun");
  const isSame =
    isDeepStrictEqual(before.limitedBy, next.limitedBy) && (!isWish || before.desiredReplicas === next.desiredReplicas);
  return !isSame && next.at - before.at >= notOftenerThanMs;
}

/** A scaling that a later sync found, recorded as its own run would have done. */
export function landedRecord({ from, to, at, message, steps = [] }: Intent): DecisionRecord {
  const events = [{ type: "Normal", reason: "SuccessfulRescale", message }] as const;
  return { at, from, scaleTo: to, desiredReplicas: to, events, steps };
}

/**
 * Call this before the write of the state. If that write fails, the next run records the decision again under the same
 * moment, so none is lost. A failure to record is reported and does not undo the decision.
 */
export async function recordDecision(turn: Turn, key: HpaKey, record: DecisionRecord): Promise<void> {
  try {
    await turn.records.putDecision(key, record);
  } catch (error) {
    if (!isFault(error)) throw error;
    const { cluster } = turn.message;
    turn.reporter.failed({ cluster, key, reason: "FailedRecordDecision", message: error.message, at: record.at });
  }
}
