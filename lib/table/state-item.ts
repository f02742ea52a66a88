import type { State } from "../core/state";
import { fromItem, type Item, toItem } from "./attributes";
import { anything, type Check, fields, flag, listOf, mapOf, orNull, text, that, wholeNumber } from "./checks";
import { stateKey } from "./schema";

/** A STATE item's data, or why it cannot be read. */
export type DecodedState = { readonly value: State } | { readonly broken: string };

/** Attributes have the names of lib/core's State: moments are epoch ms, the status is as the Kubernetes API has it. */
export function encodeState(cluster: string, key: string, state: State): Item {
  return toItem({ ...stateKey(cluster, key), ...state });
}

export function decodeState(item: Item): DecodedState {
  const { pk: _pk, sk: _sk, writeToken: _writeToken, ...attributes } = fromItem(item);
  const broken = stateForm(attributes, "");
  return broken === undefined ? { value: attributes as unknown as State } : { broken };
}

const count = that("a whole number, 0 or more", (value) => Number.isSafeInteger(value) && (value as number) >= 0);
const moment: Check = (value, at) => wholeNumber(value, at);

const condition = fields(
  {
    type: text,
    status: that("True, False or Unknown", (value) => ["True", "False", "Unknown"].includes(String(value))),
  },
  { reason: text, message: text, lastTransitionTime: text },
);

const status = fields(
  {},
  {
    observedGeneration: wholeNumber,
    lastScaleTime: text,
    currentReplicas: count,
    desiredReplicas: count,
    currentMetrics: orNull(listOf(fields({ type: text }))),
    conditions: listOf(condition),
  },
);

const run = fields({ replicas: count, since: moment, at: moment });
const scaleEvent = fields({ change: count, at: moment });

const history = fields({
  recommendations: listOf(run),
  scaleUpEvents: listOf(scaleEvent),
  scaleDownEvents: listOf(scaleEvent),
});

const intent = fields({
  from: count,
  to: count,
  at: moment,
  resourceVersion: text,
  countsAsEvent: flag,
  message: text,
  scaledToZero: flag,
});

const reading = fields({ response: fields({}, { items: listOf(anything), error: text }), readAt: moment });

const stateForm = fields(
  {
    version: that("a whole number, 1 or more", (value) => Number.isSafeInteger(value) && (value as number) >= 1),
    slot: moment,
    status,
    history: orNull(history),
    open: flag,
  },
  { targetUid: text, intent, readings: mapOf(reading) },
);
