import type { Condition } from "../../lib/k8s/objects";
import { isTrue, setConditions, type Verdict } from "../../lib/core/conditions";
import { clock, noon } from "./build";

const able: Condition = {
  type: "AbleToScale",
  status: "True",
  reason: "a",
  message: "b",
  lastTransitionTime: clock(-60),
};
const verdict = (status: "True" | "False", type: Verdict["type"] = "AbleToScale"): Verdict => ({
  type,
  status,
  reason: "r",
  message: "m",
});

test.each<[string, readonly Condition[], readonly Verdict[], readonly Condition[]]>([
  ["none: added", [], [verdict("True")], [{ ...verdict("True"), lastTransitionTime: clock(0) }]],
  [
    "the same status: lastTransitionTime stays",
    [able],
    [verdict("True")],
    [{ ...verdict("True"), lastTransitionTime: clock(-60) }],
  ],
  [
    "another status: lastTransitionTime is now",
    [able],
    [verdict("False")],
    [{ ...verdict("False"), lastTransitionTime: clock(0) }],
  ],
  [
    "changed and changed back: lastTransitionTime is now",
    [able],
    [verdict("False"), verdict("True")],
    [{ ...verdict("True"), lastTransitionTime: clock(0) }],
  ],
  [
    "order stays, new ones go last",
    [able],
    [verdict("True", "ScalingActive"), verdict("True")],
    [
      { ...verdict("True"), lastTransitionTime: clock(-60) },
      { ...verdict("True", "ScalingActive"), lastTransitionTime: clock(0) },
    ],
  ],
  [
    "an absent lastTransitionTime stays absent",
    [{ type: "AbleToScale", status: "True" }],
    [verdict("True")],
    [verdict("True")],
  ],
  ["others are left alone", [{ ...able, type: "ScaledToZero" }], [], [{ ...able, type: "ScaledToZero" }]],
])("%s", (_, conditions, verdicts, expected) => {
  expect(setConditions(conditions, verdicts, noon)).toEqual(expected);
});

test("the input is not changed", () => {
  const conditions = Object.freeze([Object.freeze({ ...able })]);
  expect(setConditions(conditions, [verdict("False")], noon)).not.toBe(conditions);
});

test.each([
  [undefined, false],
  [[], false],
  [[able], true],
  [[{ ...able, status: "False" as const }], false],
  [[{ ...able, status: "Unknown" as const }], false],
])("%j is true: %s", (conditions, expected) => {
  expect(isTrue(conditions, "AbleToScale")).toBe(expected);
});
