import { withoutNulls } from "../../cli/understand/evaluate/read-history";
import { readMoment } from "../../cli/understand/evaluate/read-situation";
import { evaluate } from "../../lib/core/evaluate";
import { readVectors, recorded, type Expected } from "./vectors";

interface Recorded {
  readonly id: string;
  readonly given: object;
  readonly expect: Expected;
}

const newest = readVectors<Recorded>("decisions");
const before = readVectors<Recorded>("decisions-1.36");
const vectors = [...newest, ...before];

test("the recorded decisions are all there", () => {
  expect([newest.length, before.length]).toEqual([2984, 2906]);
});

test.each(vectors)("$id", ({ given, expect: expected }) => {
  const { situation, now } = readMoment(withoutNulls(given));
  expect(recorded(evaluate(situation, now))).toEqual(expected);
});
