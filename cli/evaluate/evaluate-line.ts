import { evaluateEntry } from "../../lib/core/evaluate-entry";
import { readOperations } from "../../lib/model/entry/annotations";
import type { Decision, History, Situation } from "../../lib/model/situation";
import type { EpochMs } from "../../lib/k8s/time";
import { historyJson } from "./read-history";
import { readConstant, readMoment, readStep, withStatus } from "./read-situation";
import { type At, checkObject, field, itemsOf, withoutNulls } from "./shape";

/** A decision as a line of output shows it. */
export function decisionJson({ desiredReplicas, scaleTo, status, events, history, steps }: Decision) {
  return {
    desiredReplicas,
    scaleTo,
    conditions: (status.conditions ?? []).map(({ type, status: value, reason, message }) => ({
      type,
      status: value,
      reason,
      message,
    })),
    currentMetrics: status.currentMetrics ?? [],
    events,
    history: historyJson(history),
    steps,
  };
}

type Answer = { readonly id?: unknown } & (ReturnType<typeof decisionJson> | { readonly steps: readonly unknown[] });

/**
 * What the HPA would do: a line holds a situation, or a story `{id?, hpa, options?, steps}` whose status and history
 * carry over from step to step. Throws ShapeError, or SyntaxError for a line that is not JSON.
 */
export function evaluateDocument(document: unknown): Answer {
  const at: At = { value: withoutNulls(document), path: "" };
  checkObject(at);
  const id = field(at, "id").value;
  const echoed = id === undefined ? {} : { id };
  if (field(at, "steps").value !== undefined) return { ...echoed, steps: evaluateStory(at) };
  const { situation, now } = readMoment(field(at, "given").value === undefined ? at : field(at, "given"));
  return { ...echoed, ...decisionJson(decide(situation, now)) };
}

function evaluateStory(at: At): readonly unknown[] {
  let constant = readConstant(at);
  let history: History | null = null;
  return itemsOf(field(at, "steps")).map((step) => {
    const { situation, now } = readStep(step, constant, history);
    const decision = decide(situation, now);
    constant = withStatus(constant, decision.status);
    history = decision.history;
    return decisionJson(decision);
  });
}

/** Decides as the sync does: the annotations may pause the HPA, or make it a dry run. */
function decide(situation: Situation, now: EpochMs): Decision {
  const operations = readOperations(situation.hpa.metadata);
  if ("errors" in operations) throw new Error(operations.errors.map((error) => `hpa.${error}`).join("; "));
  return evaluateEntry(situation, operations, now);
}
