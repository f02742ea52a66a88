import { withoutNulls } from "../../cli/understand/evaluate/read-history";
import { readStory, withStatus } from "../../cli/understand/evaluate/read-situation";
import { evaluate } from "../../lib/core/evaluate";
import type { History } from "../../lib/model/situation";
import { readVectors, recorded, type Expected } from "./vectors";

interface Story {
  readonly id: string;
  readonly steps: readonly { readonly expect: Expected }[];
}

const newest = readVectors<Story>("stories");
const before = readVectors<Story>("stories-1.36");
const vectors = [...newest, ...before];

test("the recorded stories are all there", () => {
  expect([newest.length, before.length]).toEqual([423, 283]);
});

test.each(vectors)("$id", (story) => {
  const read = readStory(withoutNulls(story));
  let constant = read.constant;
  let history: History | null = null;
  const answers = read.steps.map(({ now, seen }) => {
    const decision = evaluate({ ...constant, ...seen, history }, now);
    constant = withStatus(constant, decision.status);
    history = decision.history;
    return recorded(decision);
  });
  expect(answers).toEqual(story.steps.map((step) => step.expect));
});
