import { isMap } from "../k8s/map";
import type { HpaName } from "../model/hpa-key";
import { isDeepStrictEqual } from "node:util";
import { fromItem, type Item } from "./items/attributes";
import { decodeHpaItem } from "./items/hpa-document";
import { clusterPrefix, hpaPrefix } from "./items/keys";

/** Images are items with their keys. A deletion has no new image. */
export interface EntryRecord {
  readonly dynamodb?: { readonly Keys?: unknown; readonly OldImage?: unknown; readonly NewImage?: unknown } | undefined;
}

/** An HPA that was created, deleted, or changed in its spec or annotations. Undefined for any other change or item. */
export function changedHpa({ dynamodb }: EntryRecord): HpaName | undefined {
  const { Keys, OldImage, NewImage } = dynamodb ?? {};
  const named = isMap(Keys) ? nameIn(fromItem(Keys as Item)) : undefined;
  if (named === undefined || isDeepStrictEqual(whatCounts(OldImage), whatCounts(NewImage))) return undefined;
  return named;
}

/** undefined for any other item's keys, and for keys that no HPA can have. */
function nameIn({ pk, sk }: Record<string, unknown>): HpaName | undefined {
  if (typeof pk !== "string" || typeof sk !== "string") return undefined;
  const cluster = pk.startsWith(clusterPrefix) ? pk.slice(clusterPrefix.length) : "";
  const [namespace, name, ...rest] = sk.startsWith(hpaPrefix) ? sk.slice(hpaPrefix.length).split("/") : [];
  return cluster && namespace && name && rest.length === 0 ? { cluster, namespace, name } : undefined;
}

function whatCounts(image: unknown): unknown {
  if (!isMap(image)) return undefined;
  const { apiVersion, kind, spec, metadata } = decodeHpaItem(image as Item).document as Record<string, unknown>;
  if (!isMap(metadata)) return { apiVersion, kind, spec, metadata };
  const { name, namespace, annotations = {} } = metadata;
  return { apiVersion, kind, spec, name, namespace, annotations };
}
