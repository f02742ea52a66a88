import { type HpaKey, splitKey } from "../../model/hpa-key";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { Scale } from "../../k8s/objects";
import { isTrue } from "../../core/conditions";
import { currentReplicas } from "../../core/gate";
import { countRescale } from "../../core/history";
import { rescaleFailed, openIntents, withIntent, withoutLatest } from "./intents";
import type { Decision, History, HpaEvent, Situation } from "../../model/situation";
import type { DeletionCosts, Intent, State } from "../../model/stored/state";
import { act, type ActResult, reporting } from "./act";
import { withBoundedTexts, boundedEvent } from "../../model/stored/fit-to-item";
import { hpaResult, warningsOf, type HpaResult, type HpaTask } from "../hpa/hpa-result";
import {
  recordingOf,
  appliedRecord,
  recordDecision,
  recordedOf,
  type DecisionRecording,
} from "../hpa/decision-recording";
import { openDeletionCosts, type SparedScaling } from "./deletion-costs";
import type { Observation } from "../../readings/observe";
import type { Target } from "../../model/ports/cluster";
import { nextState, type NextStateInput } from "../hpa/next-state";
import type { SyncRun } from "../hpa/sync-run";

export interface Considered {
  readonly state: State;
  readonly appliedIntent?: Intent | undefined;
  readonly decision: Pick<Decision, "status" | "history" | "recommendation" | "activity" | "sparedSince">;
  readonly keepsMetrics?: boolean;
  readonly recording: DecisionRecording;
  readonly warnings: readonly HpaEvent[];
  readonly events: readonly HpaEvent[];
  readonly selector?: string | undefined;
  readonly readings: Observation["readings"];
  readonly hasConcurrentReader: boolean;
  readonly memory?: State["memory"];
  readonly period: NextStateInput["period"];
  readonly deletionCosts?: State["deletionCosts"] | undefined;
}

export interface Rescale extends Considered {
  readonly decision: Decision;
  readonly situation: Situation;
  readonly target: Target;
  readonly scale: Scale;
  readonly to: number;
  readonly spared?: SparedScaling | undefined;
}

export async function rescale(run: SyncRun, task: HpaTask, wanted: Rescale): Promise<HpaResult> {
  const { key, document } = task;
  const { target, scale, situation, appliedIntent } = wanted;
  const onIntentStored = () => reportApplied(run, key, situation.hpa, appliedIntent);
  const intended = stateWithIntent(run, wanted);
  if (appliedIntent !== undefined && run.time.inTime()) await recordDecision(run, key, appliedRecord(appliedIntent));
  const prepare = wanted.spared && openDeletionCosts(run, wanted.spared);
  const acted = await act(run, { key, document, target, scale, intended, onIntentStored, prepare });
  switch (acted.kind) {
    case "superseded":
      return hpaResult(task, { recorded: false, warnings: [], events: [] });
    case "unknown":
      return recordUnknown(run, task, wanted, acted);
    case "failed":
      return recordFailure(run, task, wanted, acted);
    case "applied":
      return recordApplied(run, task, wanted, acted);
  }
}

/** The state during the scale write: the recommendation counts at once, the scale event only once it is settled. */
function stateWithIntent(
  run: SyncRun,
  {
    state,
    decision,
    recording,
    situation,
    scale,
    to,
    selector,
    readings,
    memory,
    period,
    warnings,
    hasConcurrentReader,
    deletionCosts,
  }: Rescale,
): State & { readonly intent: Intent } {
  const from = currentReplicas(scale);
  const { scaleUpEvents = [], scaleDownEvents = [] } = state.history ?? {};
  const remembered = {
    writerId: run.records.writerId(state),
    decision: { ...decision, status: state.status, history: { ...decision.history, scaleUpEvents, scaleDownEvents } },
    recording: withoutRecord(state, recording),
    warnings,
    selector,
    readings,
    hasConcurrentReader,
    period,
    deletionCosts,
    ...(memory && { memory }),
  };
  const { hpa } = situation;
  const intent: Intent = {
    from,
    to,
    at: run.now,
    resourceVersion: scale.metadata.resourceVersion ?? "",
    countsAsEvent: hpa.spec.behavior !== undefined,
    message: rescaleEvent(decision)?.message ?? "",
    scaledToZero: isTrue(decision.status.conditions, "ScaledToZero"),
    steps: decision.steps,
  };
  const lastZero = from === 0 && intent.resourceVersion !== "" ? { lastZero: intent.resourceVersion } : {};
  return { ...nextState(state, remembered), ...lastZero, ...withIntent(intent, state) };
}

function withoutRecord(
  { recorded }: State,
  { explained }: DecisionRecording,
): Pick<DecisionRecording, "explained" | "recorded"> {
  return { explained, ...(recorded === undefined ? {} : { recorded }) };
}

