import { Type } from "typebox";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { TypeOf } from "../../k8s/schema/fields";
import type { HpaKey } from "../hpa-key";
import type { FoundSource } from "../metric/found-source";
import { count, filled, mapOf, moment, onlyTrue, text } from "../schema/item-fields";
import type { MetricRules } from "../schema/metric-rules";

/** The data that the poller needs of an HPA at zero that wants a fast wake. docs/protocol.md */
export interface IdleHpa {
  /** With only the External metrics that our sources read. */
  readonly hpa: HorizontalPodAutoscaler;
  readonly sources: readonly FoundSource[];
  readonly rules: readonly MetricRules[];
  /** When it was scaled last: it identifies the zero. */
  readonly since?: string;
}

/** The table's IDLE item. */
export type Idle = Readonly<Record<HpaKey, IdleHpa>>;

/** The parts of IdleHpa that the poller reads. */
export const IdleData = mapOf(
  Type.Object({
    hpa: Type.Object({
      metadata: Type.Object({ namespace: text, name: text }),
      spec: Type.Object({ maxReplicas: count, metrics: Type.Array(Type.Object({ type: text })) }),
    }),
    sources: Type.Array(Type.Object({ kind: Type.Literal("source"), source: text, parameters: mapOf(Type.Unknown()) })),
    rules: Type.Array(Type.Object({})),
    since: Type.Optional(text),
  }),
);

export const IdleRef = Type.Object({ hash: filled, at: moment });
export type IdleRef = TypeOf<typeof IdleRef>;

const UnreadQuery = Type.Object({
  id: filled,
  cluster: text,
  hpa: Type.Unsafe<HpaKey>(text),
  metric: text,
  error: text,
  /** The first failed reading, and how many in a row. */
  since: moment,
  readings: count,
});
export type UnreadQuery = TypeOf<typeof UnreadQuery>;

const Unread = Type.Object({ queries: Type.Array(UnreadQuery), more: Type.Optional(count) });
export type Unread = TypeOf<typeof Unread>;

/** In $ a month (UTC). */
const PollerSpending = Type.Object({
  /** "2026-11" */
  month: filled,
  spent: Type.Number({ minimum: 0 }),
  /** The budget slows the poller, and that was reported. */
  slowed: Type.Optional(onlyTrue),
});
export type PollerSpending = TypeOf<typeof PollerSpending>;

/** Zeros with work that their last wake did not end. */
const ZeroWaits = Type.Object({
  /** By a hash of the zero: when it may be woken again. */
  zeros: mapOf(Type.Object({ until: moment, waitMs: count })),
  /** There are more. */
  more: Type.Optional(onlyTrue),
  /** Hashes of their namespaces. Absent: any may have more. */
  beyond: Type.Optional(Type.Array(text)),
});
export type ZeroWaits = TypeOf<typeof ZeroWaits>;

/** Conditional writes allow one poller at a time. */
export const PollerLease = Type.Object({
  version: count,
  holder: filled,
  /** A newer minute's poller takes over. */
  minute: moment,
  until: moment,
  /** The poller that waits for `until`; the holder no longer renews. */
  next: Type.Optional(Type.Object({ holder: filled, minute: moment })),
  spending: PollerSpending,
  /** Absent: every query had an answer. */
  unread: Type.Optional(Unread),
  /** Its ARN. */
  role: Type.Optional(text),
  waits: Type.Optional(ZeroWaits),
});
export type PollerLease = TypeOf<typeof PollerLease>;
