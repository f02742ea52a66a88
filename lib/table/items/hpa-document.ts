import { isMap } from "../../k8s/map";
import { limits, OversizeDocument } from "../../model/entry/limits";
import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import { fromItem, type Item, textOf } from "./attributes";
import { itemBytes } from "../item-size";
import { expiresAtAttribute, hpaPrefix } from "./keys";

/**
 * An HPA as it is in the table, in the form of a Kubernetes document. It is not validated: lib/k8s does that.
 */
export interface HpaDocument {
  /** "namespace/name", as in the sort key. */
  readonly key: HpaKey;
  readonly document: unknown;
}

/**
 * The item without its keys. Fields that the key or the table implies are filled in if the entry lacks them: apiVersion
 * and kind (autoscaling/v2 by default), metadata.name and metadata.namespace.
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

/**
 * One of a shard's HPAs. A document far above the limit is not kept: a thousand of them are 400 MB. Validation counts
 * the decoded document, which may take a little less than the item, and refuses the others.
 */
export function decodeListedHpa(item: Item): HpaDocument {
  const bytes = itemBytes(item);
  const decoded = decodeHpaItem(item);
  if (bytes <= 2 * limits.documentBytes) return decoded;
  return { key: decoded.key, document: OversizeDocument.of(decoded.document, bytes) };
}

/** Empty for a key that is not namespace/name: validation then reports the missing fields. */
function identityIn(key: HpaKey): { readonly namespace?: string; readonly name?: string } {
  const [namespace, name, ...rest] = key.split("/");
  return namespace && name && rest.length === 0 ? { namespace, name } : {};
}
