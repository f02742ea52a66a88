import { Type } from "typebox";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import type { IdleRef, Unread, UnreadQuery, PollerLease, PollerSpending, ZeroWaits } from "../stored/idle";
import type { HpaKey } from "../hpa-key";
import type { IndexRef, IndexRecord, MissingQueue } from "../stored/state";
import type { LatestValues } from "../stored/latest";
import type * as activity from "../activity";
import type * as situation from "../situation";
import type * as state from "../stored/state";
import type { Step } from "../step";
import { MetricMemory } from "./metric-rules";
import { count, describes, filled, flag, mapOf, onlyTrue, moment, orNull, text, whole } from "./item-fields";
import { Status } from "./status";

/** STATE, SHARD and DECISION items: lib/model/stored/state.ts explains their fields. */

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

const HpaEvents = Type.Array(Type.Unsafe<situation.HpaEvent>(Type.Object({ type: text, reason: text, message: text })));

const ScaleEvents = Type.Array(
  describes<situation.ScaleEvent>()(Type.Object({ change: count, at: moment, foundAt: Type.Optional(moment) })),
);

const History = describes<situation.History>()(
  Type.Object({
    recommendations: Type.Array(
      describes<situation.RecommendationSpan>()(Type.Object({ replicas: count, since: moment, at: moment })),
    ),
    scaleUpEvents: ScaleEvents,
    scaleDownEvents: ScaleEvents,
  }),
);

const Intent = describes<state.Intent>()(
  Type.Object({
    from: count,
    to: count,
    at: moment,
    resourceVersion: text,
    countsAsEvent: flag,
    message: text,
    scaledToZero: flag,
    steps: Type.Optional(Steps),
  }),
);

const explained = {
  at: moment,
  from: orNull(count),
  desiredReplicas: count,
  steps: Steps,
  generation: Type.Optional(whole),
};
const Explained = describes<state.Explained>()(Type.Object(explained));

const Recorded = describes<state.Recorded>()(
  Type.Object({
    at: moment,
    desiredReplicas: count,
    limitedBy: Type.Array(text),
    found: Type.Optional(count),
    paidUntil: Type.Optional(moment),
  }),
);

/** The decision says what is wrong with a value that a source answered. */
const Reading = describes<state.CachedReading>()(
  Type.Object({
    response: Type.Unsafe<MetricResponse<ExternalMetricValue>>(
      Type.Object({ items: Type.Optional(Type.Array(Type.Object({}))), error: Type.Optional(text) }),
    ),
    readAt: moment,
    places: Type.Optional(mapOf(Type.Object({ at: text, since: moment }))),
  }),
);

const Activity = describes<activity.Activity>()(
  Type.Object({
    lastWork: Type.Optional(moment),
    working: Type.Optional(onlyTrue),
    unobserved: Type.Optional(onlyTrue),
  }),
);

export const StateItem = describes<state.State>()(
  Type.Object({
    version: Type.Integer({ minimum: 1, errorMessage: "a whole number, 1 or more" }),
    slot: moment,
    wake: Type.Optional(describes<state.Wake>()(Type.Object({ at: moment, done: flag }))),
    targetUid: Type.Optional(text),
    status: Status,
    history: orNull(History),
    open: flag,
    closedAt: Type.Optional(moment),
    intent: Type.Optional(Intent),
    earlier: Type.Optional(Type.Array(Intent)),
    earlierSizes: Type.Optional(
      describes<state.IntentSizes>()(Type.Object({ least: count, most: count, countsAsEvent: flag })),
    ),
    lastZero: Type.Optional(text),
    selector: Type.Optional(text),
    decision: Type.Optional(Explained),
    recorded: Type.Optional(Recorded),
    sparedSince: Type.Optional(moment),
    deletionCosts: Type.Optional(onlyTrue),
    warnings: Type.Optional(HpaEvents),
    failingSince: Type.Optional(moment),
    readings: Type.Optional(mapOf(Reading)),
    memory: Type.Optional(mapOf(MetricMemory)),
    activity: Type.Optional(Activity),
    syncPeriodSeconds: Type.Optional(count),
    confirming: Type.Optional(onlyTrue),
  }),
);

