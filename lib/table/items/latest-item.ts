import type { HpaKey } from "../../model/hpa-key";
import type { Latest, LatestValues } from "../../model/stored/latest";
import { latestData as schema } from "../../model/validators/items";
import type { ShardRange } from "../../model/stored/state";
import { type Item, toItem } from "./attributes";
import { expiresAtAttribute, latestKey } from "./keys";
import { pack } from "./packed";
import { type Asked, unpack } from "./unpack";
import type { EpochMs } from "../../k8s/time";

/** An item that no slot writes any more is of a shard that is gone. */
export const keptMs = 24 * 60 * 60 * 1000;

/** The HPAs that show most are left out until the rest fits. */
export function encodeLatest(shard: Pick<ShardRange, "cluster" | "from">, latest: Latest, now: EpochMs): Item {
  const expiresAt = Math.ceil((now + keptMs) / 1000);
  return { ...toItem({ ...latestKey(shard), [expiresAtAttribute]: expiresAt }), ...pack(latest) };
}

/** Undefined: it cannot be read. */
export function decodeLatest(item: Item, asked: Asked): readonly (readonly [HpaKey, LatestValues])[] | undefined {
  return unpack<LatestValues>(item, schema, asked);
}
