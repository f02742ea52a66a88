import { readSequences, replay } from "./replay-events";

const sequences = readSequences();

test("the recorded sequences are all there", () => {
  expect(sequences).toHaveLength(200);
  const steps = sequences.flatMap((sequence) => sequence.steps);
  expect(steps.filter(({ recorded }) => recorded === undefined).length).toBeGreaterThan(1_000);
  expect(steps.filter(({ left }) => left !== undefined).length).toBeGreaterThan(1_000);
});

test.each(sequences)("sequence $id", ({ steps }) => replay(steps));
