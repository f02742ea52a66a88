import type { Behavior, ScalingPolicy } from "../../lib/k8s/hpa";
import { scalingLimited } from "../../lib/core/conditions";
import { limitRate } from "../../lib/core/limit-rate";
import type { ScaleEvent } from "../../lib/model/situation";
import { at, noon, nothingSoFar } from "./build";

const pods = (value: number, periodSeconds = 60): ScalingPolicy => ({ type: "Pods", value, periodSeconds });
const percent = (value: number, periodSeconds = 60): ScalingPolicy => ({ type: "Percent", value, periodSeconds });
const up = (selectPolicy: string, ...policies: readonly ScalingPolicy[]): Behavior => ({
  scaleUp: { selectPolicy, policies },
});
const down = (selectPolicy: string, ...policies: readonly ScalingPolicy[]): Behavior => ({
  scaleDown: { selectPolicy, policies },
});
const events = (...given: readonly (readonly [number, number])[]): readonly ScaleEvent[] =>
  given.map(([change, seconds]) => ({ change, at: at(seconds) }));

interface Given {
  readonly min?: number;
  readonly max?: number;
  readonly ups?: readonly ScaleEvent[];
  readonly downs?: readonly ScaleEvent[];
}
type Row = [string, Behavior | undefined, number, number, Given, number, string, string];
const within = "the desired count is within the acceptable range";

