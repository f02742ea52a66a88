import { withoutNulls } from "../../cli/understand/evaluate/checked";
import { readMoment } from "../../cli/understand/evaluate/read-situation";
import { evaluate } from "../../lib/core/evaluate";
import { readVectors, recorded, type Expected } from "./vectors";

const vectors = readVectors<{ id: string; given: object; expect: Expected }>("decisions");

test("the recorded decisions are all there", () => {
  expect(vectors).toHaveLength(2978);
});

test.each(vectors)("$id", ({ given, expect: expected }) => {
  const { situation, now } = readMoment(withoutNulls(given));
  expect(recorded(evaluate(situation, now))).toEqual(expected);
});
