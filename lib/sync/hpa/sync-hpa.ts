import { type HpaKey, namespaceOf } from "../../model/hpa-key";
import { setConditions } from "../../core/conditions";
import { prepare } from "../../core/evaluate-entry";
import { currentReplicas, needsMetrics } from "../../core/gate";
import { noHistory } from "../../core/history";
import { wasPaused } from "../../core/modifiers";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { Scale } from "../../k8s/objects";
import { isPaused } from "../../model/entry/annotations";
import { isFault } from "../../model/fault";
import type { SlotMessage } from "../../model/messages";
import type { SlotTime } from "../../model/metric/metric-rules";
import type { Target } from "../../model/ports/cluster";
import type { Decision, HpaEvent, Situation } from "../../model/situation";
import { type EpochMs, minuteMs, periodStart } from "../../k8s/time";
import type { State } from "../../model/stored/state";
import { recordWithoutScaling } from "./record-decision";
import { recordingOf, appliedRecord, recordedOf } from "./decision-recording";
import { withBoundedTexts } from "../../model/stored/fit-to-item";
import { abandonCosts, costWarning, decideSparing, type NextCosts, nextCosts } from "./decide-sparing";
import { type SettledState, settleIntents } from "../scale/intents";
import { bindToTarget, freshState, ownZero, zeroEvents } from "./next-state";
import { withLastObserved } from "../../model/stored/last-observed";
import { type Considered, appliedEvents, reportApplied, rescale } from "../scale/rescale";
import { keepMemory, recallMemory, waitsForReading } from "../../readings/metric-rules";
import type { Observation } from "../../readings/observe";
import { workOf } from "./hpa-work";
import { hpaResult, outOfTime, warningsOf, type HpaResult, type HpaTask } from "./hpa-result";
import type { ReadEntry } from "./read-entry";
import type { SyncRun } from "./sync-run";

/** Errors quote the entry, which may have 400 KB. */
const longestMessage = 2_000;

export function invalidEntry(state: State, errors: readonly string[], now: EpochMs) {
  const all = errors.join("; ");
  const message = all.length > longestMessage ? `${all.slice(0, longestMessage)}…` : all;
  const verdict = { type: "AbleToScale", status: "False", reason: "InvalidEntry", message } as const;
  const warning: HpaEvent = { type: "Warning", reason: "InvalidEntry", message };
  const decision: Decision = {
    desiredReplicas: state.status.desiredReplicas ?? 0,
    scaleTo: null,
    status: { ...state.status, conditions: setConditions(state.status.conditions ?? [], [verdict], now) },
    events: [warning],
    history: state.history ?? noHistory,
    recommendation: null,
    ...(state.activity && { activity: state.activity }),
    ...(state.sparedSince !== undefined && { sparedSince: state.sparedSince }),
    steps: [{ stage: "gate", replicas: null, limitedBy: "InvalidEntry", because: message }],
  };
  return { state, decision, warnings: [warning], events: [warning], selector: state.selector };
}

export async function syncHpa(run: SyncRun, task: HpaTask): Promise<HpaResult> {
  const { state: stored, entry } = task;
  if (stored?.wake !== undefined && stored.wake.at > run.message.slot) {
    // A later wake outdates this decision. The HPA counts as lagging, so that this slot does not observe it.
    return hpaResult(task, { recorded: false, warnings: [], events: [] });
  }
  if (stored !== undefined && stored.slot >= run.message.slot) {
    // The slot has had its effect. An open intent is not settled yet.
    return hpaResult(task, { recorded: stored.intent === undefined, warnings: stored.warnings ?? [], events: [] });
  }
  if ("errors" in entry) {
    const invalid = invalidEntry(withLastObserved(stored ?? freshState({}, run.now), task), entry.errors, run.now);
    const recording = recordingOf(invalid.state, invalid.decision, {
      at: run.now,
      from: null,
      dryRun: false,
      generation: undefined,
    });
    const costs = await abandonCosts(run, namespaceOf(task.key), invalid.state.deletionCosts);
    return recordThenPatch(run, task, costs, {
      ...invalid,
      warnings: [...invalid.warnings, ...costs.warnings],
      events: [...invalid.events, ...costs.warnings],
      recording,
      readings: {},
      hasConcurrentReader: task.hasConcurrentReader,
      period: periodOf(stored),
    });
  }
  return decide(run, task, entry, withLastObserved(stored ?? freshState(entry.hpa.status ?? {}, run.now), task));
}

