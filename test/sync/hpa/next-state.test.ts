import type { MetricStatus } from "../../../lib/k8s/hpa";
import type { History } from "../../../lib/model/situation";
import type { State } from "../../../lib/model/stored/state";
import {
  bindToTarget,
  freshState,
  nextState,
  noveltyOf,
  outline,
  outlineWarning,
  ownZero,
} from "../../../lib/sync/hpa/next-state";
import type { Scale } from "../../../lib/k8s/objects";

const slot = 1_200_000;
const adopt = (before: State, scale: Scale, now = slot) => ownZero(before, { scale, adopts: undefined, now });
const history: History = {
  recommendations: [{ replicas: 3, since: 1, at: slot }],
  scaleUpEvents: [{ change: 2, at: 1 }],
  scaleDownEvents: [{ change: 1, at: 2 }],
};
const metric = (value: object): MetricStatus => ({
  type: "External",
  external: { metric: { name: "m" }, current: value },
});
const state: State = {
  version: 5,
  slot,
  status: {
    conditions: [{ type: "ScalingActive", status: "True", reason: "ValidMetricFound", message: "at 12:03:15" }],
    currentMetrics: [metric({ averageValue: "500m" })],
  },
  history,
  open: true,
};

describe("a change", () => {
  const changed: readonly (readonly [string, Partial<State>])[] = [
    ["the run of a recommendation closes", { open: false }],
    [
      "another size is recommended",
      { history: { ...history, recommendations: [{ replicas: 4, since: 1, at: slot }] } },
    ],
    ["a run begins again", { history: { ...history, recommendations: [{ replicas: 3, since: 2, at: slot }] } }],
    ["a scale event is new", { history: { ...history, scaleUpEvents: [{ change: 3, at: 9 }] } }],
    ["a scale event is new", { history: { ...history, scaleDownEvents: [{ change: 3, at: 9 }] } }],
    ["a condition changes", { status: { ...state.status, conditions: [{ type: "ScalingActive", status: "False" }] } }],
    ["a metric becomes zero", { status: { ...state.status, currentMetrics: [metric({ averageValue: "0" })] } }],
    ["a metric is no longer known", { status: { ...state.status, currentMetrics: [metric({})] } }],
    ["a metric is of another kind", { status: { ...state.status, currentMetrics: [metric({ value: "500m" })] } }],
    ["there is a warning", { warnings: [{ type: "Warning", reason: "R", message: "m" }] }],
    ["the selector changes", { selector: "app=web" }],
    ["the target is another one", { targetUid: "u" }],
    ["the entry is another one", { decision: { at: 1, from: 1, desiredReplicas: 1, steps: [], generation: 2 } }],
    ["a reading is kept", { readings: { q: { at: 1, response: { items: [] } } as never } }],
  ];
  test.each(changed)("%s: is written at once", (_name, part) => {
    expect(noveltyOf(state, { ...state, ...part })).toBe("write");
  });

  const moved: readonly (readonly [string, Partial<State>])[] = [
    ["the last sighting", { history: { ...history, recommendations: [{ replicas: 3, since: 1, at: slot + 15_000 }] } }],
    ["an event that left every window", { history: { ...history, scaleUpEvents: [], scaleDownEvents: [] } }],
    ["nothing", {}],
  ];
  test.each(moved)("%s alone: is never written", (_name, part) => {
    expect(noveltyOf(state, { ...state, ...part })).toBe("nothing");
  });

  const later: readonly (readonly [string, Partial<State>])[] = [
    ["a value", { status: { ...state.status, currentMetrics: [metric({ averageValue: "501m" })] } }],
    [
      "a condition's text",
      {
        status: { ...state.status, conditions: [{ ...state.status.conditions?.[0], message: "at 12:03:30" } as never] },
      },
    ],
  ];
  test.each(later)("%s alone: is shown beside the state", (_name, part) => {
    expect(noveltyOf(state, { ...state, ...part })).toBe("show");
  });
});

test("a state that was never written is written", () => {
  expect(noveltyOf({ ...state, version: 0 }, { ...state, version: 0 })).toBe("write");
});

test.each<[string, object, object]>([
  ["a value", { value: "17" }, { value: "1" }],
  ["an average", { averageValue: "500m" }, { averageValue: "1" }],
  ["zero", { value: "0", averageValue: "0" }, { value: "0", averageValue: "0" }],
  ["a utilization", { averageUtilization: 83 }, { averageUtilization: 1 }],
  ["a utilization of zero", { averageUtilization: 0 }, { averageUtilization: 0 }],
  ["nothing", {}, {}],
])("the outline of %s says whether it is known, and whether it is zero", (_name, current, outlined) => {
  const metrics: readonly MetricStatus[] = [
    { type: "External", external: { metric: { name: "m" }, current } },
    { type: "Pods", pods: { metric: { name: "m" }, current } },
    { type: "Object", object: { metric: { name: "m" }, describedObject: { kind: "K", name: "n" }, current } },
    { type: "Resource", resource: { name: "cpu", current } },
    { type: "ContainerResource", containerResource: { name: "cpu", container: "app", current } },
  ];
  const said = outline({ ...state, status: { currentMetrics: metrics } }).status.currentMetrics;
  expect(said).toEqual(
    JSON.parse(JSON.stringify(metrics).replaceAll(JSON.stringify(current), JSON.stringify(outlined))),
  );
});

