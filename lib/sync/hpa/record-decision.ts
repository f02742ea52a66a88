import type { LatestValues } from "../../model/stored/latest";
import type { State } from "../../model/stored/state";
import type { HpaResult, HpaTask } from "./hpa-result";
import type { SyncRun } from "./sync-run";
import { fitStateToItem } from "../../model/stored/fit-to-item";
import { hpaResult } from "./hpa-result";
import { openIntents } from "../scale/intents";
import { appliedRecord, recordDecision } from "./decision-recording";
import { nextState, noveltyOf } from "./next-state";
import { reporting } from "../scale/act";
import type { Considered } from "../scale/rescale";

/** `onRecorded`: called once the table has, or may have, what this run found applied. */
export async function recordWithoutScaling(
  run: SyncRun,
  task: HpaTask,
  outcome: Considered & { readonly onRecorded?: () => void; readonly mustWrite?: boolean },
): Promise<HpaResult> {
  const { state, warnings, events, appliedIntent, recording } = outcome;
  const remembered = nextState(state, { ...outcome, writerId: run.records.writerId(state) });
  const next = fitStateToItem({ ...remembered, ...openIntents(state) });
  const mustWrite = outcome.mustWrite === true || task.mayHaveConcurrentRun || recording.due !== undefined;
  const novelty = task.state === undefined || mustWrite ? "write" : noveltyOf(task.state, next);
  if (novelty !== "write") {
    const result = { ...hpaResult(task, { recorded: run.time.inTime(), warnings, events }), status: next.status };
    return novelty === "show" && task.state !== undefined
      ? { ...result, latest: shownBeside(task.state, next) }
      : result;
  }
  return run.records.withPermit(async () => {
    if (!run.time.inTime()) return hpaResult(task, { recorded: false, warnings, events });
    const shown = outcome.keepsMetrics === true ? await run.records.shown(task.key) : undefined;
    if (appliedIntent !== undefined) await recordDecision(run, task.key, appliedRecord(appliedIntent));
    if (recording.due !== undefined) await recordDecision(run, task.key, recording.due);
    const write = () => run.records.putState(task.key, withMetricsOf(shown, task.state, next));
    const ok = await reporting(write, () => outcome.onRecorded?.());
    return { ...hpaResult(task, { recorded: ok, warnings, events }), status: next.status };
  });
}

function shownBeside({ version }: State, { status, decision, warnings }: State): LatestValues {
  return { version, status, ...(decision && { decision }), ...(warnings && { warnings }) };
}

/** Shown metrics may be newer than the state's. */
function withMetricsOf(shown: LatestValues | undefined, before: State | undefined, next: State): State {
  const { currentMetrics } = shown?.status ?? {};
  if (currentMetrics === undefined || shown?.version !== before?.version) return next;
  return { ...next, status: { ...next.status, currentMetrics } };
}
