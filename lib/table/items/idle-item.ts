import type { EpochMs } from "../../k8s/time";
import type { HpaKey } from "../../model/hpa-key";
import type { Idle, IdleHpa } from "../../model/stored/idle";
import type { ShardRange } from "../../model/stored/state";
import { idleData as schema } from "../../model/validators/items";
import { type Item, toItem } from "./attributes";
import { expiresAtAttribute, idleKey } from "./keys";
import { lifetimeMs } from "./latest-item";
import { pack } from "./packed";
import { type UnpackOptions, unpack } from "./unpack";

/** If it does not fit, the HPAs that need more than their shares are left out: their slots wake them. */
export function encodeIdle(
  shard: Pick<ShardRange, "cluster" | "from">,
  idle: Idle,
  now: EpochMs,
): { readonly item: Item; readonly leftOut: readonly HpaKey[] } {
  const expiresAt = Math.ceil((now + lifetimeMs) / 1000);
  const { packed, leftOut } = pack(idle);
  return { item: { ...toItem({ ...idleKey(shard), [expiresAtAttribute]: expiresAt }), ...packed }, leftOut };
}

/** Undefined: it cannot be read. */
export function decodeIdle(item: Item, options: UnpackOptions): readonly (readonly [HpaKey, IdleHpa])[] | undefined {
  return unpack<IdleHpa>(item, schema, options);
}
