import type { HpaKey } from "../../model/hpa-key";
import type { State } from "../../model/state";
import { stateItem as schema } from "../../model/validators/items";
import { fromItem, type Item, toItem } from "./attributes";
import { type DecodedItem, decodedItem } from "./decoded-item";
import { stateKey } from "./keys";

/** Attributes have the names of State's members. Moments are epoch ms; the status has the Kubernetes API's form. */
export function encodeState(cluster: string, key: HpaKey, state: State): Item {
  return toItem({ ...stateKey(cluster, key), ...state });
}

export function decodeState(item: Item): DecodedItem<State> {
  const { pk: _pk, sk: _sk, writeToken: _writeToken, ...attributes } = fromItem(item);
  return decodedItem(schema, attributes);
}
