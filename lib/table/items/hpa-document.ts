import { isMap } from "../../k8s/map";
import { RefusedDocument, sizeErrors } from "../../model/entry/limits";
import { asHpaKey, type HpaKey } from "../../model/hpa-key";
import { measure, type Size } from "../../model/size";
import { fromItem, type Item, textOf } from "./attributes";
import { expiresAtAttribute, hpaPrefix } from "./keys";

/** Not validated. */
export interface HpaDocument {
  readonly key: HpaKey;
  readonly document: unknown;
}

/**
 * Fills in what the entry lacks: apiVersion and kind (autoscaling/v2 by default), metadata.name and metadata.namespace.
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

/** A document above the limit is not kept: a thousand of them are 400 MB. */
export function decodeListedHpa(item: Item): HpaDocument & { readonly size: Size } {
  const { key, document } = decodeHpaItem(item);
  const size = measure(document);
  const errors = sizeErrors(document, size.bytes);
  if (errors.length === 0) return { key, document, size };
  return { key, document: new RefusedDocument(errors), size: { ...size, memory: 0 } };
}

/** Empty for a malformed key: validation then reports the missing fields. */
function identityIn(key: HpaKey): { readonly namespace?: string; readonly name?: string } {
  const [namespace, name, ...rest] = key.split("/");
  return namespace && name && rest.length === 0 ? { namespace, name } : {};
}