test("a warning is the same whatever its numbers are", () => {
  const warning = (text: string) => outlineWarning({ type: "Warning", reason: "R", message: text });
  expect(warning("no datapoint since 12:03:15 (1.5 s)")).toEqual({
    type: "Warning",
    reason: "R",
    message: "no datapoint since # (# s)",
  });
  expect(warning("v1.2:x")).toEqual(warning("v7:x"));
});

describe("a target", () => {
  const scale = (uid?: string) => ({
    metadata: { name: "web", ...(uid !== undefined && { uid }) },
    ...{ spec: {}, status: { replicas: 0 } },
  });
  const intent = { from: 1, to: 2, at: 1, resourceVersion: "1", countsAsEvent: true, message: "", scaledToZero: false };
  const bound: State = { ...state, targetUid: "a", intent, earlier: [intent] };

  test("that stays keeps the intents, and so does one that says no uid", () => {
    expect(bindToTarget(bound, scale("a"))).toBe(bound);
    expect(bindToTarget(bound, scale())).toBe(bound);
  });

  test("that is made again keeps all but the intents", () => {
    expect(bindToTarget(bound, scale("b"))).toEqual({ ...state, targetUid: "b" });
  });

  test("that is seen for the first time keeps the intents", () => {
    expect(bindToTarget({ ...state, intent }, scale("a"))).toEqual({ ...state, intent, targetUid: "a" });
  });
});

describe("the last zero that ebb ended", () => {
  const scaleAt = (replicas: number, resourceVersion?: string) => ({
    metadata: { name: "web", ...(resourceVersion !== undefined && { resourceVersion }) },
    spec: { replicas },
    status: { replicas, selector: "" },
  });
  const { status } = state;
  const woken: State = { ...state, lastZero: "7" };

  test("is ours again where the target is back at it, beside the other conditions", () => {
    const { conditions = [], ...rest } = adopt(woken, scaleAt(0, "7")).status;
    expect(conditions).toEqual([
      ...(status.conditions ?? []),
      expect.objectContaining({ type: "ScaledToZero", status: "True" }) as object,
    ]);
    expect(rest).toEqual({ currentMetrics: status.currentMetrics });
    expect(adopt({ ...woken, status: {} }, scaleAt(0, "7")).status.conditions).toHaveLength(1);
  });

  test.each<[string, State, ReturnType<typeof scaleAt>]>([
    ["where it is at another version", woken, scaleAt(0, "8")],
    ["where it has replicas", woken, scaleAt(1, "7")],
    ["without such a zero", state, scaleAt(0)],
  ])("is nothing %s", (_what, before, scale) => {
    expect(adopt(before, scale)).toBe(before);
  });

  test("outlives every sync, and so does the target's uid: a restore may come at any time", () => {
    const input = {
      ...{ writerId: { slot }, warnings: [], readings: {}, hasConcurrentReader: false, period: {} },
      decision: { status, history: state.history!, recommendation: null },
      recording: { explained: { at: slot, from: 1, desiredReplicas: 1, steps: [] } },
    };
    expect(nextState({ ...woken, targetUid: "a" }, input)).toMatchObject({ lastZero: "7", targetUid: "a" });
    expect(nextState(state, input)).not.toHaveProperty("lastZero");
  });

  test("is not said again where it is ours", () => {
    const own = adopt(woken, scaleAt(0, "7"));
    expect(adopt(own, scaleAt(0, "7"), slot + 1)).toBe(own);
  });
});

test("an HPA that was never synced keeps its document's status, and has no open span", () => {
  expect(freshState(state.status, slot)).toMatchObject({ slot: 0, status: state.status, history: null, open: false });
});

describe("of two runs of a slot that may see each other's states", () => {
  const next = (
    before: Partial<State>,
    {
      hasConcurrentReader = true,
      ...decided
    }: Readonly<Record<string, unknown>> & { hasConcurrentReader?: boolean } = {},
  ) =>
    nextState(
      { ...state, ...before },
      {
        ...{ writerId: { slot }, hasConcurrentReader, warnings: [], readings: {}, period: {} },
        decision: { status: state.status, history, recommendation: 3, ...decided },
        recording: { explained: { at: slot, from: 3, desiredReplicas: 3, steps: [] } },
      },
    ).closedAt;
  const other = { ...history, recommendations: [{ replicas: 4, since: 9, at: slot }] };

  test("one that closes the open recommendation says when", () => {
    expect(next({}, { recommendation: null })).toBe(slot);
    expect(next({}, { history: other })).toBe(slot);
    expect(next({ closedAt: slot })).toBe(slot);
  });

  test("one that goes on with it, has none to close, or is alone, says nothing", () => {
    expect(next({})).toBeUndefined();
    expect(next({ closedAt: 1 })).toBeUndefined();
    expect(next({ open: false }, { history: other })).toBeUndefined();
    expect(next({}, { history: other, hasConcurrentReader: false })).toBeUndefined();
  });
});
