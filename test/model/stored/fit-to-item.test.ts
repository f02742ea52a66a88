import type { Decision } from "../../../lib/model/situation";
import type { DecisionRecord, Intent, State } from "../../../lib/model/stored/state";
import type { Step } from "../../../lib/model/step";
import {
  withBoundedTexts,
  fitStateToItem,
  fitRecordToItem,
  mostItemBytes,
} from "../../../lib/model/stored/fit-to-item";

/** What is shed is explanation, in this order: each case is too large until the step that its name says. */
const much = "x".repeat(mostItemBytes);
/** Kubernetes' limits are 32,768 and 1,024 bytes; 4 are left for "…". */
const [conditionLength, noteLength] = [32_764, 1_020];
const metricStep = (because: string): Step => ({ stage: "metric", replicas: 3, because });
const limitStep: Step = { stage: "bounds", replicas: 3, because: "max", limitedBy: "TooManyReplicas" };
const intent = (steps: readonly Step[]): Intent => ({
  ...{ from: 1, to: 3, at: 1, resourceVersion: "7", countsAsEvent: true, message: "up", scaledToZero: false, steps },
});
const { steps: _, ...bareIntent } = intent([]);
const condition = (message?: string) => ({
  ...{ type: "AbleToScale", status: "True" as const, reason: "R" },
  ...(message !== undefined && { message }),
});
const state: State = {
  ...{ version: 1, slot: 1, open: true, history: { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] } },
  status: { conditions: [condition("fine")], currentMetrics: [{ type: "External" }] },
  intent: intent([limitStep]),
  earlier: [intent([limitStep])],
  decision: { at: 1, from: 1, desiredReplicas: 3, steps: [metricStep("a"), limitStep] },
  warnings: [{ type: "Warning", reason: "R", message: "m" }],
  readings: { q: { at: 1, response: { items: [] } } as never },
};

test("a state that fits stays as it is", () => {
  expect(fitStateToItem(state)).toBe(state);
});

const withoutIntents = { intent: bareIntent, earlier: [bareIntent] };
const { readings: _readings, ...withoutReadings } = state;
const limitOnly = { decision: { at: 1, from: 1, desiredReplicas: 3, steps: [limitStep] } };

test.each<[string, Partial<State>, State]>([
  ["the steps of its intents", { intent: intent([metricStep(much)]) }, { ...state, ...withoutIntents }],
  ["the steps of older intents", { earlier: [intent([metricStep(much)])] }, { ...state, ...withoutIntents }],
  [
    "what each metric asked for",
    { decision: { at: 1, from: 1, desiredReplicas: 3, steps: [metricStep(much), limitStep] } },
    { ...state, ...withoutIntents, ...limitOnly },
  ],
  [
    "the values of its metrics",
    { status: { ...state.status, currentMetrics: [{ type: much }] } },
    { ...state, ...withoutIntents, ...limitOnly, status: { conditions: [condition("fine")] } },
  ],
  [
    "its readings",
    { readings: { q: { at: 1, response: { items: [much] } } as never } },
    { ...withoutReadings, ...withoutIntents, ...limitOnly, status: { conditions: [condition("fine")] } },
  ],
  [
    "the ends of its conditions' texts",
    { status: { conditions: [condition(), condition(much)] } },
    {
      ...{ ...withoutReadings, ...withoutIntents, ...limitOnly },
      status: { conditions: [condition(""), condition(`${"x".repeat(noteLength)}…`)] },
    },
  ],
])("a state that is too large loses %s", (_name, part, left) => {
  expect(fitStateToItem({ ...state, ...part })).toEqual(left);
});

test("a state without intents, decision and conditions is shed as well", () => {
  const bare: State = { version: 1, slot: 1, status: {}, history: null, open: true, selector: much };
  expect(fitStateToItem(bare)).toEqual(bare);
});

describe("a record that is too large", () => {
  const event = (message: string) => ({ type: "Normal", reason: "R", message }) as const;
  const record: DecisionRecord = {
    ...{ at: 1, from: 1, desiredReplicas: 3, scaleTo: 3, events: [event("up")], steps: [metricStep("a"), limitStep] },
  };

  test("loses what each metric asked for", () => {
    expect(fitRecordToItem(record)).toBe(record);
    expect(fitRecordToItem({ ...record, steps: [metricStep(much), limitStep] })).toEqual({
      ...record,
      steps: [limitStep],
    });
  });

  test("then all but ten events", () => {
    const events = Array.from({ length: 1_000 }, (_, index) => event(`${index} ${"x".repeat(1_000)}`));
    expect(fitRecordToItem({ ...record, events })).toEqual({
      ...record,
      steps: [limitStep],
      events: events.slice(0, 10),
    });
  });
});

test("a decision's texts are cut to what Kubernetes allows", () => {
  const long = "x".repeat(40_000);
  const named: Step = { ...metricStep(long), stage: "metric", detail: { name: long } } as Step;
  const gate: Step = { stage: "gate", replicas: 1, because: long };
  const decision = {
    ...{ desiredReplicas: 3, history: state.history, recommendation: null },
    status: { conditions: [condition(long), condition()] },
    events: [{ type: "Normal", reason: "R", message: long }],
    steps: [named, gate],
  } as unknown as Decision;
  const { status, events, steps } = withBoundedTexts(decision);
  const note = `${"x".repeat(noteLength)}…`;
  expect(status.conditions).toEqual([condition(`${"x".repeat(conditionLength)}…`), condition()]);
  expect(events).toEqual([{ type: "Normal", reason: "R", message: note }]);
  expect(steps).toEqual([
    { stage: "metric", replicas: 3, because: note, detail: { name: note } },
    { stage: "gate", replicas: 1, because: note },
  ]);
  expect(withBoundedTexts({ ...decision, status: {} }).status).toEqual({});
});