const RecordOfIndex = describes<IndexRecord>()(
  Type.Object({
    version: count,
    since: count,
    mark: Type.Optional(describes<IndexRef>()(Type.Object({ hash: filled, range: count, at: moment }))),
    lacks: Type.Optional(Type.Array(Type.Unsafe<MissingQueue>(Type.Array(count)))),
  }),
);

export const ShardItem = describes<state.Shard>()(
  Type.Object({
    cluster: filled,
    from: text,
    to: orNull(text),
    version: count,
    slot: moment,
    heartbeat: moment,
    behind: mapOf(moment),
    ownPeriods: Type.Optional(describes<state.OwnPeriods>()(Type.Object({ heartbeat: moment, seen: mapOf(moment) }))),
    shorterPeriods: Type.Optional(mapOf(count)),
    failure: Type.Optional(text),
    latest: Type.Optional(moment),
    idle: Type.Optional(describes<IdleRef>()(Type.Object({ hash: filled, at: moment }))),
    index: Type.Optional(RecordOfIndex),
    entries: count,
    workedMs: Type.Optional(count),
    queries: Type.Optional(count),
    itemBytes: Type.Optional(count),
    failing: Type.Optional(count),
    confirmed: Type.Optional(
      describes<state.Confirmed>()(
        Type.Object({
          ...{ version: count, changed: moment, states: count },
          unsettled: Type.Optional(
            Type.Array(
              describes<state.Unsettled>()(Type.Object({ until: moment, keys: Type.Optional(Type.Array(count)) })),
            ),
          ),
        }),
      ),
    ),
  }),
);

export const LatestData = mapOf(
  describes<LatestValues>()(
    Type.Object({
      version: count,
      status: Status,
      decision: Type.Optional(Explained),
      warnings: Type.Optional(HpaEvents),
    }),
  ),
);

const FoundSource = Type.Object({ kind: Type.Literal("source"), source: text, parameters: mapOf(Type.Unknown()) });

export const IdleData = mapOf(
  Type.Object({
    hpa: Type.Object({
      metadata: Type.Object({ namespace: text, name: text }),
      spec: Type.Object({ maxReplicas: count, metrics: Type.Array(Type.Object({ type: text })) }),
    }),
    sources: Type.Array(FoundSource),
    rules: Type.Array(Type.Object({})),
    since: Type.Optional(text),
  }),
);

const Watcher = Type.Object({ holder: filled, minute: moment });

const UnreadQueries = describes<Unread>()(
  Type.Object({
    queries: Type.Array(
      describes<UnreadQuery>()(
        Type.Object({
          ...{ id: filled, cluster: text, hpa: Type.Unsafe<HpaKey>(text), metric: text },
          ...{ error: text, since: moment, readings: count },
        }),
      ),
    ),
    more: Type.Optional(count),
  }),
);

export const LeaseItem = describes<PollerLease>()(
  Type.Object({
    version: count,
    holder: filled,
    minute: moment,
    until: moment,
    next: Type.Optional(Watcher),
    spending: describes<PollerSpending>()(
      Type.Object({ month: filled, spent: Type.Number({ minimum: 0 }), slowed: Type.Optional(onlyTrue) }),
    ),
    unread: Type.Optional(UnreadQueries),
    role: Type.Optional(text),
    waits: Type.Optional(
      describes<ZeroWaits>()(
        Type.Object({
          zeros: mapOf(Type.Object({ until: moment, waitMs: count })),
          more: Type.Optional(onlyTrue),
          beyond: Type.Optional(Type.Array(text)),
        }),
      ),
    ),
  }),
);

export const DecisionItem = describes<state.DecisionRecord>()(
  Type.Object({ ...explained, scaleTo: orNull(count), events: HpaEvents, dryRun: Type.Optional(onlyTrue) }),
);
