import type { Behavior } from "../../lib/k8s/hpa";
import type { RecommendationSpan } from "../../lib/model/situation";
import { ableToScale } from "../../lib/core/conditions";
import { stabilize } from "../../lib/core/stabilize";
import { at, noon, nothingSoFar, options } from "./build";

const runs = (...given: readonly (readonly [number, number])[]): readonly RecommendationSpan[] =>
  given.map(([replicas, seconds]) => ({ replicas, since: at(seconds - 1), at: at(seconds) }));

const windows = (up: number | undefined, down: number | undefined): Behavior => ({
  scaleUp: up === undefined ? {} : { stabilizationWindowSeconds: up },
  scaleDown: down === undefined ? {} : { stabilizationWindowSeconds: down },
});

type Row = [string, Behavior | undefined, number, number, readonly RecommendationSpan[], number, string];

test.each<Row>([
  // name, behavior, current, proposed, recommendations [replicas, seconds from noon], stabilized, reason
  ["nothing to hold it", undefined, 5, 2, [], 2, "ReadyForNewScale"],
  ["a higher one of the last five minutes", undefined, 5, 2, runs([7, -200], [4, -10]), 7, "ScaleDownStabilized"],
  ["its first moment counts", undefined, 5, 2, runs([7, -300], [4, -10]), 7, "ScaleDownStabilized"],
  ["before it does not", undefined, 5, 2, runs([7, -300.001], [4, -10]), 4, "ScaleDownStabilized"],
  ["growing is not held", undefined, 5, 8, runs([7, -200]), 8, "ReadyForNewScale"],
  ["an equal one holds nothing", undefined, 5, 7, runs([7, -200]), 7, "ReadyForNewScale"],
  [
    "down, the highest of the window",
    windows(0, 60),
    5,
    2,
    runs([9, -61], [4, -59], [3, -30]),
    4,
    "ScaleDownStabilized",
  ],
  ["down, the window's first moment does not count", windows(0, 60), 5, 2, runs([4, -60]), 2, "ReadyForNewScale"],
  ["down, no further up than the current size", windows(0, 60), 5, 2, runs([9, -30]), 5, "ScaleDownStabilized"],
  [
    "down, the cluster's window where none is given",
    windows(0, undefined),
    5,
    2,
    runs([4, -299]),
    4,
    "ScaleDownStabilized",
  ],
  ["up, the lowest of the window", windows(60, 0), 5, 9, runs([1, -61], [7, -59], [8, -30]), 7, "ScaleUpStabilized"],
  ["up, the lowest came last", windows(60, 0), 5, 9, runs([8, -59], [7, -30]), 7, "ScaleUpStabilized"],
  ["up, the window's first moment does not count", windows(60, 0), 5, 9, runs([7, -60]), 9, "ReadyForNewScale"],
  ["up, no further down than the current size", windows(60, 0), 5, 9, runs([2, -30]), 5, "ScaleUpStabilized"],
  ["up, no window where none is given", windows(undefined, 0), 5, 9, runs([7, -1]), 9, "ReadyForNewScale"],
  ["both windows, between their ends", windows(60, 60), 5, 5, runs([3, -30], [8, -20]), 5, "ReadyForNewScale"],
  ["growing, while both hold", windows(60, 60), 5, 9, runs([3, -30], [8, -20]), 5, "ScaleUpStabilized"],
  ["shrinking, while both hold", windows(60, 60), 5, 1, runs([3, -30], [8, -20]), 5, "ScaleDownStabilized"],
  [
    "already too large: held at the lowest is still a growth held",
    windows(60, 60),
    9,
    9,
    runs([3, -30]),
    9,
    "ReadyForNewScale",
  ],
])("%s", (...[_, behavior, current, proposed, recommendations, replicas, reason]) => {
  const history = { ...nothingSoFar, recommendations };
  const stabilized = stabilize({ proposed, current, history, behavior, options }, noon);
  expect(stabilized).toMatchObject({ stage: "stabilize", replicas });
  expect(ableToScale(stabilized)).toMatchObject({ type: "AbleToScale", status: "True", reason });
  expect(stabilized.limitedBy).toBe(reason === "ReadyForNewScale" ? undefined : reason);
});

test("a window of zero length holds nothing, not even a recommendation of this moment", () => {
  const history = { ...nothingSoFar, recommendations: runs([7, 0]) };
  const input = {
    proposed: 2,
    current: 7,
    history,
    behavior: undefined,
    options: { ...options, downscaleStabilizationSeconds: 0 },
  };
  expect(stabilize(input, noon).replicas).toBe(2);
});

test.each<[string, Behavior | undefined, number, readonly RecommendationSpan[], object]>([
  [
    "without behavior",
    undefined,
    2,
    runs([4, -200], [7, -100], [6, -10]),
    { window: 300, heldBy: 7, heldSince: at(-101), lastSeen: at(-100), until: at(200), then: 6 },
  ],
  [
    "down",
    windows(30, 60),
    2,
    runs([4, -50], [4, -20], [3, -10]),
    { window: 60, heldBy: 4, heldSince: at(-21), lastSeen: at(-20), until: at(40), then: 3 },
  ],
  [
    "up",
    windows(30, 60),
    9,
    runs([7, -20], [8, -10]),
    { window: 30, heldBy: 7, heldSince: at(-21), lastSeen: at(-20), until: at(10), then: 8 },
  ],
])("%s, the step shows the recommendation that holds it", (...[_, behavior, proposed, recommendations, detail]) => {
  const history = { ...nothingSoFar, recommendations };
  const step = stabilize({ proposed, current: 5, history, behavior, options }, noon);
  const verdict = ableToScale(step);
  expect(step).toEqual({
    stage: "stabilize",
    replicas: step.replicas,
    limitedBy: verdict.reason,
    because: verdict.message,
    detail,
  });
});