type UsableEntry = Exclude<ReadEntry, { readonly errors: unknown }>;

async function decide(run: SyncRun, task: HpaTask, entry: UsableEntry, before: State): Promise<HpaResult> {
  const { hpa, operations, syncPeriodSeconds } = entry;
  const { now, options, message } = run;
  const target = targetOf(hpa);
  const paused = isPaused(operations, now);
  if (!paused && readMetrics(before)) run.observer.begin(task.key, hpa);
  const staysPaused = paused && wasPaused({ ...hpa, status: before.status });
  const scale =
    staysPaused && !looksWhilePaused(before, message, syncPeriodSeconds)
      ? unread
      : await readScale(run, target, before);
  const { state, appliedIntent } = settle(now, entry, { before, scale });
  const known = { ...hpa, status: state.status };

  const situated = { hpa: known, scale, history: state.history, ...(state.activity && { activity: state.activity }) };
  const observation =
    paused || "error" in scale
      ? unobserved(state)
      : await observe(run, task.key, prepare(situated, operations, now), scale);
  const found: Situation = {
    ...situated,
    ...observation,
    ...recallMemory(state, hpa),
    slot: ownSlot(run, syncPeriodSeconds),
    options,
    ...(state.sparedSince !== undefined && { sparedSince: state.sparedSince }),
  };
  const decided = await decideSparing(run, state, found, operations);
  const { situation, spared } = decided;
  const decision = withBoundedTexts(decided.decision);
  const costs = await nextCosts(run, state, decided, operations);
  const selector = "error" in scale ? state.selector : scale.status.selector;
  const { readings } = observation;
  const memory = keepMemory(decision.memory, hpa);
  const warnings = [...warningsOf(decision), ...costs.warnings];
  if (run.time.reads.aborted || observation.stoodStill === true) return outOfTime(task, warnings);
  const events = [...appliedEvents(appliedIntent), ...zeroEvents(state, decision), ...decision.events];
  const from = "error" in scale ? null : currentReplicas(scale);
  const recording = recordingOf(state, decision, {
    at: now,
    from,
    dryRun: operations.dryRun,
    generation: hpa.metadata.generation,
  });
  const work = workOf(hpa, { decision, observation, before, from, found: appliedIntent });
  const { hasConcurrentReader } = task;
  const isConfirming = syncPeriodSeconds !== undefined && waitsForReading(decision, situation.rules);
  const period = { ...periodOf(entry), ...(isConfirming && { confirming: true as const }) };
  const read = { selector, readings, memory };
  const keepsMetrics = "error" in scale && scale !== unread;
  const outcome: Considered = {
    state,
    appliedIntent,
    decision,
    keepsMetrics,
    recording,
    ...read,
    period,
    warnings,
    events: [...events, ...costs.warnings],
    hasConcurrentReader,
    deletionCosts: costs.deletionCosts,
  };
  if (decision.scaleTo !== null && !("error" in scale)) {
    const wanted = { ...outcome, decision, situation, target, scale, to: decision.scaleTo, spared };
    const result = await run.records.withPermit(() => rescale(run, task, wanted));
    return { ...result, work, ...observedTarget(target, scale) };
  }
  const onRecorded = () => reportApplied(run, task.key, hpa, appliedIntent);
  const result = await recordThenPatch(run, task, costs, { ...outcome, onRecorded });
  return { ...result, work, ...observedTarget(target, scale) };
}

