import { isDeepStrictEqual } from "node:util";
import { isMap } from "../model/check-schema";
import { fromItem, type Item } from "./items/attributes";
import { decodeHpaItem } from "./items/hpa-document";
import { clusterPrefix, hpaPrefix } from "./items/keys";

/**
 * Of a record of the table's stream, what is looked at here. Images are items with their keys; a deletion has no new
 * one.
 */
export interface EntryRecord {
  readonly dynamodb?: { readonly Keys?: unknown; readonly OldImage?: unknown; readonly NewImage?: unknown } | undefined;
}

export interface HpaName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The HPA whose entry was created or deleted, or changed in what a sync goes by: its spec or its annotations, however
 * it was written. Not one whose labels, status or bookkeeping changed, nor any other item.
 */
export function changedHpa({ dynamodb }: EntryRecord): HpaName | undefined {
  const { Keys, OldImage, NewImage } = dynamodb ?? {};
  const named = isMap(Keys) ? nameIn(fromItem(Keys as Item)) : undefined;
  if (named === undefined || isDeepStrictEqual(whatCounts(OldImage), whatCounts(NewImage))) return undefined;
  return named;
}

/** Undefined for keys of anything else, and for those that no HPA can have. */
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
