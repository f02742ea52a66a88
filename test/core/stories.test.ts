import { readConstant, readStep, withStatus } from "../../cli/evaluate/read-situation";
import { withoutNulls } from "../../cli/evaluate/shape";
import { evaluate } from "../../lib/core/evaluate";
import type { History } from "../../lib/model/situation";
import { readVectors, recorded, type Expected } from "./vectors";

interface Story {
  readonly id: string;
  readonly steps: readonly { readonly expect: Expected }[];
}

const vectors = readVectors<Story>("stories");

test("the recorded stories are all there", () => {
  expect(vectors).toHaveLength(369);
});

test.each(vectors)("$id", (story) => {
  let constant = readConstant({ value: withoutNulls(story), path: "" });
  let history: History | null = null;
  const answers = story.steps.map((step) => {
    const { situation, now } = readStep({ value: withoutNulls(step), path: "" }, constant, history);
    const decision = evaluate(situation, now);
    constant = withStatus(constant, decision.status);
    history = decision.history;
    return recorded(decision);
  });
  expect(answers).toEqual(story.steps.map((step) => step.expect));
});
