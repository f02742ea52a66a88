import { Type } from "typebox";
import type { TypeOf } from "../../k8s/schema/fields";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import { Activity } from "../activity";
import { History, type HpaEvent } from "../situation";
import { count, flag, mapOf, moment, onlyTrue, orNull, text, whole } from "../schema/item-fields";
import { MetricMemory } from "../schema/metric-rules";
import { StoredStatus } from "../schema/status";
import type { Step } from "../step";

/** The reader checks a step's detail: an older version may have written less. */
const Steps = Type.Array(
  Type.Unsafe<Step>(
    Type.Object({
      stage: text,
      replicas: orNull(whole),
      because: text,
      limitedBy: Type.Optional(text),
      detail: Type.Optional(Type.Object({})),
    }),
  ),
);

const HpaEvents = Type.Array(Type.Unsafe<HpaEvent>(Type.Object({ type: text, reason: text, message: text })));

const Wake = Type.Object({
  at: moment,
  /** false: no result yet. */
  done: flag,
});
export type Wake = TypeOf<typeof Wake>;

const Intent = Type.Object({
  from: count,
  to: count,
  at: moment,
  /** While the scale has it, the write can still be applied. */
  resourceVersion: text,
  /** With `behavior`, an applied scale counts in the rate limits. */
  countsAsEvent: flag,
  /** The event's message ("New size: 4; reason: …"). */
  message: text,
  scaledToZero: flag,
  steps: Type.Optional(Steps),
});
export type Intent = TypeOf<typeof Intent>;

/** Sizes that may still be applied. None is zero. */
const IntentSizes = Type.Object({ least: count, most: count, countsAsEvent: flag });
export type IntentSizes = TypeOf<typeof IntentSizes>;

const explained = {
  at: moment,
  /** null: the scale was not read. */
  from: orNull(count),
  desiredReplicas: count,
  steps: Steps,
  /** The entry's metadata.generation. */
  generation: Type.Optional(whole),
};
const Explained = Type.Object(explained);
export type Explained = TypeOf<typeof Explained>;

/**
 * The table's DECISION item: scalings, and changes of what limits the size; in a dry run, also of the wanted and the
 * found size.
 */
export const DecisionRecord = Type.Object({
  ...explained,
  /** null: nothing was written. */
  scaleTo: orNull(count),
  events: HpaEvents,
  dryRun: Type.Optional(onlyTrue),
});
export type DecisionRecord = TypeOf<typeof DecisionRecord>;

const Recorded = Type.Object({
  at: moment,
  desiredReplicas: count,
  limitedBy: Type.Array(text),
  /** The size that a dry run found. */
  found: Type.Optional(count),
  /** lib/sync/hpa/decision-recording.ts */
  paidUntil: Type.Optional(moment),
});
export type Recorded = TypeOf<typeof Recorded>;

const CommittedOffsets = mapOf(Type.Object({ at: text, since: moment }));
export type CommittedOffsets = TypeOf<typeof CommittedOffsets>;

const CachedReading = Type.Object({
  /** The decision says what is wrong with a value that a source answered. */
  response: Type.Unsafe<MetricResponse<ExternalMetricValue>>(
    Type.Object({ items: Type.Optional(Type.Array(Type.Object({}))), error: Type.Optional(text) }),
  ),
  readAt: moment,
  /** Kept without the response, for a query that is sent in every slot. */
  places: Type.Optional(CommittedOffsets),
});
export type CachedReading = TypeOf<typeof CachedReading>;

const DeletionCosts = Type.Object({
  /** The last change. */
  at: moment,
  /** A smaller size waits. */
  since: Type.Optional(moment),
  /** No pod had one: look once more, when no late patch can land any more. */
  again: Type.Optional(Type.Literal(true)),
  selector: text,
});
export type DeletionCosts = TypeOf<typeof DeletionCosts>;

export const State = Type.Object({
  /** Grows by one with each write: version.ts */
  version: Type.Integer({ minimum: 1, errorMessage: "a whole number, 1 or more" }),
  /** The slot of the last write. A slot has at most one effect on a target. */
  slot: moment,
  /** The wake that wrote last, unless a slot has written since. */
  wake: Type.Optional(Wake),
  /** Open intents are for this object only. */
  targetUid: Type.Optional(text),
  status: StoredStatus,
  /** null: never synced. */
  history: orNull(History),
  /** True: each heartbeat of the shard observes the last span again. */
  open: flag,
  /** `at` of the decision that closed a span which another run may have observed: last-observed.ts */
  closedAt: Type.Optional(moment),
  /** A scale write that may have happened. The next sync settles it. */
  intent: Type.Optional(Intent),
  /**
   * Intents that were replaced while their writes could still be applied. At most one is: all have one resourceVersion.
   * The latest is first; of equal sizes, only the oldest is kept.
   */
  earlier: Type.Optional(Type.Array(Intent)),
  /** More such intents. docs/decisions/0080-many-open-intents.md */
  earlierSizes: Type.Optional(IntentSizes),
  /** The target's resourceVersion at the last zero that ebb ended: docs/decisions/0081-a-cluster-that-is-put-back.md */
  lastZero: Type.Optional(text),
  /** As last seen, for overlapping selectors. */
  selector: Type.Optional(text),
  /** Later numbers: latest.ts */
  decision: Type.Optional(Explained),
  /** The last DECISION item. */
  recorded: Type.Optional(Recorded),
  sparedSince: Type.Optional(moment),
  /** Pods may have deletion costs that ebb set. */
  deletionCosts: Type.Optional(DeletionCosts),
  /** Only new ones are reported. */
  warnings: Type.Optional(HpaEvents),
  /** The first of the syncs in a row with warnings. */
  failingSince: Type.Optional(moment),
  /** By query. */
  readings: Type.Optional(mapOf(CachedReading)),
  /** By metric. docs/decisions/0042-rules-of-a-metric.md */
  memory: Type.Optional(mapOf(MetricMemory)),
  /** With `ebb.dev/zero`. docs/decisions/0090-zero-by-activity.md */
  activity: Type.Optional(Activity),
  /** The own period at the last sync; absent: the cluster's. */
  syncPeriodSeconds: Type.Optional(count),
  /** A rule waits for the next slot's reading, whatever the period. */
  confirming: Type.Optional(onlyTrue),
});
export type State = TypeOf<typeof State>;

/** Newer values that no decision needs: latest.ts */
const LatestValues = Type.Object({
  version: count,
  status: StoredStatus,
  decision: Type.Optional(Explained),
  warnings: Type.Optional(HpaEvents),
});
export type LatestValues = TypeOf<typeof LatestValues>;

export const LatestData = mapOf(LatestValues);
