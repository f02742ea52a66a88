import { beginHistory, countRescale, remember } from "../../lib/core/history";
import type { RecommendationSpan } from "../../lib/model/situation";
import { at, noon, nothingSoFar, options, unhindered } from "./build";

const run = (replicas: number, since: number, last = since): RecommendationSpan => ({
  replicas,
  since: at(since),
  at: at(last),
});
const withRuns = (...recommendations: readonly RecommendationSpan[]) => ({ ...nothingSoFar, recommendations });

test.each([
  ["never synced", null],
  ["synced, with nothing recommended", nothingSoFar],
])("%s: the current size is the first recommendation", (_, history) => {
  expect(beginHistory(history, 4, noon)).toEqual({ ...nothingSoFar, recommendations: [run(4, 0)] });
});

test("a restart of the recommendations keeps the scale events", () => {
  const events = { scaleUpEvents: [{ change: 1, at: noon }], scaleDownEvents: [{ change: 2, at: noon }] };
  expect(beginHistory({ recommendations: [], ...events }, 4, noon)).toMatchObject(events);
});

test("a history with recommendations stays unchanged", () => {
  const history = withRuns(run(3, -15));
  expect(beginHistory(history, 4, noon)).toBe(history);
});

test.each<[string, readonly RecommendationSpan[], number, readonly RecommendationSpan[]]>([
  ["the same again: the run grows", [run(3, -60, -15)], 3, [run(3, -60, 0)]],
  ["another: a run begins", [run(3, -60, -15)], 4, [run(3, -60, -15), run(4, 0)]],
  [
    "a run is dropped once later sizes lie above and below it",
    [run(5, -60), run(3, -45), run(8, -30)],
    4,
    [run(3, -45), run(8, -30), run(4, 0)],
  ],
  ["so is an equal one", [run(3, -60), run(8, -45)], 3, [run(8, -45), run(3, 0)]],
  ["the highest and the lowest so far stay", [run(9, -60), run(1, -45)], 4, [run(9, -60), run(1, -45), run(4, 0)]],
  ["beyond the longest window", [run(9, -4000, -3601), run(8, -3700, -3600)], 4, [run(8, -3700, -3600), run(4, 0)]],
  ["out of order, as after a clock that went back", [run(9, -15), run(7, -30)], 4, [run(9, -15), run(4, 0)]],
  ["a clock that went back: the later sighting stays the last", [run(3, -60, 30)], 3, [run(3, -60, 30)]],
  ["a clock that went back, with another size", [run(3, -60, 30)], 5, [run(5, 0), run(3, -60, 30)]],
])("%s", (_, before, replicas, after) => {
  expect(remember(withRuns(...before), replicas, noon, options).recommendations).toEqual(after);
});

test("a cluster's window above one hour keeps all recommendations in it", () => {
  const longer = { ...options, downscaleStabilizationSeconds: 7200 };
  const { recommendations } = remember(withRuns(run(9, -7201), run(8, -7200)), 4, noon, longer);
  expect(recommendations).toEqual([run(8, -7200), run(4, 0)]);
});

test("scale events stay when a recommendation is added", () => {
  const history = { ...withRuns(run(3, -15)), scaleUpEvents: [{ change: 1, at: noon }] };
  expect(remember(history, 4, noon, options).scaleUpEvents).toBe(history.scaleUpEvents);
});

describe("a rescale", () => {
  const up = (...seconds: readonly number[]) => seconds.map((second) => ({ change: 1, at: at(second) }));
  const behavior = {
    scaleUp: {
      ...unhindered.scaleUp,
      policies: [
        { type: "Pods", value: 4, periodSeconds: 15 },
        { type: "Pods", value: 4, periodSeconds: 60 },
      ],
    },
    scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 600 }] },
  };

  test("counts up or down", () => {
    expect(countRescale(nothingSoFar, { from: 2, to: 5, at: noon }, behavior).scaleUpEvents).toEqual([
      { change: 3, at: noon },
    ]);
    expect(countRescale(nothingSoFar, { from: 5, to: 1, at: noon }, behavior).scaleDownEvents).toEqual([
      { change: 4, at: noon },
    ]);
  });

  test("does not count without behavior", () => {
    expect(countRescale(nothingSoFar, { from: 2, to: 5, at: noon }, undefined)).toBe(nothingSoFar);
  });

  const now = { change: 1, at: noon };
  test.each([
    ["within the longest period of its direction all stay", up(-60, -30), [...up(-60, -30), now]],
    ["the last outdated one makes room", up(-90, -61, -30), [...up(-90), now, ...up(-30)]],
    ["even when an earlier slot is free", up(-90, -30), [now, ...up(-30)]],
  ])("%s", (_, before, after) => {
    const history = { ...nothingSoFar, scaleUpEvents: before };
    expect(countRescale(history, { from: 2, to: 3, at: noon }, behavior).scaleUpEvents).toEqual(after);
  });

  test.each([
    ["while it may still count", -60, [{ change: 1, at: at(-900), foundAt: at(-60) }, now]],
    ["until it does not", -61, [now]],
  ])("a scale that was found stays %s", (_, seconds, after) => {
    const history = { ...nothingSoFar, scaleUpEvents: [{ change: 1, at: at(-900), foundAt: at(seconds) }] };
    expect(countRescale(history, { from: 2, to: 3, at: noon }, behavior).scaleUpEvents).toEqual(after);
  });

  test("an outdated event makes room for a scale that is found", () => {
    const found = { from: 2, to: 3, at: at(-900), foundAt: noon };
    const after = [{ change: 1, at: at(-900), foundAt: noon }];
    expect(countRescale({ ...nothingSoFar, scaleUpEvents: up(-61) }, found, behavior).scaleUpEvents).toEqual(after);
  });

  test("each direction uses its own period", () => {
    const history = { ...nothingSoFar, scaleDownEvents: up(-500) };
    expect(countRescale(history, { from: 3, to: 2, at: noon }, behavior).scaleDownEvents).toEqual([...up(-500), now]);
  });
});
