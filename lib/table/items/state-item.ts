import type { HpaKey } from "../../model/hpa-key";
import type { State } from "../../model/stored/state";
import { stateItem as schema } from "../../model/validators/items";
import { fromItem, type Item, toItem } from "./attributes";
import { type DecodedItem, decodedItem } from "./decoded-item";
import { itemFormat, unknownFormat } from "./format";
import { stateKey } from "./keys";

/** Attributes have the names of State's members. Moments are epoch ms; the status has the Kubernetes API's form. */
export function encodeState(cluster: string, key: HpaKey, state: State): Item {
  return toItem({ ...stateKey(cluster, key), format: itemFormat, ...state });
}

export function decodeState(item: Item): DecodedItem<State> {
  const { pk: _pk, sk: _sk, writeToken: _writeToken, format, ...attributes } = fromItem(item);
  return unknownFormat(format) ?? decodedItem(schema, attributes);
}
