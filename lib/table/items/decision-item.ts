import type { HpaKey } from "../../model/hpa-key";
import type { EpochMs } from "../../k8s/time";
import type { DecisionRecord } from "../../model/stored/state";
import { decisionItem as schema } from "../../model/validators/items";
import { fromItem, type Item, toItem } from "./attributes";
import { type DecodedItem, decodedItem } from "./decoded-item";
import { decisionKey, expiresAtAttribute } from "./keys";

export interface DecisionKey {
  readonly cluster: string;
  /** "namespace/name" */
  readonly key: HpaKey;
  readonly expiresAt: EpochMs;
}

export function encodeDecision(record: DecisionRecord, { cluster, key, expiresAt }: DecisionKey): Item {
  const expiry = { [expiresAtAttribute]: Math.ceil(expiresAt / 1000) };
  return toItem({ ...decisionKey(cluster, key, record.at), ...record, ...expiry });
}

export function decodeDecision(item: Item): DecodedItem<DecisionRecord> {
  const { pk: _pk, sk: _sk, [expiresAtAttribute]: _expiresAt, ...attributes } = fromItem(item);
  return decodedItem(schema, attributes);
}
