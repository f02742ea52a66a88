import type { HorizontalPodAutoscaler } from "../api/hpa";
import { isFault } from "../api/errors";
import { validateHpa } from "../api/validate-hpa";
import type { Scale } from "../api/workload";
import { evaluate } from "../core/evaluate";
import { needsMetrics } from "../core/gate";
import type { Situation } from "../core/situation";
import type { State } from "../core/state";
import { hpaResult, outOfTime, warningsOf, type HpaResult, type HpaTask } from "./hpa-result";
import { openIntents, settleIntents, type Settled } from "./intents";
import { invalidEntry } from "./invalid-entry";
import type { Observation } from "./observe";
import type { Target } from "./ports";
import { bindToTarget, freshState, nextState, recall, saysNothingNew } from "./remember";
import { landedEvents, reportLanded, rescale, type Outcome } from "./rescale";
import type { Sync } from "./shared";

/** One HPA, one slot: observe, evaluate, act, record. */
export async function syncHpa(sync: Sync, task: HpaTask): Promise<HpaResult> {
  const stored = task.state;
  if (stored !== undefined && stored.slot >= sync.message.slot) {
    sync.asked();
    // This slot had its effect already. An intent that its run left open has not been looked at since.
    return hpaResult(task, { recorded: stored.intent === undefined, warnings: stored.warnings ?? [], events: [] });
  }
  if (stored?.wake !== undefined && stored.wake.at > sync.message.slot) {
    sync.asked();
    // Woken since: what this slot would decide is old news. Behind, so that nobody takes this slot for a sighting.
    return hpaResult(task, { recorded: false, warnings: [], events: [] });
  }
  const { errors, hpa } = readEntry(task);
  if (hpa === undefined) {
    sync.asked();
    return conclude(sync, task, {
      ...invalidEntry(recall(stored ?? freshState({}), task.lastSeen), errors, sync.now),
      readings: {},
    });
  }
  const before = recall(stored ?? freshState(hpa.status ?? {}), task.lastSeen);
  return decide(sync, task, hpa, before);
}

function readEntry({ key, document }: HpaTask): {
  readonly errors: readonly string[];
  readonly hpa?: HorizontalPodAutoscaler;
} {
  const { errors, hpa } = validateHpa(document, { assumeKind: true });
  if (hpa === undefined || errors.length > 0) return { errors };
  const name = `${hpa.metadata.namespace}/${hpa.metadata.name}`;
  return name === key
    ? { errors, hpa }
    : { errors: [`metadata: expected the name "${key}" as in the sort key, got "${name}"`] };
}

async function decide(sync: Sync, task: HpaTask, hpa: HorizontalPodAutoscaler, before: State): Promise<HpaResult> {
  const target = { ...hpa.spec.scaleTargetRef, namespace: hpa.metadata.namespace ?? "" };
  const scale = await readScale(sync, target);
  const { slot, until } = sync.message;
  const { behavior } = hpa.spec;
  const since = { lastSeen: task.lastSeen, now: sync.now, periodMs: until - slot, behavior };
  const { state, landed }: Settled =
    "error" in scale ? { state: before } : settleIntents(bindToTarget(before, scale), scale, since);
  const known = { ...hpa, status: state.status };

  const observation = await observe(sync, task.key, known, scale);
  const situation: Situation = { hpa: known, scale, ...observation, history: state.history, options: sync.options };
  const decision = evaluate(situation, sync.now);
  const selector = "error" in scale ? state.selector : scale.status.selector;
  const { readings } = observation;
  const warnings = warningsOf(decision);
  if (sync.reads.aborted) return outOfTime(task, warnings);
  const events = [...landedEvents(landed), ...decision.events];
  const outcome: Outcome = { state, landed, decision, selector, readings, warnings, events };
  if (decision.scaleTo !== null && !("error" in scale)) {
    const wanted = { ...outcome, decision, situation, target, scale, to: decision.scaleTo };
    return sync.inTurn(() => rescale(sync, task, wanted));
  }
  const result = await conclude(sync, task, outcome);
  if (result.recorded) reportLanded(sync, task.key, hpa, landed);
  return result;
}

async function readScale(sync: Sync, target: Target): Promise<Scale | { readonly error: string }> {
  try {
    return await sync.cluster.getScale(target, sync.reads);
  } catch (error) {
    if (isFault(error)) return { error: error.message };
    throw error;
  }
}

async function observe(
  sync: Sync,
  key: string,
  hpa: HorizontalPodAutoscaler,
  scale: Scale | { readonly error: string },
): Promise<Observation> {
  if ("error" in scale || !needsMetrics(hpa, scale)) {
    sync.asked();
    return { pods: [], metrics: [], otherHpas: [], readings: {} };
  }
  const observing = sync.observe(key, hpa, scale);
  sync.asked();
  return observing;
}

/** Nothing to write to the scale: only the table may have to hear of it. */
async function conclude(sync: Sync, task: HpaTask, outcome: Outcome): Promise<HpaResult> {
  const { state, warnings, events } = outcome;
  const next: State = { ...nextState(state, { ...outcome, stamp: sync.stamp(state) }), ...openIntents(state) };
  if (task.state !== undefined && !task.contested && saysNothingNew(task.state, next))
    return hpaResult(task, { recorded: sync.inTime(), warnings, events });
  return sync.inTurn(async () => {
    if (!sync.inTime()) return hpaResult(task, { recorded: false, warnings, events });
    const { ok } = await sync.store.putState(sync.message.cluster, task.key, next, sync.writes);
    return hpaResult(task, { recorded: ok, warnings, events });
  });
}
