import type { HpaKey } from "../../model/hpa-key";
import type { State, DecisionRecord } from "../../model/stored/state";
import { stateItem, decisionItem, eventsItem } from "../../model/validators/items";
import { fromItem, type Item, toItem, itemFormat, unknownFormat, type DecodedItem, decodedItem } from "./attributes";
import { stateKey, decisionKey, expiresAtAttribute, eventsKey } from "./keys";
import type { EpochMs } from "../../k8s/time";
import { type EventLog, forgottenAfterMs } from "../../model/stored/event-log";
import type { StoredEvents } from "../../model/ports/store";

/** Moments are epoch ms; the status has the Kubernetes API's form. */
export function encodeState(cluster: string, key: HpaKey, state: State): Item {
  return toItem({ ...stateKey(cluster, key), format: itemFormat, ...state });
}

export function decodeState(item: Item): DecodedItem<State> {
  const { pk: _pk, sk: _sk, writeToken: _writeToken, format, ...attributes } = fromItem(item);
  return unknownFormat(format) ?? decodedItem(stateItem, attributes);
}

interface DecisionKey {
  readonly cluster: string;
  readonly key: HpaKey;
  readonly expiresAt: EpochMs;
}

export function encodeDecision(record: DecisionRecord, { cluster, key, expiresAt }: DecisionKey): Item {
  const expiry = { [expiresAtAttribute]: Math.ceil(expiresAt / 1000) };
  return toItem({ ...decisionKey(cluster, key, record.at), ...record, ...expiry });
}

export function decodeDecision(item: Item): DecodedItem<DecisionRecord> {
  const { pk: _pk, sk: _sk, [expiresAtAttribute]: _expiresAt, ...attributes } = fromItem(item);
  return decodedItem(decisionItem, attributes);
}

/** Expires when its last event is too old to have any effect. */
export function encodeEvents(cluster: string, key: HpaKey, { version, log }: StoredEvents): Item {
  const lastSeen = Math.max(0, ...log.entries.map(({ seenAt }) => seenAt));
  const expiresAt = Math.ceil((lastSeen + forgottenAfterMs) / 1000);
  return toItem({ ...eventsKey(cluster, key), version, ...log, [expiresAtAttribute]: expiresAt });
}

export function decodeEvents(item: Item): DecodedItem<StoredEvents> {
  const decoded = decodedItem<EventLog & { readonly version: number }>(eventsItem, fromItem(item));
  if ("broken" in decoded) return decoded;
  const { version, entries, groups, buckets } = decoded.value;
  return { value: { version, log: { entries, groups, buckets } } };
}
