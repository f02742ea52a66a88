import { decide, type Decided } from "../../parity/ask-ebb";
import { readVectors } from "./vectors";

interface Recorded {
  readonly id: string;
  readonly given: object;
  readonly expect: Decided;
}

const newest = readVectors<Recorded>("decisions");
const before = readVectors<Recorded>("decisions-1.36");
const vectors = [...newest, ...before];

test("the recorded decisions are all there", () => {
  expect([newest.length, before.length]).toEqual([2984, 2906]);
});

test.each(vectors)("$id", ({ given, expect: expected }) => {
  expect(decide(given)).toEqual(expected);
});
