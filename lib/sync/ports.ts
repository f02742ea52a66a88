import type { EpochMs } from "../k8s/time";
import type { Clusters } from "../model/ports/cluster";
import type { MetricSources } from "../model/ports/sources";
import type { Store } from "../model/ports/store";
import type { Reporter } from "../model/report";
import type { EventRecorder } from "./events/event-recorder";
import type { FailingLimits } from "./slot/count-failing";
import type { PollerSettings } from "./slot/idle-hpas";
import type { ShardCache } from "./slot/shard-cache";

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
