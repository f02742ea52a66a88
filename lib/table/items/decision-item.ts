import { Fault } from "../../model/fault";
import type { HpaEvent } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { DecisionRecord } from "../../model/state";
import { fromItem, type Item, toItem } from "./attributes";
import { type Check, count, fields, flag, listOf, membersOf, orNull, text, wholeNumber } from "./checks";
import { decisionKey, expiresAtAttribute } from "./keys";

export interface DecisionPlace {
  readonly cluster: string;
  /** "namespace/name" */
  readonly key: string;
  readonly expiresAt: EpochMs;
}

export function encodeDecision(record: DecisionRecord, { cluster, key, expiresAt }: DecisionPlace): Item {
  const expiry = { [expiresAtAttribute]: Math.ceil(expiresAt / 1000) };
  return toItem({ ...decisionKey(cluster, key, record.at), ...record, ...expiry });
}

/** @throws Fault badEntry for an item that is no decision. */
export function decodeDecision(item: Item): DecisionRecord {
  const { pk, sk, [expiresAtAttribute]: _expiresAt, ...attributes } = fromItem(item);
  const broken = recordForm(attributes, "");
  if (broken === undefined) return attributes as unknown as DecisionRecord;
  throw new Fault("badEntry", `${String(pk)} ${String(sk)}: ${broken}: delete the item`);
}

/** What is in a step's detail is the reader's to tell: an older version may have written less. */
export const stepsForm: Check = listOf(
  fields({ stage: text, replicas: orNull(wholeNumber), because: text }, { limitedBy: text, detail: fields({}) }),
);

export const eventForm: Check = membersOf<HpaEvent>({ type: text, reason: text, message: text }, {});

const recordForm = membersOf<DecisionRecord>(
  {
    at: wholeNumber,
    from: orNull(count),
    scaleTo: orNull(count),
    desiredReplicas: count,
    events: listOf(eventForm),
    steps: stepsForm,
  },
  { dryRun: flag },
);
