import { evaluateEntry } from "../../../lib/core/evaluate-entry";
import { isMap } from "../../../lib/k8s/map";
import { unexpected } from "../../../lib/model/check/problem";
import { readOperations } from "../../../lib/model/entry/annotations";
import { metricRulesOf, rulesMetricErrors } from "../../../lib/model/entry/metric-rules";
import type { Decision, History, Situation } from "../../../lib/model/situation";
import type { EpochMs } from "../../../lib/k8s/time";
import { historyJson } from "./read-history";
import { memoryJson } from "./read-memory";
import { InputError, withoutNulls } from "./checked";
import { readMoment, readStory, withStatus } from "./read-situation";

/** JSON leaves out undefined. */
function decisionJson({ desiredReplicas, scaleTo, status, events, history, steps, memory }: Decision, id?: unknown) {
  return {
    id,
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
    memory: memoryJson(memory),
    steps,
  };
}

/**
 * A line holds a situation, or a story `{id?, hpa, options?, rules?, steps}` whose status, history and memory carry
 * over from step to step. Any error that a line causes is its answer.
 */
export function evaluateLine(line: string): { readonly answer: string; readonly isMalformed: boolean } {
  let id: unknown;
  try {
    const document: unknown = JSON.parse(line);
    id = idOf(document);
    const present = line.includes("null") ? withoutNulls(document) : document;
    return { answer: JSON.stringify(evaluateDocument(present, id)), isMalformed: false };
  } catch (error) {
    return { answer: JSON.stringify({ id: id ?? null, error: (error as Error).message }), isMalformed: true };
  }
}

/** @throws InputError for an id that nests deeper than other programs may parse */
function idOf(document: unknown): unknown {
  if (!isMap(document) || !Object.hasOwn(document, "id")) return undefined;
  const id = document["id"];
  withoutNulls(id);
  return id;
}

/** @throws InputError */
function evaluateDocument(document: unknown, id: unknown): object {
  if (!isMap(document)) throw new InputError(unexpected([], "a map", document));
  if (Object.hasOwn(document, "steps")) return { id, steps: evaluateStory(document) };
  const { situation, now } = Object.hasOwn(document, "given")
    ? readMoment(document["given"], ["given"])
    : readMoment(document);
  return decisionJson(decide(situation, now), id);
}

function evaluateStory(document: unknown): readonly unknown[] {
  const story = readStory(document);
  let constant = story.constant;
  let history: History | null = null;
  let memory: Pick<Situation, "memory"> = {};
  return story.steps.map(({ now, seen }) => {
    const decision = decide({ ...constant, ...seen, history, ...memory }, now);
    constant = withStatus(constant, decision.status);
    history = decision.history;
    memory = decision.memory === undefined ? {} : { memory: decision.memory };
    return decisionJson(decision);
  });
}

/** Like the sync: the annotations may pause the HPA, make it a dry run, or give its metrics rules. */
function decide(situation: Situation, now: EpochMs): Decision {
  const operations = readOperations(situation.hpa.metadata);
  if ("errors" in operations) throw new Error(operations.errors.map((error) => `hpa.${error}`).join("; "));
  const misnamed = rulesMetricErrors(situation.hpa);
  if (misnamed.length > 0) throw new Error(misnamed.map(({ text }) => `hpa.${text}`).join("; "));
  const rules = metricRulesOf(situation.hpa, (_metric, index) => situation.rules?.[index] ?? {});
  const isRuled = rules.some((one) => Object.keys(one).length > 0);
  return evaluateEntry(isRuled ? { ...situation, rules } : situation, operations, now);
}
