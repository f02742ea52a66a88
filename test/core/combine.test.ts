import { combine } from "../../lib/core/combine";
import { unavailable, type Recommendation } from "../../lib/core/recommend/recommendation";

const asks = (name: string, replicas: number): Recommendation => ({
  kind: "proposal",
  name,
  replicas,
  status: { type: name },
  detail: { target: "1", ratio: 1 },
  because: "so it is",
});
const blind = (name: string): Recommendation => unavailable(`FailedGet${name}`, `no ${name}`, `wrapped: no ${name}`);

test.each<[string, readonly Recommendation[], number, number | string, string]>([
  ["one metric", [asks("a", 3)], 5, 3, "a"],
  ["the highest wins", [asks("a", 3), asks("b", 7), asks("c", 5)], 5, 7, "b"],
  ["among equals the first", [asks("a", 3), asks("b", 3)], 5, 3, "a"],
  ["among zeros the last", [asks("a", 0), asks("b", 0)], 5, 0, "b"],
  ["a zero loses even to a negative number", [asks("a", 0), asks("b", -2)], 5, 0, "b"],
  ["a negative number becomes zero", [asks("a", -2)], 5, 0, "a"],
  ["a blind metric lets the size grow", [blind("X"), asks("b", 7)], 5, 7, "b"],
  ["a blind metric lets the size stay", [asks("b", 5), blind("X")], 5, 5, "b"],
  [
    "a blind metric never lets it shrink",
    [asks("b", 4), blind("X"), blind("Y")],
    5,
    "invalid metrics (2 invalid out of 3), first error is: wrapped: no X",
    "",
  ],
  ["at zero, a blind metric may stay at zero", [blind("X"), asks("b", 0)], 0, 0, "b"],
  ["all blind", [blind("X")], 0, "invalid metrics (1 invalid out of 1), first error is: wrapped: no X", ""],
])("%s", (...[_, recommendations, current, expected, name]) => {
  const proposal = combine(recommendations, current);
  if (typeof expected === "string") {
    expect(proposal).toMatchObject({ kind: "unknown", error: expected });
    expect(proposal.verdicts).toEqual([
      {
        type: "ScalingActive",
        status: "False",
        reason: "FailedGetX",
        message: "the HPA was unable to compute the replica count: no X",
      },
    ]);
  } else {
    expect(proposal).toMatchObject({ kind: "known", replicas: expected, name });
    expect(proposal.verdicts).toEqual([
      {
        type: "ScalingActive",
        status: "True",
        reason: "ValidMetricFound",
        message: `the HPA was able to successfully calculate a replica count from ${name}`,
      },
    ]);
  }
});

test("every metric keeps its place, its warning and its step", () => {
  const { statuses, events, steps } = combine([blind("X"), asks("b", 7), blind("Y")], 5);
  expect(statuses).toEqual([{ type: "" }, { type: "b" }, { type: "" }]);
  expect(events).toEqual([
    { type: "Warning", reason: "FailedGetX", message: "no X" },
    { type: "Warning", reason: "FailedGetY", message: "no Y" },
  ]);
  expect(steps).toEqual([
    { stage: "metric", replicas: null, limitedBy: "FailedGetX", because: "no X" },
    { stage: "metric", replicas: 7, because: "b: so it is", detail: { name: "b", target: "1", ratio: 1 } },
    { stage: "metric", replicas: null, limitedBy: "FailedGetY", because: "no Y" },
    { stage: "combine", replicas: 7, because: "the highest of 3: b", detail: { blind: 2 } },
  ]);
});

test("a size that may not shrink says so in its step", () => {
  expect(combine([asks("b", 4), blind("X")], 5).steps.at(-1)).toEqual({
    stage: "combine",
    replicas: null,
    because: "1 of 2 metrics cannot be read, and without them the size must not shrink",
    detail: { blind: 1 },
  });
});

test("an HPA without metrics, not defaulted, is an error and not a zero", () => {
  expect(() => combine([], 5)).toThrow("expected a defaulted HPA, got one without metrics");
});
