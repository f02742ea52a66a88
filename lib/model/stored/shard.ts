import { Type } from "typebox";
import type { TypeOf } from "../../k8s/schema/fields";
import { count, filled, mapOf, moment, orNull, text } from "../schema/item-fields";
import { IdleRef } from "./idle";

const ShardRange = Type.Object({ cluster: filled, from: text, to: orNull(text) });
/** From `from` (inclusive) to `to` (exclusive; null is the end). */
export type ShardRange = TypeOf<typeof ShardRange>;

const OwnPeriods = Type.Object({
  heartbeat: moment,
  /** By class: the last finished sync in which it was due. */
  seen: mapOf(moment),
});
export type OwnPeriods = TypeOf<typeof OwnPeriods>;

const IndexRef = Type.Object({ hash: filled, range: count, at: moment });
export type IndexRef = TypeOf<typeof IndexRef>;

/**
 * Hashes of the queue, and of queue and HPA key, since the index may name the queue for others only; and the end of the
 * slot that found it.
 */
export type MissingQueue = readonly [queue: number, pair: number, until: number];

/** A SHARD item's record of its INDEX item. docs/decisions/0079-the-index-of-a-shard.md */
const IndexRecord = Type.Object({
  version: count,
  /** Every writer since this version has kept the record. */
  since: count,
  /** Absent: do not use the item. */
  mark: Type.Optional(IndexRef),
  /** Queues of HPAs that changed since: looked up among the entries. */
  lacks: Type.Optional(Type.Array(Type.Unsafe<MissingQueue>(Type.Array(count)))),
});
export type IndexRecord = TypeOf<typeof IndexRecord>;

/** A wake or an unanswered write may change these. Loads until `until` may meet the change. */
const Unsettled = Type.Object({
  until: moment,
  /** Hashes. Absent: any state. */
  keys: Type.Optional(Type.Array(count)),
});
export type Unsettled = TypeOf<typeof Unsettled>;

/** Knowledge of the last finished sync. docs/protocol.md */
const Confirmed = Type.Object({
  version: count,
  /** Loads before this moment may be outdated. */
  changed: moment,
  /** A sum over keys and versions, without unsettled states. */
  states: count,
  unsettled: Type.Optional(Type.Array(Unsettled)),
});
export type Confirmed = TypeOf<typeof Confirmed>;

const HistoryRef = Type.Object({ from: text, slot: moment });
export type HistoryRef = TypeOf<typeof HistoryRef>;

/** docs/decisions/0098-a-history.md */
const HistoryRecord = Type.Object({
  /** Two after a merge. Only minutes that they lead to count. */
  last: Type.Array(HistoryRef),
  /** Absent: the next rows are written in any case. */
  hash: Type.Optional(text),
  roster: Type.Optional(Type.Object({ hash: text, at: moment })),
  /** Minutes before it are in blocks. */
  packed: moment,
  /** The last slot that looked: an older ebb keeps the record and does not look. */
  seen: moment,
  /** Since this slot, writes failed. */
  lost: Type.Optional(moment),
});
export type HistoryRecord = TypeOf<typeof HistoryRecord>;

/** By series: docs/decisions/0100-counters-of-a-shard.md */
const Counters = Type.Object({
  totals: mapOf(count),
  /** The sum in ms, the first bucket, and the counts from there on. */
  times: mapOf(Type.Array(count)),
});
export type Counters = TypeOf<typeof Counters>;

export const Shard = Type.Object({
  ...ShardRange.properties,
  version: count,
  /** The last finished slot. It only grows. */
  slot: moment,
  /** When the last finished sync began. It observed every open span. */
  heartbeat: moment,
  /** Lagging HPAs, which go first, with their last observations. */
  behind: mapOf(moment),
  ownPeriods: Type.Optional(OwnPeriods),
  /** In seconds. The tick wakes them between slots. */
  shorterPeriods: Type.Optional(mapOf(count)),
  /** Why no HPA was synced (a bad cluster entry, a clock that went back). */
  failure: Type.Optional(text),
  /** The slot that wrote the LATEST item; absent: empty. */
  latest: Type.Optional(moment),
  idle: Type.Optional(IdleRef),
  index: Type.Optional(IndexRecord),
  history: Type.Optional(HistoryRecord),
  counters: Type.Optional(Counters),
  /** The tick splits and merges shards by this. */
  entries: count,
  /** Mean of the last syncs, without waiting. */
  workedMs: Type.Optional(count),
  /** Metric queries of the last sync, each HPA at most its share of a smallest shard. */
  queries: Type.Optional(count),
  /** The size of this item, if too large for a slot to finish. */
  itemBytes: Type.Optional(count),
  /** lib/sync/slot/count-failing.ts */
  failing: Type.Optional(count),
  /** The states that the heartbeat is about: confirmed.ts */
  confirmed: Type.Optional(Confirmed),
});
export type Shard = TypeOf<typeof Shard>;
