import { version as release } from "../../../package.json";
import { isMap } from "../../k8s/map";
import { problemText, unexpected } from "../../model/check/problem";
import type { EpochMs } from "../../k8s/time";
import type { Shard } from "../../model/stored/shard";
import { shardItem, leaseItem } from "../../model/validators/items";
import { fromItem, type Item, toItem, itemFormat, unknownFormat, type DecodedItem, decodedItem } from "./attributes";
import { shardKey, leaseKey } from "./keys";
import type { PollerLease } from "../../model/stored/idle";

/** `writtenBy` is for people. */
export function encodeShard(shard: Shard): Item {
  const writtenBy = { release, version: shard.version };
  return toItem({ ...shardKey(shard), format: itemFormat, ...shard, writtenBy });
}

export interface ShardWriter {
  readonly cluster: string;
  readonly heartbeat: EpochMs;
  /** Undefined: a version of ebb that does not record it. */
  readonly release: string | undefined;
}

/**
 * An older ebb keeps the record of the writer before it, so a record counts only for the item's version that it names.
 * Undefined: unreadable.
 */
export function shardWriter(item: Item): ShardWriter | undefined {
  const { cluster, heartbeat, version, writtenBy } = fromItem(item);
  if (typeof cluster !== "string" || typeof heartbeat !== "number") return undefined;
  const given = isMap(writtenBy) && writtenBy["version"] === version ? writtenBy["release"] : undefined;
  return { cluster, heartbeat, release: typeof given === "string" ? given : undefined };
}

export function decodeShard(item: Item): DecodedItem<Shard> {
  const { pk: _pk, sk, writeToken: _writeToken, writtenBy: _writtenBy, format, ...attributes } = fromItem(item);
  const shard = unknownFormat(format) ?? decodedItem<Shard>(shardItem, attributes);
  if ("broken" in shard) return shard;
  const { sk: expected } = shardKey(shard.value);
  return sk === expected ? shard : { broken: problemText(unexpected(["sk"], JSON.stringify(expected), sk)) };
}

export function encodeLease(lease: PollerLease): Item {
  return toItem({ ...leaseKey, ...lease });
}

/** Undefined: unreadable; the next poller replaces it. */
export function decodeLease(item: Item): PollerLease | undefined {
  const { pk: _pk, sk: _sk, writeToken: _writeToken, ...attributes } = fromItem(item);
  const lease = decodedItem<PollerLease>(leaseItem, attributes);
  return "value" in lease ? lease.value : undefined;
}
