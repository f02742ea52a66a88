import type { State } from "../../lib/model/stored/state";
import { toItem } from "../../lib/table/items/attributes";
import { decodeState, encodeState } from "../../lib/table/items/hpa-items";

const at = Date.parse("2026-03-01T12:00:00Z");
const run = { replicas: 1, since: at, at };
const state: State = {
  version: 3,
  slot: at,
  status: { desiredReplicas: 1, conditions: [{ type: "AbleToScale", status: "True" }] },
  history: { recommendations: [run], scaleUpEvents: [], scaleDownEvents: [] },
  open: true,
};
const intent = {
  from: 0,
  to: 4,
  at,
  resourceVersion: "1",
  countsAsEvent: true,
  message: "New size: 4",
  scaledToZero: false,
};

const decode = (changed: object) => decodeState(toItem({ pk: "CLUSTER#prod", sk: "STATE#a/b", ...state, ...changed }));

test("a state is stored under its key and comes back", () => {
  const item = encodeState("prod", "shop/worker", state);
  expect({ pk: item.pk, sk: item.sk }).toEqual({ pk: { S: "CLUSTER#prod" }, sk: { S: "STATE#shop/worker" } });
  expect(decodeState(item)).toEqual({ value: state });
});

test("what a newer version adds is kept", () => {
  expect(decode({ added: { later: 1 } })).toEqual({ value: { ...state, added: { later: 1 } } });
});

test.each<[string, object, string]>([
  ["no version", { version: undefined }, "version: expected a whole number, 1 or more, got nothing"],
  ["version 0, which is never written", { version: 0 }, "version: expected a whole number, 1 or more, got 0"],
  ["a slot as text", { slot: "2026" }, 'slot: expected a whole number, got "2026"'],
  ["a status that is a list", { status: [] }, "status: expected a map, got []"],
  [
    "replicas below zero",
    { status: { desiredReplicas: -1 } },
    "status.desiredReplicas: expected a whole number, 0 or more, got -1",
  ],
  [
    "a condition's status",
    { status: { conditions: [{ type: "AbleToScale", status: true }] } },
    "status.conditions[0].status: expected True, False or Unknown, got true",
  ],
  [
    "a metric without a type",
    { status: { currentMetrics: [{}] } },
    "status.currentMetrics[0].type: expected text, got nothing",
  ],
  [
    "a metric without its value",
    { status: { currentMetrics: [{ type: "External", external: { metric: { name: "queue" } } }] } },
    "status.currentMetrics[0].external.current: expected a map, got nothing",
  ],
  ["no history", { history: undefined }, "history: expected a map, got nothing"],
  [
    "a run without its last sighting",
    { history: { ...state.history, recommendations: [run, { replicas: 1, since: at }] } },
    "history.recommendations[1].at: expected a whole number, got nothing",
  ],
  [
    "scale events as a map",
    { history: { ...state.history, scaleUpEvents: {} } },
    "history.scaleUpEvents: expected a list, got {}",
  ],
  [
    "a scale event that was found at no moment",
    { history: { ...state.history, scaleUpEvents: [{ change: 1, at, foundAt: "12:00" }] } },
    'history.scaleUpEvents[0].foundAt: expected a whole number, got "12:00"',
  ],
  ["open as text", { open: "true" }, 'open: expected true or false, got "true"'],
  [
    "an intent without the scale's version",
    { intent: { ...intent, resourceVersion: undefined } },
    "intent.resourceVersion: expected text, got nothing",
  ],
  [
    "a reading without its moment",
    { readings: { "sqs {}": { response: { items: [] } } } },
    'readings["sqs {}"].readAt: expected a whole number, got nothing',
  ],
  [
    "a reading of nothing",
    { readings: { "sqs {}": { response: { items: [null] }, readAt: at } } },
    'readings["sqs {}"].response.items[0]: expected a map, got null',
  ],
])("%s is broken, and says where", (_name, changed, broken) => {
  expect(decode(changed)).toEqual({ broken });
});
