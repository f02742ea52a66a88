import type { HpaKey } from "../model/hpa-key";
import type { Operations } from "../model/entry/annotations";
import type { LatestValues } from "../model/stored/latest";
import type { PeriodClass } from "../model/stored/own-period";
import type { HorizontalPodAutoscaler, HpaStatus } from "../k8s/hpa";
import type { EpochMs } from "../k8s/time";
import type { SlotMessage } from "../model/messages";
import type { Cluster, Clusters, ScaleBatch, ObservedTarget } from "../model/ports/cluster";
import type { Reporter } from "../model/report";
import type { MetricSources } from "../model/ports/sources";
import type { Store, Written } from "../model/ports/store";
import type { SlotTime } from "../model/metric/metric-rules";
import type { HpaEvent, Options } from "../model/situation";
import type { DecisionRecord, State } from "../model/stored/state";
import type { EventRecorder } from "./events/event-recorder";
import type { Observer } from "./observe/observe";
import type { ShardCache } from "./run/shard-cache";
import type { PollerSettings } from "./poller/poller-settings";

export interface SyncPorts {
  readonly store: Store;
  readonly clusters: Clusters;
  readonly sources: MetricSources;
  readonly reporter: Reporter;
  readonly events: EventRecorder;
  /** Absent: each sync loads everything. For a table whose stream wakes HPAs. */
  readonly shardCache?: ShardCache;
  /** What a run may make of its shard's entries, in bytes. Absent: as much as they need. */
  readonly runMemory?: number;
  /** Absent: no HPA is watched while it is at zero. */
  readonly poller?: PollerSettings;
  /** Absent: failing HPAs are not counted. */
  readonly failing?: FailingLimits;
}

/**
 * Which failing HPAs the deployment's alarm counts: those whose syncs have all failed for `afterMs`, and for less than
 * `untilMs`. docs/decisions/0073-an-alarm-for-failing-hpas.md
 */
export interface FailingLimits {
  readonly afterMs: number;
  /** Infinity: as long as they fail. */
  readonly untilMs: number;
}

/** The invocation that a sync runs in. */
export interface SyncContext {
  readonly now: () => EpochMs;
  /** How long this process has worked so far, without the time that it waited. */
  readonly workedMs: () => number;
  /** When the invocation must have recorded everything. */
  readonly deadline: EpochMs;
  /** Fires when the invocation ends, and aborts what still runs. */
  readonly signal: AbortSignal;
}

/** What the HPAs of one sync run share. A sync run is a slot of a shard, or a wake of some of its HPAs. */
export interface SyncRun {
  readonly message: SlotMessage;
  /** The decision's clock: read once, so it is the same for every HPA of the run. */
  readonly now: EpochMs;
  /** The slot under way: the run's own, or that of the moment of a wake. */
  readonly slot: SlotTime;
  readonly time: SyncRunTime;
  readonly records: Records;
  readonly cluster: Cluster;
  /** The targets of the run that are read together. */
  readonly scales: ScaleBatch;
  readonly options: Options;
  readonly observer: Observer;
  readonly reporter: Reporter;
}

export interface SyncRunTime {
  /** Fires at the end of the slot, because its readings are worthless afterwards. */
  readonly reads: AbortSignal;
  /** Fires at the end of the invocation: a scale write that has begun may still be recorded after its slot. */
  readonly writes: AbortSignal;
  /**
   * A new effect may begin. Asked right before each effect, so that a run that was paused does not act on an outdated
   * decision.
   */
  inTime(): boolean;
  /** The slot is over. What has just happened may belong to another slot's time. */
  isOver(): boolean;
}

/** The table, as the HPAs of one run read and write it. Every call rejects with a Fault. */
export interface Records {
  /** The slot or wake that writes the state after `before`. */
  writerId(before: State): WriterId;
  /** Conditional on the stored version being `state.version - 1`. */
  putState(key: HpaKey, state: State): Promise<Written>;
  putDecision(key: HpaKey, record: DecisionRecord): Promise<void>;
  /** What the HPA showed before this run; undefined: its state, or it cannot be read now. */
  shown(key: HpaKey): Promise<LatestValues | undefined>;
  /** The current HPA document; undefined when it is gone. */
  document(key: HpaKey): Promise<unknown>;
  /** The shard has finished this slot or a newer one, or the HPA has another shard by now. */
  isOvertaken(key: HpaKey): Promise<boolean>;
  /**
   * Bounds how many HPAs write at a time, so that an HPA that begins also finishes. If a thousand scale at once, they
   * must not all have an intent but no result when the time is up.
   */
  withPermit<T>(write: () => Promise<T>): Promise<T>;
}

/** What wrote a state: a slot, or a wake after the last slot. */
export type WriterId = Pick<State, "slot" | "wake">;

/** An HPA's entry: usable, or why it is not, field by field. */
export type ReadEntry =
  | {
      readonly hpa: HorizontalPodAutoscaler;
      readonly operations: Operations;
      /** Absent: the cluster's. */
      readonly syncPeriodSeconds?: number;
    }
  | { readonly errors: readonly string[] };

/** An HPA whose entry is gone and whose state is still in the table, with the state's version. */
export interface DeletedHpa {
  readonly key: HpaKey;
  readonly version: number;
}

export interface HpaTask {
  /** "namespace/name". */
  readonly key: HpaKey;
  /** As the table has it. `entry` is its decoded form. */
  readonly document: unknown;
  readonly entry: ReadEntry;
  readonly state: State | undefined;
  /** Of the state. undefined: it is due in every slot. */
  readonly periodClass: PeriodClass | undefined;
  /** When the shard last saw this HPA's open span. */
  readonly lastObserved: EpochMs;
  /** Until when another run may have seen the span that the state closed. */
  readonly closedSpanObserved: EpochMs | undefined;
  /** An earlier run may still write. */
  readonly mayHaveConcurrentRun: boolean;
  /** Another run of the slot may see the open span without writing the state: the shard's heartbeat says so. */
  readonly hasConcurrentReader: boolean;
}

export interface HpaResult {
  readonly key: HpaKey;
  /** The table has what this run decided (which may be: no change). */
  readonly recorded: boolean;
  readonly scaled: boolean;
  /** What is wrong now. `news` is the first of these that is new. */
  readonly warnings: readonly HpaEvent[];
  readonly news?: HpaEvent;
  readonly recovered: boolean;
  /** Every event that this run emits, as upstream's controller would: a lasting failure is an event each time. */
  readonly events: readonly HpaEvent[];
  /** After this run, if the run came to a decision. */
  readonly status?: HpaStatus;
  /** What it shows beyond its state. Absent: it shows its state. */
  readonly latest?: LatestValues;
  /** The object that it scales, if this run saw it. */
  readonly target?: ObservedTarget;
}
