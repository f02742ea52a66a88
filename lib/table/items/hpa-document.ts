import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import { isMap } from "../../model/check-schema";
import { fromItem, type Item, textOf } from "./attributes";
import { expiresAtAttribute, hpaPrefix } from "./keys";

/**
 * An HPA as it stands in the table, in the form of a Kubernetes document; whether it is a valid one is for lib/api to
 * say.
 */
export interface HpaDocument {
  /** "namespace/name", as in the sort key. */
  readonly key: HpaKey;
  readonly document: unknown;
}

/**
 * The item without its keys. What an entry leaves out because the key or the table says it already is filled in:
 * apiVersion and kind (an entry is autoscaling/v2 unless it says otherwise), metadata.name and metadata.namespace.
 */
export function decodeHpaItem(item: Item): HpaDocument {
  const { pk: _pk, sk, [expiresAtAttribute]: _expiresAt, writeToken: _writeToken, ...attributes } = fromItem(item);
  const key = asHpaKey(textOf(sk).slice(hpaPrefix.length));
  const { metadata = {} } = attributes;
  return {
    key,
    document: {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      ...attributes,
      metadata: isMap(metadata) ? { ...identityIn(key), ...metadata } : metadata,
    },
  };
}

/** Nothing for a key that is not namespace/name: what is missing then is found missing by validation. */
function identityIn(key: HpaKey): { readonly namespace?: string; readonly name?: string } {
  const [namespace, name, ...rest] = key.split("/");
  return namespace && name && rest.length === 0 ? { namespace, name } : {};
}