async function recordApplied(
  run: SyncRun,
  task: HpaTask,
  wanted: Rescale,
  { state, isFound }: Extract<ActResult, { kind: "applied" }>,
): Promise<HpaResult> {
  const { decision, scale, situation, to } = wanted;
  const { explained } = wanted.recording;
  const from = currentReplicas(scale);
  const message = rescaleEvent(decision)?.message ?? "";
  // After a pause, the clock does not say when the scale took effect.
  if (run.time.isOver()) return hpaResult(task, { recorded: false, warnings: [], events: [] });
  const report = () => reportScaled(run, task.key, { hpa: situation.hpa, from, to, message, at: run.now });
  await recordDecision(run, task.key, { ...explained, scaleTo: to, events: decision.events });
  const recording = { explained, recorded: recordedOf(explained, state.recorded) };
  const counted = isFound ? { ...decision, history: countedAsFound(run, wanted, state) } : decision;
  const settled = nextState(state, {
    ...{ ...wanted, decision: counted, recording, writerId: run.records.writerId(state) },
    deletionCosts: wanted.deletionCosts && withoutWait(wanted.deletionCosts),
  });
  // The run that settles an intent reports the scaling. On a conflict, a later sync did.
  const recorded = await reporting(() => run.records.putState(task.key, settled), report);
  const result = hpaResult(task, { recorded, warnings: wanted.warnings, events: wanted.events });
  return { ...result, scaled: recorded, scaling: { from, to }, status: settled.status };
}

function withoutWait({ since: _, ...costs }: DeletionCosts): DeletionCosts {
  return costs;
}

/** Counts a write without an answer as the next sync would. */
function countedAsFound(
  { now, message }: SyncRun,
  { decision, scale, situation, to }: Rescale,
  intended: State,
): History {
  const { scaleUpEvents = [], scaleDownEvents = [] } = intended.history ?? {};
  const before = { ...decision.history, scaleUpEvents, scaleDownEvents };
  const scaling = { from: currentReplicas(scale), to, at: now, foundAt: message.until };
  return countRescale(before, scaling, situation.hpa.spec.behavior);
}

async function recordFailure(
  run: SyncRun,
  task: HpaTask,
  wanted: Rescale,
  { state, error }: Extract<ActResult, { kind: "failed" }>,
): Promise<HpaResult> {
  const decision = withBoundedTexts(rescaleFailed(wanted.situation, wanted.decision, error, run.now));
  const warnings = warningsOf(decision);
  const from = currentReplicas(wanted.scale);
  const recording = recordingOf(state, decision, {
    at: run.now,
    from,
    dryRun: false,
    generation: wanted.situation.hpa.metadata.generation,
  });
  if (recording.due !== undefined) await recordDecision(run, task.key, recording.due);
  const next = nextState(state, { ...wanted, decision, recording, warnings, writerId: run.records.writerId(state) });
  const left = { ...next, ...openIntents(withoutLatest(state)) };
  const { ok } = await run.records.putState(task.key, left);
  return hpaResult(task, {
    recorded: ok,
    warnings,
    events: [...appliedEvents(wanted.appliedIntent), ...decision.events],
  });
}

/** The warning makes sure that this is reported once. */
async function recordUnknown(
  run: SyncRun,
  task: HpaTask,
  { scale, to, decision, events: planned }: Rescale,
  { state, error }: Extract<ActResult, { kind: "unknown" }>,
): Promise<HpaResult> {
  const from = currentReplicas(scale);
  const message = `New size: ${to} (from ${from}); whether it was applied is not known yet: ${error}`;
  const warnings = [boundedEvent({ type: "Warning", reason: "UnknownRescale", message })];
  const next = { ...state, version: state.version + 1, warnings };
  const { ok } = await run.records.putState(task.key, next);
  const events = [...planned.filter((event) => event !== rescaleEvent(decision)), ...warnings];
  return hpaResult(task, { recorded: ok, warnings, events });
}

function rescaleEvent(decision: Decision): HpaEvent | undefined {
  return decision.events.find(({ reason }) => reason === "SuccessfulRescale");
}

export function appliedEvents(appliedIntent: Intent | undefined): readonly HpaEvent[] {
  return appliedIntent === undefined
    ? []
    : [{ type: "Normal", reason: "SuccessfulRescale", message: appliedIntent.message }];
}

export function reportApplied(
  run: SyncRun,
  key: HpaKey,
  hpa: HorizontalPodAutoscaler,
  appliedIntent: Intent | undefined,
): void {
  if (appliedIntent !== undefined) reportScaled(run, key, { ...appliedIntent, hpa });
}

function reportScaled(
  run: SyncRun,
  key: HpaKey,
  { hpa, from, to, at, message }: { hpa: HorizontalPodAutoscaler } & Pick<Intent, "from" | "to" | "at" | "message">,
): void {
  const { cluster } = run.message;
  const { kind, name: targetName } = hpa.spec.scaleTargetRef;
  const [namespace, name] = splitKey(key);
  const target = `${kind}/${targetName}`;
  run.reporter.scaled({ cluster, namespace, name, target, from, to, reason: "SuccessfulRescale", message, at });
}
