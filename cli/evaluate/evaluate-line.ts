import { evaluateEntry } from "../../lib/core/evaluate-entry";
import { isMap } from "../../lib/k8s/map";
import { unexpected } from "../../lib/model/check/problem";
import { readOperations } from "../../lib/model/entry/annotations";
import type { Decision, History, Situation } from "../../lib/model/situation";
import type { EpochMs } from "../../lib/k8s/time";
import { historyJson } from "./read-history";
import { InputError, withoutNulls } from "./checked";
import { readMoment, readStory, withStatus } from "./read-situation";

/** A decision as a line of output shows it. */
function decisionJson({ desiredReplicas, scaleTo, status, events, history, steps }: Decision) {
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

/**
 * What the HPA would do: a line holds a situation, or a story `{id?, hpa, options?, steps}` whose status and history
 * carry over from step to step. The answer is one line of JSON. Any error that a line causes is its answer.
 */
export function evaluateLine(line: string): { readonly answer: string; readonly isMalformed: boolean } {
  let id: string | undefined;
  try {
    const document: unknown = JSON.parse(line);
    id = idOf(document);
    const answer = JSON.stringify(evaluateDocument(line.includes("null") ? withoutNulls(document) : document));
    return { answer: id === undefined ? answer : `{"id":${id},${answer.slice(1)}`, isMalformed: false };
  } catch (error) {
    return { answer: `{"id":${id ?? null},"error":${JSON.stringify((error as Error).message)}}`, isMalformed: true };
  }
}

/** As JSON. */
function idOf(document: unknown): string | undefined {
  const hasId = isMap(document) && Object.hasOwn(document, "id");
  return hasId ? JSON.stringify(document["id"]) : undefined;
}

/** A document without nulls. @throws InputError */
function evaluateDocument(document: unknown): object {
  if (!isMap(document)) throw new InputError(unexpected([], "a map", document));
  if (Object.hasOwn(document, "steps")) return { steps: evaluateStory(document) };
  const { situation, now } = Object.hasOwn(document, "given")
    ? readMoment(document["given"], ["given"])
    : readMoment(document);
  return decisionJson(decide(situation, now));
}

function evaluateStory(document: unknown): readonly unknown[] {
  const story = readStory(document);
  let constant = story.constant;
  let history: History | null = null;
  return story.steps.map(({ now, seen }) => {
    const decision = decide({ ...constant, ...seen, history }, now);
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