test.each<Row>([
  // name, behavior, current, wanted, given, limited, reason, because
  ["no behavior, within", undefined, 5, 10, {}, 10, "DesiredWithinRange", within],
  ["no behavior, at most double", undefined, 5, 11, {}, 10, "ScaleUpLimit", "at most double, or 4: 10 from 5"],
  ["no behavior, 4 from less than 2", undefined, 1, 9, {}, 4, "ScaleUpLimit", "at most double, or 4: 4 from 1"],
  ["no behavior, 4 from zero", undefined, 0, 9, { min: 0 }, 4, "ScaleUpLimit", "at most double, or 4: 4 from 0"],
  [
    "no behavior, maxReplicas before the rate",
    undefined,
    5,
    11,
    { max: 8 },
    8,
    "TooManyReplicas",
    "spec.maxReplicas is 8",
  ],
  [
    "no behavior, maxReplicas is the rate",
    undefined,
    5,
    11,
    { max: 10 },
    10,
    "TooManyReplicas",
    "spec.maxReplicas is 10",
  ],
  ["no behavior, below minReplicas", undefined, 5, 1, { min: 2 }, 2, "TooFewReplicas", "spec.minReplicas is 2"],
  ["no behavior, minReplicas from zero", undefined, 0, 0, { min: 2 }, 2, "TooFewReplicas", "spec.minReplicas is 2"],
  ["no behavior, shrinking has no rate", undefined, 90, 1, {}, 1, "DesiredWithinRange", within],

  ["up, pods", up("Max", pods(4)), 5, 20, {}, 9, "ScaleUpLimit", "policy Pods 4 in 60 s allows 9"],
  [
    "up, percent rounds up in floats: 110.00000000000001",
    up("Max", percent(10)),
    100,
    200,
    {},
    111,
    "ScaleUpLimit",
    "policy Percent 10 in 60 s allows 111",
  ],
  [
    "up, the largest change",
    up("Max", pods(4), percent(100)),
    5,
    20,
    {},
    10,
    "ScaleUpLimit",
    "policy Percent 100 in 60 s allows 10",
  ],
  [
    "up, the smallest change",
    up("Min", pods(4), percent(100)),
    5,
    20,
    {},
    9,
    "ScaleUpLimit",
    "policy Pods 4 in 60 s allows 9",
  ],
  [
    "up, equals: the first",
    up("Max", pods(5), percent(100)),
    5,
    20,
    {},
    10,
    "ScaleUpLimit",
    "policy Pods 5 in 60 s allows 10",
  ],
  [
    "up, equals of the smallest: the first",
    up("Min", pods(5), percent(100)),
    5,
    20,
    {},
    10,
    "ScaleUpLimit",
    "policy Pods 5 in 60 s allows 10",
  ],
  ["up, disabled", up("Disabled", pods(4)), 5, 20, {}, 5, "ScaleUpLimit", "behavior.scaleUp.selectPolicy is Disabled"],
  ["up, within", up("Max", pods(4)), 5, 9, {}, 9, "DesiredWithinRange", within],
  [
    "up, added in this period",
    up("Max", pods(4)),
    8,
    20,
    { ups: events([3, -59]) },
    9,
    "ScaleUpLimit",
    "policy Pods 4 in 60 s allows 9",
  ],
  [
    "up, added exactly a period ago",
    up("Max", pods(4)),
    8,
    20,
    { ups: events([3, -60]) },
    12,
    "ScaleUpLimit",
    "policy Pods 4 in 60 s allows 12",
  ],
  [
    "up, removed in this period",
    up("Max", pods(4)),
    5,
    20,
    { downs: events([3, -59]) },
    12,
    "ScaleUpLimit",
    "policy Pods 4 in 60 s allows 12",
  ],
  [
    "up, all used up: never below the current size",
    up("Max", pods(4)),
    20,
    30,
    { ups: events([9, -9], [5, -59]) },
    20,
    "ScaleUpLimit",
    "policy Pods 4 in 60 s allows 10",
  ],
  [
    "up, each policy by its own period",
    up("Max", pods(4, 30), percent(100, 60)),
    10,
    40,
    { ups: events([5, -45]) },
    14,
    "ScaleUpLimit",
    "policy Pods 4 in 30 s allows 14",
  ],
  ["up, maxReplicas first", up("Max", pods(4)), 5, 20, { max: 9 }, 9, "TooManyReplicas", "spec.maxReplicas is 9"],
  [
    "up, from zero percent allows none",
    up("Max", percent(100)),
    0,
    5,
    { min: 0 },
    0,
    "ScaleUpLimit",
    "policy Percent 100 in 60 s allows 0",
  ],
  [
    "up, a count beyond int32 wraps, as upstream's does",
    up("Max", pods(2 ** 31 - 1)),
    5,
    20,
    {},
    5,
    "ScaleUpLimit",
    "policy Pods 2147483647 in 60 s allows -2147483644",
  ],
  [
    "up, a share beyond int32 is as much as there is",
    up("Max", percent(2 ** 31 - 1)),
    500,
    900,
    {},
    900,
    "DesiredWithinRange",
    within,
  ],
  ["up, no policies allow nothing", up("Max"), 5, 20, {}, 5, "ScaleUpLimit", "there is no policy"],
  ["up, the smallest of no policies is no limit", up("Min"), 5, 20, {}, 20, "DesiredWithinRange", within],

  ["down, pods", down("Max", pods(4)), 20, 5, {}, 16, "ScaleDownLimit", "policy Pods 4 in 60 s allows 16"],
  [
    "down, percent cuts off: 8.5",
    down("Max", percent(15)),
    10,
    5,
    {},
    8,
    "ScaleDownLimit",
    "policy Percent 15 in 60 s allows 8",
  ],
  [
    "down, the largest change",
    down("Max", pods(4), percent(50)),
    20,
    5,
    {},
    10,
    "ScaleDownLimit",
    "policy Percent 50 in 60 s allows 10",
  ],
  [
    "down, the smallest change",
    down("Min", pods(4), percent(50)),
    20,
    5,
    {},
    16,
    "ScaleDownLimit",
    "policy Pods 4 in 60 s allows 16",
  ],
  [
    "down, disabled",
    down("Disabled", pods(4)),
    20,
    5,
    {},
    20,
    "ScaleDownLimit",
    "behavior.scaleDown.selectPolicy is Disabled",
  ],
  ["down, within", down("Max", pods(4)), 20, 16, {}, 16, "DesiredWithinRange", within],
  [
    "down, removed in this period",
    down("Max", pods(4)),
    20,
    5,
    { downs: events([3, -59]) },
    19,
    "ScaleDownLimit",
    "policy Pods 4 in 60 s allows 19",
  ],
  [
    "down, added in this period",
    down("Max", pods(4)),
    20,
    5,
    { ups: events([3, -59]) },
    13,
    "ScaleDownLimit",
    "policy Pods 4 in 60 s allows 13",
  ],
  [
    "down, all used up: never above the current size",
    down("Max", pods(4)),
    20,
    5,
    { downs: events([9, -59]) },
    20,
    "ScaleDownLimit",
    "policy Pods 4 in 60 s allows 25",
  ],
  ["down, minReplicas first", down("Max", pods(4)), 7, 1, { min: 3 }, 3, "TooFewReplicas", "spec.minReplicas is 3"],
  ["down, no policies allow nothing", down("Max"), 20, 5, {}, 20, "ScaleDownLimit", "there is no policy"],
  [
    "down, the smallest of no policies is no limit",
    down("Min"),
    20,
    5,
    { min: 6 },
    6,
    "TooFewReplicas",
    "spec.minReplicas is 6",
  ],
  ["down, more than all of them", down("Max", percent(200)), 20, 0, { min: 0 }, 0, "DesiredWithinRange", within],

  ["no change, whatever the policies", up("Disabled", pods(1)), 5, 5, {}, 5, "DesiredWithinRange", within],
  ["no change is not bound either", down("Disabled"), 5, 5, { min: 6 }, 5, "DesiredWithinRange", within],
  ["up, a direction that has no rules", {}, 5, 20, {}, 5, "ScaleUpLimit", "there is no policy"],
])("%s", (...[_, behavior, current, wanted, given, replicas, reason, because]) => {
  const { min = 1, max = 1000, ups = [], downs = [] } = given;
  const history = { ...nothingSoFar, scaleUpEvents: ups, scaleDownEvents: downs };
  const limited = limitRate({ wanted, current, min, max, history, behavior }, noon);
  const isLimited = reason !== "DesiredWithinRange";
  const status = isLimited ? "True" : "False";
  expect(scalingLimited(limited)).toMatchObject({ type: "ScalingLimited", status, reason });
  expect(limited).toMatchObject({ replicas, because });
  expect(limited.limitedBy).toBe(isLimited ? reason : undefined);
  expect(limited.stage).toBe(reason.startsWith("Too") ? "bounds" : "limitRate");
});