async function recordThenPatch(
  run: SyncRun,
  task: HpaTask,
  { deletionCosts, patch }: NextCosts,
  recorded: Omit<Parameters<typeof recordWithoutScaling>[2], "deletionCosts">,
): Promise<HpaResult> {
  const mustWrite = patch !== undefined;
  const result = await recordWithoutScaling(run, task, { ...recorded, deletionCosts, mustWrite });
  const patched = mustWrite && result.recorded ? await patch() : undefined;
  const failed = patched?.kind === "failed" ? [costWarning("FailedSetDeletionCosts", patched.error)] : [];
  return { ...result, events: [...result.events, ...failed] };
}

function observedTarget(target: Target, scale: Scale | { readonly error: string }): Pick<HpaResult, "target"> {
  if ("error" in scale || scale.metadata.uid === undefined) return {};
  const { uid, resourceVersion } = scale.metadata;
  return { target: { ...target, uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}

const unread = { error: "it was not read" };

/**
 * While paused, the scale is read once a minute, for display; with an open intent, in every slot, since only the scale
 * settles it.
 */
function looksWhilePaused({ intent }: State, { slot, until }: SlotMessage, syncPeriodSeconds = 0): boolean {
  const slotBefore = slot - Math.max(until - slot, syncPeriodSeconds * 1_000);
  return intent !== undefined || Math.floor(slot / minuteMs) > Math.floor(slotBefore / minuteMs);
}

function ownSlot({ message, slot }: SyncRun, seconds = Infinity): SlotTime {
  const periodMs = seconds * 1_000;
  if (periodMs >= slot.periodMs) return slot;
  return { start: periodStart(message.slot, periodMs), periodMs };
}

function periodOf({ syncPeriodSeconds }: Pick<State, "syncPeriodSeconds"> = {}): Considered["period"] {
  return syncPeriodSeconds === undefined ? {} : { syncPeriodSeconds };
}

function settle(
  now: EpochMs,
  { hpa: { spec }, operations: { adopts } }: UsableEntry,
  { before, scale }: { readonly before: State; readonly scale: Scale | { readonly error: string } },
): SettledState {
  if ("error" in scale) return { state: before };
  const { state: settled, appliedIntent } = settleIntents(bindToTarget(before, scale), scale, now, spec.behavior);
  const state = ownZero(settled, { scale, adopts, now });
  if (appliedIntent === undefined) return { state };
  return { state: { ...state, recorded: recordedOf(appliedRecord(appliedIntent), state.recorded) }, appliedIntent };
}

export function targetOf({ spec, metadata }: HorizontalPodAutoscaler): Target {
  return { ...spec.scaleTargetRef, namespace: metadata.namespace ?? "" };
}

/** An intent needs a GET: an outdated list would forget a write. */
export function mayReadTogether(state: State | undefined): boolean {
  return state?.intent === undefined;
}

async function readScale(run: SyncRun, target: Target, before: State): Promise<Scale | { readonly error: string }> {
  const { cluster, scales, time } = run;
  try {
    return await cluster.getScale(target, time.reads, mayReadTogether(before) ? scales : undefined);
  } catch (error) {
    if (isFault(error)) return { error: error.message };
    throw error;
  }
}

async function observe(run: SyncRun, key: HpaKey, hpa: HorizontalPodAutoscaler, scale: Scale): Promise<Observation> {
  return needsMetrics(hpa, scale) ? run.observer.observe(key, hpa, scale) : nothingRead;
}

/** If the last sync reached the metrics, this one most likely will. */
function readMetrics({ decision }: State): boolean {
  return decision?.steps.some(({ stage }) => stage === "metric") ?? false;
}

const nothingRead: Observation = { pods: [], metrics: [], otherHpas: [], readings: {} };

/** Cached readings may not be due yet. */
function unobserved({ readings = {} }: State): Observation {
  return { ...nothingRead, readings };
}
