import { isDeepStrictEqual } from "node:util";
import { isFault } from "../../model/fault";
import type { Decision } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { DecisionRecord, Explained, Intent, Recorded, State } from "../../model/state";
import type { Turn } from "../turn/turn";

/** Besides scalings, an HPA's decisions are recorded no more often than this, however fast it changes its mind. */
const notOftenerThanMs = 60_000;

export type Decided = Pick<Decision, "desiredReplicas" | "events" | "steps">;

export interface Circumstances {
  readonly at: EpochMs;
  /** The size that it was decided from, where that is known. */
  readonly from: number | null;
  readonly dryRun: boolean;
}

/** What a state keeps of a decision that scaled nothing, and the record that is due, if one is. */
export interface Kept {
  readonly explained: Explained;
  readonly recorded?: Recorded;
  readonly due?: DecisionRecord;
}

/**
 * A decision that scaled nothing is recorded when what holds the size back is another than in the last record, or a dry run wishes
 * another size.
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

/** Until the first record there is nothing to tell of a size that nothing holds back. */
function isNews(before: Recorded = { at: -Infinity, desiredReplicas: 0, limitedBy: [] }, next: Recorded): boolean {
  const isWish = next.limitedBy.includes("DryRun");
  const isSame =
    isDeepStrictEqual(before.limitedBy, next.limitedBy) && (!isWish || before.desiredReplicas === next.desiredReplicas);
  return !isSame && next.at - before.at >= notOftenerThanMs;
}

/** A scaling that a later sync found applied, as the run that decided it would have recorded it. */
export function landedRecord({ from, to, at, message, steps = [] }: Intent): DecisionRecord {
  const events = [{ type: "Normal", reason: "SuccessfulRescale", message }] as const;
  return { at, from, scaleTo: to, desiredReplicas: to, events, steps };
}

/**
 * Before the state that says so: whoever finds the state without it records it again, under the same moment, so that none is lost.
 * An explanation that cannot be kept does not undo what it explains.
 */
export async function recordDecision(turn: Turn, key: string, record: DecisionRecord): Promise<void> {
  try {
    await turn.records.putDecision(key, record);
  } catch (error) {
    if (!isFault(error)) throw error;
    const { cluster } = turn.message;
    turn.reporter.failed({ cluster, key, reason: "FailedRecordDecision", message: error.message, at: record.at });
  }
}
