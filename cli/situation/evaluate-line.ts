import { evaluate } from "../../lib/core/evaluate";
import type { History } from "../../lib/core/situation";
import { decisionJson } from "./decision-json";
import { readConstant, readMoment, readStep, withStatus } from "./read-situation";
import { checkObject, field, itemsOf, withoutNulls, type At } from "./shape";

type Answer = { readonly id?: unknown } & (ReturnType<typeof decisionJson> | { readonly steps: readonly unknown[] });

/**
 * What the HPA would do: a line holds a situation, or a story `{id?, hpa, options?, steps}` whose status and history carry over
 * from step to step. Throws ShapeError, or SyntaxError for a line that is not JSON.
 */
export function evaluateDocument(document: unknown): Answer {
  const at: At = { value: withoutNulls(document), path: "" };
  checkObject(at);
  const id = field(at, "id").value;
  const echoed = id === undefined ? {} : { id };
  if (field(at, "steps").value !== undefined) return { ...echoed, steps: evaluateStory(at) };
  const { situation, now } = readMoment(field(at, "given").value === undefined ? at : field(at, "given"));
  return { ...echoed, ...decisionJson(evaluate(situation, now)) };
}

function evaluateStory(at: At): readonly unknown[] {
  let constant = readConstant(at);
  let history: History | null = null;
  return itemsOf(field(at, "steps")).map((step) => {
    const { situation, now } = readStep(step, constant, history);
    const decision = evaluate(situation, now);
    constant = withStatus(constant, decision.status);
    history = decision.history;
    return decisionJson(decision);
  });
}
