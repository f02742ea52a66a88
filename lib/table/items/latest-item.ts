import type { HpaKey } from "../../model/hpa-key";
import type { Latest, LatestValues } from "../../model/stored/latest";
import { latestData as schema } from "../../model/validators/items";
import type { ShardRange } from "../../model/stored/state";
import { type Item, toItem } from "./attributes";
import { cutLatest } from "./cut-latest";
import { expiresAtAttribute, latestKey } from "./keys";
import { pack } from "./packed";
import { type UnpackOptions, unpack } from "./unpack";
import type { EpochMs } from "../../k8s/time";

/** An item that no slot writes any more is of a shard that is gone. */
export const lifetimeMs = 24 * 60 * 60 * 1000;

/** If it does not fit, the HPAs that show more than their shares show less of it. */
export function encodeLatest(shard: Pick<ShardRange, "cluster" | "from">, latest: Latest, now: EpochMs): Item {
  const expiresAt = Math.ceil((now + lifetimeMs) / 1000);
  return { ...toItem({ ...latestKey(shard), [expiresAtAttribute]: expiresAt }), ...pack(latest, cutLatest) };
}

/** Undefined: it cannot be read. */
export function decodeLatest(
  item: Item,
  options: UnpackOptions,
): readonly (readonly [HpaKey, LatestValues])[] | undefined {
  return unpack<LatestValues>(item, schema, options);
}
