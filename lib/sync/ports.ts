import type { Clusters } from "../model/ports/cluster";
import type { MetricSources } from "../model/ports/sources";
import type { HistoryWriter } from "../model/ports/history";
import type { Store } from "../model/ports/store";
import type { Reporter } from "../model/report";
import type { EventRecorder } from "./events/event-recorder";
import type { FailingLimits } from "./slot/count-failing";
import type { PollerSettings } from "./slot/idle-hpas";
import type { ShardCache } from "./slot/shard-cache";
import type { BoundedRunTime } from "../async/run-time";

export interface SyncPorts {
  readonly store: Store;
  readonly clusters: Clusters;
  readonly sources: MetricSources;
  readonly reporter: Reporter;
  readonly events: EventRecorder;
  /** Absent: each sync loads everything. For a table whose stream wakes HPAs. */
  readonly shardCache?: ShardCache;
  /** In bytes. */
  readonly runMemory?: number;
  readonly poller?: PollerSettings;
  readonly failing?: FailingLimits;
  /** Absent: the table keeps no history. */
  readonly history?: HistoryWriter;
}

export interface SyncContext extends BoundedRunTime {
  /** Working time of the process so far, without waiting. */
  readonly workedMs: () => number;
}