test.each([
  ["ScaleUpLimit", up("Max", pods(1)), 9, "the desired replica count is increasing faster than the maximum scale rate"],
  [
    "ScaleDownLimit",
    down("Max", pods(1)),
    1,
    "the desired replica count is decreasing faster than the maximum scale rate",
  ],
  ["TooManyReplicas", up("Max", pods(9)), 12, "the desired replica count is more than the maximum replica count"],
  ["TooFewReplicas", down("Max", pods(9)), 0, "the desired replica count is less than the minimum replica count"],
])("%s has upstream's message", (reason, behavior, wanted, message) => {
  const input = { wanted, current: 5, min: 1, max: 10, history: nothingSoFar, behavior };
  expect(scalingLimited(limitRate(input, noon))).toMatchObject({ reason, message });
});

describe("a scale that took effect at an unknown time: announced two minutes ago, found 59 s ago", () => {
  const found: ScaleEvent = { change: 3, at: at(-120), foundAt: at(-59) };

  test.each<[string, Behavior, number, Given, number]>([
    ["a scale-up counts for scaleUp until the latest possible moment", up("Max", pods(4)), 20, { ups: [found] }, 11],
    ["a scale-down adds nothing back to scaleUp", up("Max", pods(4)), 20, { downs: [found] }, 14],
    [
      "a scale-down counts for scaleDown until the latest possible moment",
      down("Max", pods(4)),
      1,
      { downs: [found] },
      9,
    ],
    ["a scale-up adds nothing back to scaleDown", down("Max", pods(4)), 1, { ups: [found] }, 6],
  ])("%s", (...[_, behavior, wanted, { ups = [], downs = [] }, replicas]) => {
    const history = { ...nothingSoFar, scaleUpEvents: ups, scaleDownEvents: downs };
    expect(limitRate({ wanted, current: 10, min: 1, max: 100, history, behavior }, noon).replicas).toBe(replicas);
  });

  test("it counts until one period after it was found, and no longer", () => {
    const input = { wanted: 20, current: 10, min: 1, max: 100, behavior: up("Max", pods(4)) };
    const history = { ...nothingSoFar, scaleUpEvents: [found] };
    expect(limitRate({ ...input, history }, noon).detail).toMatchObject({ start: 7, until: at(1) });
    expect(limitRate({ ...input, history }, at(1))).toMatchObject({ replicas: 14 });
  });
});

describe("when the rate allows more", () => {
  test.each<[string, Behavior | undefined, number, number, Given, object]>([
    [
      "the oldest scaling that counts leaves the period",
      up("Max", pods(4)),
      5,
      20,
      { ups: events([9, -61], [1, -40], [2, -10]) },
      { policy: "Pods 4 in 60 s", periodSeconds: 60, start: 2, allowed: 6, until: at(20) },
    ],
    [
      "a scaling in the other direction counts, too",
      up("Max", pods(4)),
      5,
      20,
      { ups: events([1, -10]), downs: events([2, -50]) },
      { policy: "Pods 4 in 60 s", periodSeconds: 60, start: 6, allowed: 10, until: at(10) },
    ],
    [
      "this scaling itself, if no earlier one counts",
      down("Max", percent(50, 30)),
      10,
      1,
      {},
      { policy: "Percent 50 in 30 s", periodSeconds: 30, start: 10, allowed: 5, until: at(30) },
    ],
    [
      "without behavior, the next sync",
      undefined,
      5,
      20,
      {},
      { policy: "at most double, or 4", periodSeconds: null, start: 5, allowed: 10, until: null },
    ],
    [
      "disabled, never",
      down("Disabled", pods(4)),
      5,
      1,
      {},
      { policy: "Disabled", periodSeconds: null, start: 5, allowed: 5, until: null },
    ],
    [
      "no policy, never",
      up("Max"),
      5,
      9,
      {},
      { policy: "none", periodSeconds: null, start: 5, allowed: -2_147_483_648, until: null },
    ],
  ])("%s", (...[_, behavior, current, wanted, { ups = [], downs = [] }, detail]) => {
    const history = { ...nothingSoFar, scaleUpEvents: ups, scaleDownEvents: downs };
    const step = limitRate({ wanted, current, min: 0, max: 100, history, behavior }, noon);
    expect(step.detail).toEqual(detail);
  });

  test("the rate does allow more at that moment", () => {
    const given = { wanted: 20, current: 5, min: 0, max: 100, behavior: up("Max", pods(4)) };
    const history = { ...nothingSoFar, scaleUpEvents: events([1, -40], [2, -10]) };
    const step = limitRate({ ...given, history }, noon);
    const { replicas } = step;
    const until = step.stage === "limitRate" ? (step.detail?.until ?? 0) : 0;
    expect(limitRate({ ...given, history }, until - 1).replicas).toBe(replicas);
    expect(limitRate({ ...given, history }, until).replicas).toBe(replicas + 1);
  });
});
