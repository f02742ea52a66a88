import { isMap } from "../k8s/map";
import { asHpaKey, type HpaName } from "../model/hpa-key";
import type { HpaRef } from "../model/ports/notified";
import type { State } from "../model/stored/state";
import { isDeepStrictEqual } from "node:util";
import { fromItem, type Item, textOf } from "./items/attributes";
import { decodeHpaItem } from "./items/hpa-document";
import { decodeState } from "./items/hpa-items";
import { clusterPrefix, hpaPrefix, statePrefix } from "./items/keys";

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

export interface ChangedState {
  readonly hpa: HpaRef;
  /** Undefined: none, or unreadable. */
  readonly before: State | undefined;
  /** Undefined: deleted. */
  readonly after: State | undefined;
}

/** Undefined: another item. `broken`: the new state cannot be read. */
export function changedState({
  dynamodb,
}: EntryRecord): ChangedState | { readonly hpa: HpaRef; readonly broken: string } | undefined {
  const { Keys, OldImage, NewImage } = dynamodb ?? {};
  const { pk, sk } = isMap(Keys) ? fromItem(Keys as Item) : {};
  const [partition, sort] = [textOf(pk), textOf(sk)];
  if (!partition.startsWith(clusterPrefix) || !sort.startsWith(statePrefix)) return undefined;
  const cluster = partition.slice(clusterPrefix.length);
  const hpa = { cluster, key: asHpaKey(sort.slice(statePrefix.length)) };
  const [before, after] = [OldImage, NewImage].map((image) => (isMap(image) ? decodeState(image as Item) : undefined));
  if (after !== undefined && "broken" in after) return { hpa, broken: after.broken };
  const known = before !== undefined && "value" in before ? before.value : undefined;
  return { hpa, before: known, after: after?.value };
}
