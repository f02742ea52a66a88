import type { HpaStatus } from "../../k8s/hpa";
import type { Condition } from "../../k8s/objects";
import type { History, Run, ScaleEvent } from "../../model/situation";
import type { Explained, Intent, Reading, Recorded, State, Wake } from "../../model/state";
import { fromItem, type Item, toItem } from "./attributes";
import { anything, count, fields, flag, listOf, mapOf, membersOf, orNull, text, that, wholeNumber } from "./checks";
import { eventForm, stepsForm } from "./decision-item";
import { stateKey } from "./keys";

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

const moment = wholeNumber;

const condition = membersOf<Condition>(
  {
    type: text,
    status: that("True, False or Unknown", (value) => ["True", "False", "Unknown"].includes(String(value))),
  },
  { reason: text, message: text, lastTransitionTime: text },
);

const status = membersOf<HpaStatus>(
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

const scaleEvent = membersOf<ScaleEvent>({ change: count, at: moment }, { foundAt: moment });

const history = membersOf<History>(
  {
    recommendations: listOf(membersOf<Run>({ replicas: count, since: moment, at: moment }, {})),
    scaleUpEvents: listOf(scaleEvent),
    scaleDownEvents: listOf(scaleEvent),
  },
  {},
);

const intent = membersOf<Intent>(
  {
    from: count,
    to: count,
    at: moment,
    resourceVersion: text,
    countsAsEvent: flag,
    message: text,
    scaledToZero: flag,
  },
  { steps: stepsForm },
);

const explained = membersOf<Explained>(
  { at: moment, from: orNull(count), desiredReplicas: count, steps: stepsForm },
  {},
);

const recorded = membersOf<Recorded>({ at: moment, desiredReplicas: count, limitedBy: listOf(text) }, {});

const reading = membersOf<Reading>(
  { response: fields({}, { items: listOf(anything), error: text }), readAt: moment },
  {},
);

const stateForm = membersOf<State>(
  {
    version: that("a whole number, 1 or more", (value) => Number.isSafeInteger(value) && (value as number) >= 1),
    slot: moment,
    status,
    history: orNull(history),
    open: flag,
  },
  {
    wake: membersOf<Wake>({ at: moment, done: flag }, {}),
    targetUid: text,
    intent,
    earlier: listOf(intent),
    selector: text,
    decision: explained,
    recorded,
    warnings: listOf(eventForm),
    readings: mapOf(reading),
  },
);
