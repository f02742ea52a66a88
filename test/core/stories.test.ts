import { type Decided, tell } from "../../parity/ask-ebb";
import { readVectors } from "./vectors";

interface Story {
  readonly id: string;
  readonly steps: readonly { readonly expect: Decided }[];
}

const newest = readVectors<Story>("stories");
const before = readVectors<Story>("stories-1.36");
const vectors = [...newest, ...before];

test("the recorded stories are all there", () => {
  expect([newest.length, before.length]).toEqual([423, 283]);
});

test.each(vectors)("$id", (story) => {
  expect(tell(story)).toEqual(story.steps.map((step) => step.expect));
});
