import type { HorizontalPodAutoscaler } from "../api/hpa";
import { isFault } from "../api/errors";
import { validateHpa } from "../api/validate-hpa";
import type { Scale } from "../api/workload";
import { evaluate } from "../core/evaluate";
import { needsMetrics } from "../core/gate";
import { settleIntent } from "../core/settle";
import type { Situation } from "../core/situation";
import type { State } from "../core/state";
import { hpaResult, warningsOf, type HpaResult, type HpaTask } from "./hpa-result";
import { invalidEntry } from "./invalid-entry";
import type { Observation } from "./observe";
import type { Target } from "./ports";
import { bindToTarget, freshState, nextState, recall, saysNothingNew } from "./remember";
import { reportScaled, rescale, type Outcome } from "./rescale";
import type { Sync } from "./shared";

/** One HPA, one slot: observe, evaluate, act, record. */
export async function syncHpa(sync: Sync, task: HpaTask): Promise<HpaResult> {
  const stored = task.state;
  if (stored !== undefined && stored.slot >= sync.message.slot) {
    sync.asked();
    return hpaResult(task, { recorded: true, warnings: stored.warnings ?? [] }); // this slot had its effect already
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
  const state = "error" in scale ? before : settleIntent(bindToTarget(before, scale), scale);
  reportSettled(sync, task.key, { hpa, before, state, scale });
  const known = { ...hpa, status: state.status };

  const observation = await observe(sync, task.key, known, scale);
  const situation: Situation = { hpa: known, scale, ...observation, history: state.history, options: sync.options };
  const decision = evaluate(situation, sync.now);
  const selector = "error" in scale ? state.selector : scale.status.selector;
  const outcome: Outcome = {
    state,
    decision,
    selector,
    readings: observation.readings,
    warnings: warningsOf(decision),
  };
  if (decision.scaleTo === null || "error" in scale) return conclude(sync, task, outcome);
  const to = decision.scaleTo;
  return sync.inTurn(() => rescale(sync, task, { ...outcome, decision, situation, target, scale, to }));
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
  const next = nextState(outcome.state, { ...outcome, slot: sync.message.slot });
  const { intent } = outcome.state;
  const kept: State = intent === undefined ? next : { ...next, intent };
  const { warnings } = outcome;
  if (sync.reads.aborted || !sync.inTime()) return hpaResult(task, { recorded: false, warnings });
  if (task.state !== undefined && saysNothingNew(task.state, kept))
    return hpaResult(task, { recorded: true, warnings });
  return sync.inTurn(async () => {
    if (!sync.inTime()) return hpaResult(task, { recorded: false, warnings });
    const { ok } = await sync.store.putState(sync.message.cluster, task.key, kept, sync.writes);
    return hpaResult(task, { recorded: ok, warnings });
  });
}

/** A scale whose run did not live to tell of it. */
function reportSettled(
  sync: Sync,
  key: string,
  {
    hpa,
    before,
    state,
    scale,
  }: { hpa: HorizontalPodAutoscaler; before: State; state: State; scale: Scale | { error: string } },
): void {
  const { intent } = before;
  if (intent === undefined || state.intent !== undefined || "error" in scale || scale.spec.replicas !== intent.to)
    return;
  reportScaled(sync, key, { ...intent, hpa });
}
