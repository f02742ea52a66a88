import type { Behavior } from "../../../lib/k8s/hpa";
import { overwritten, settleIntent } from "../../../lib/sync/scale/intents";
import type { Intent, State } from "../../../lib/model/stored/state";
import { at, clock, noon, nothingSoFar, scaleOf, unhindered } from "../../core/build";

const intent: Intent = {
  from: 2,
  to: 5,
  at: noon,
  resourceVersion: "6",
  countsAsEvent: true,
  message: "New size: 5; reason: queue above target",
  scaledToZero: false,
};

const state: State = {
  version: 3,
  slot: noon,
  status: {
    currentReplicas: 2,
    desiredReplicas: 2,
    conditions: [
      {
        type: "AbleToScale",
        status: "True",
        reason: "ReadyForNewScale",
        message: "m",
        lastTransitionTime: clock(-600),
      },
      { type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "m", lastTransitionTime: clock(-600) },
    ],
  },
  history: { ...nothingSoFar, recommendations: [{ replicas: 5, since: noon, at: noon }] },
  open: true,
  intent,
};
const { intent: _, ...closed } = state;
const found = at(20);

/** build.ts gives every scale resourceVersion "7". */
const announced: State = { ...state, intent: { ...intent, resourceVersion: "7" } };

test("without an intent nothing changes", () => {
  expect(settleIntent(closed, scaleOf(5), found)).toBe(closed);
});

test.each([2, 5])("while the scale is unchanged, at %i, the write may still be applied", (replicas) => {
  expect(settleIntent(announced, scaleOf(replicas), found)).toBe(announced);
});

test.each([2, 4, 0])("a scale that changed to %i was not our write: the intent is withdrawn", (replicas) => {
  expect(settleIntent(state, scaleOf(replicas), found)).toEqual(closed);
});

test("an applied intent counts from its own time, and as found now", () => {
  expect(settleIntent(state, scaleOf(5), found)).toEqual({
    ...closed,
    status: {
      currentReplicas: 2,
      desiredReplicas: 5,
      lastScaleTime: clock(0),
      conditions: [
        {
          type: "AbleToScale",
          status: "True",
          reason: "SucceededRescale",
          message: "the HPA controller was able to update the target scale to 5",
          lastTransitionTime: clock(-600),
        },
        {
          type: "ScaledToZero",
          status: "False",
          reason: "NotScaledToZero",
          message: "the HPA controller did not scale the workload to zero",
          lastTransitionTime: clock(0),
        },
      ],
    },
    history: { ...closed.history, scaleUpEvents: [{ change: 3, at: noon, foundAt: found }] },
  });
});

test("a clock behind the announcing one: found no earlier than announced", () => {
  const scaleUpEvents = [{ change: 3, at: noon, foundAt: noon }];
  expect(settleIntent(state, scaleOf(5), at(-5)).history).toMatchObject({ scaleUpEvents });
});

test("a zero becomes ours only once it is applied", () => {
  const toZero: State = { ...state, status: {}, intent: { ...intent, to: 0, scaledToZero: true } };
  expect(settleIntent(toZero, scaleOf(2), found).status).toEqual({});
  const { status, history } = settleIntent(toZero, scaleOf(0), found);
  expect(status.conditions?.[1]).toEqual({
    type: "ScaledToZero",
    status: "True",
    reason: "ScaledToZero",
    message: "the HPA controller scaled the workload to zero",
    lastTransitionTime: clock(0),
  });
  expect(history).toMatchObject({ scaleUpEvents: [], scaleDownEvents: [{ change: 2, at: noon, foundAt: found }] });
});

test("an intent that does not count adds no scale event", () => {
  const uncounted = { ...state, intent: { ...intent, countsAsEvent: false } };
  expect(settleIntent(uncounted, scaleOf(5), found).history).toBe(state.history);
});

test.each([
  [5, { scaleUpEvents: [{ change: 3, at: noon }] }],
  [0, { scaleDownEvents: [{ change: 2, at: noon }] }],
])("an event that is already there is not counted twice (to %i)", (to, events) => {
  const history = { ...nothingSoFar, ...events };
  expect(settleIntent({ ...state, history, intent: { ...intent, to } }, scaleOf(to), found).history).toEqual(history);
});

test.each([
  ["another moment", [{ change: 3, at: at(-15) }]],
  ["another change", [{ change: 1, at: noon }]],
])("an event of %s is another event", (_name, scaleUpEvents) => {
  const history = { ...nothingSoFar, scaleUpEvents };
  expect(settleIntent({ ...state, history }, scaleOf(5), found).history?.scaleUpEvents).toHaveLength(2);
});

test("a state without a history gets one", () => {
  expect(settleIntent({ ...state, history: null }, scaleOf(5), found).history).toEqual({
    ...nothingSoFar,
    scaleUpEvents: [{ change: 3, at: noon, foundAt: found }],
  });
});

test.each<[string, Behavior | undefined, number]>([
  ["unknown, an outdated event stays", undefined, 2],
  ["known, the event takes the place of an outdated one", unhindered, 1],
])("behavior %s", (_name, behavior, count) => {
  const history = { ...nothingSoFar, scaleUpEvents: [{ change: 1, at: at(-3600) }] };
  expect(settleIntent({ ...state, history }, scaleOf(5), found, behavior).history?.scaleUpEvents).toHaveLength(count);
});

/** The size is neither the intent's nor the one that it started from: somebody wrote over it, landed or not. */
describe("an intent that may have been overwritten", () => {
  const { history } = state;
  const noLimit: Behavior = {};
  const count = (intents: readonly Intent[], behavior: Behavior | undefined = noLimit) =>
    overwritten(closed, intents, { now: found, behavior }).history;

  test("counts in its own direction, from when it was found", () => {
    expect(count([intent])?.scaleUpEvents).toEqual([{ change: 3, at: 0, foundAt: found }]);
    expect(count([intent])?.scaleDownEvents).toEqual([]);
    expect(count([{ ...intent, to: 0 }])?.scaleDownEvents).toEqual([{ change: 2, at: 0, foundAt: found }]);
  });

  test("counts with the largest change in each direction, because at most one was applied", () => {
    const counted = count([intent, { ...intent, to: 9 }, { ...intent, to: 4 }, { ...intent, to: 1 }]);
    expect(counted).toMatchObject({ scaleUpEvents: [{ change: 7 }], scaleDownEvents: [{ change: 1 }] });
  });

  const zeroIn = ({ status }: Pick<State, "status">) =>
    status.conditions?.find(({ type }) => type === "ScaledToZero")?.status;

  test("may have ended our zero, so a zero that comes later is somebody else's", () => {
    const settled = overwritten(closed, [intent], { now: found, behavior: noLimit });
    expect([zeroIn(closed), zeroIn(settled)]).toEqual(["True", "False"]);
  });

  test("does not make a zero ours", () => {
    const toZero = { ...intent, to: 0, scaledToZero: true };
    const notOurs = { ...closed, status: { ...closed.status, conditions: [] } };
    expect(overwritten(notOurs, [toZero], { now: found, behavior: noLimit }).status).toEqual(notOurs.status);
    expect(zeroIn(overwritten(closed, [toZero], { now: found, behavior: noLimit }))).toBe("True");
  });

  test("does not count without behavior, then or now", () => {
    expect(count([{ ...intent, countsAsEvent: false }])).toEqual(history);
    expect(overwritten(closed, [intent], { now: found, behavior: undefined }).history).toEqual(history);
  });
});
