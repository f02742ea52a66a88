import { cutText } from "../../k8s/go-text";
import { sizeOf } from "../size";
import type { Decision, HpaEvent } from "../situation";
import type { DecisionRecord, Intent, State } from "./state";
import type { Step } from "../step";

/** An item has 400 KB, with its key and what a later write adds. */
export const mostItemBytes = 350_000;

/** Kubernetes' limits for conditions and events. */
const conditionBytes = 32_768;
const noteBytes = 1_024;
const fewEvents = 10;

/** Texts quote servers: a Status message may have 200 KB. */
export function withBoundedTexts(decision: Decision): Decision {
  const { status, events, steps } = decision;
  const conditions = status.conditions?.map((condition) =>
    condition.message === undefined ? condition : { ...condition, message: cutText(condition.message, conditionBytes) },
  );
  return {
    ...decision,
    status: { ...status, ...(conditions && { conditions }) },
    events: events.map(boundedEvent),
    steps: steps.map(boundedStep),
  };
}

export function boundedEvent(event: HpaEvent): HpaEvent {
  return { ...event, message: cutText(event.message, noteBytes) };
}

function boundedStep(step: Step): Step {
  const because = cutText(step.because, noteBytes);
  if (step.stage === "metric" && step.detail?.name !== undefined)
    return { ...step, because, detail: { ...step.detail, name: cutText(step.detail.name, noteBytes) } };
  if (step.stage === "confirm" && step.detail !== undefined)
    return { ...step, because, detail: { ...step.detail, name: cutText(step.detail.name, noteBytes) } };
  return { ...step, because };
}

/** Drops explanation, never what affects a decision or a report. */
export function fitStateToItem(state: State): State {
  return shedUntilItFits(state, [
    (large) => ({
      ...large,
      ...(large.intent && { intent: withoutSteps(large.intent) }),
      ...(large.earlier && { earlier: large.earlier.map(withoutSteps) }),
    }),
    (large) => ({ ...large, ...(large.decision && { decision: withoutMetricSteps(large.decision) }) }),
    ({ status: { currentMetrics: _, ...status }, ...large }) => ({ ...large, status }),
    ({ readings: _readings, ...large }) => large,
    ({ status, ...large }) => {
      const conditions = status.conditions?.map((one) => ({ ...one, message: cutText(one.message ?? "", noteBytes) }));
      return { ...large, status: { ...status, ...(conditions && { conditions }) } };
    },
  ]);
}

export function fitRecordToItem(record: DecisionRecord): DecisionRecord {
  return shedUntilItFits(record, [
    withoutMetricSteps,
    (large) => ({ ...large, events: large.events.slice(0, fewEvents) }),
  ]);
}

function shedUntilItFits<T>(item: T, sheds: readonly ((large: T) => T)[]): T {
  let left = item;
  for (const shed of sheds) {
    if (sizeOf(left) <= mostItemBytes) return left;
    left = shed(left);
  }
  return left;
}

function withoutSteps({ steps: _, ...intent }: Intent): Intent {
  return intent;
}

const ofMetrics: ReadonlySet<Step["stage"]> = new Set(["metric", "activation", "confirmWake", "fallback", "cap"]);

function withoutMetricSteps<T extends { readonly steps: readonly Step[] }>(explained: T): T {
  return { ...explained, steps: explained.steps.filter(({ stage }) => !ofMetrics.has(stage)) };
}
