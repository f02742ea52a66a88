import type { MetricIdentifier } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import type { EpochMs } from "../../k8s/time";
import type { MissingAccess } from "../fault";
import type { CommittedOffsets } from "../stored/state";
import type { Cluster, Prioritized } from "./cluster";

/** Labels (text) override the parameters of the entry (any JSON). */
export interface SourceQuery extends Prioritized {
  /** The first HPA that needs it, and the only one that extra requests delay. */
  readonly requester?: string;
  readonly metricName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** By name, for a formula. */
  readonly operands?: Readonly<Record<string, SourceReading>>;
  readonly committedOffsets?: CommittedOffsets;
}

export type SourceReading = MetricResponse<ExternalMetricValue> & {
  /** The table keeps them for the next reading. */
  readonly committedOffsets?: CommittedOffsets;
  /** Due again in the next slot. */
  readonly isThrottled?: boolean;
  readonly lack?: MissingAccess;
};

export interface MetricSource {
  /** How long a reading is cached. 0: read in every slot. */
  keepMs(query: SourceQuery): number;
  /** For one run. Equal requests are shared. */
  open(context: ReadContext): SourceReader;
}

export interface ReadContext {
  readonly now: EpochMs;
  readonly signal: AbortSignal;
  /** A reading may take no longer, whatever its own time-out says: half of the sync period. Absent: no limit. */
  readonly longestMs?: number;
  readonly cluster: ClusterAccess;
}

export interface ClusterAccess {
  /** Sources use only secrets named for it. */
  readonly name: string;
  readonly api: () => Promise<Cluster>;
}

export interface SourceReader {
  /** Never rejects: a failure is `{error}`. */
  read(query: SourceQuery): Promise<SourceReading>;
}

export type MetricSources = Readonly<Record<string, KnownSource>>;

export interface KnownSource extends MetricSource {
  /** External metrics with the kind's name need no SOURCE entry. */
  readonly isBuiltIn: boolean;
  /** For so long after a change, a value may be wrong. Absent: never. */
  readonly settleMs?: (query: SourceQuery) => number;
  /** For a formula. @throws Fault badEntry */
  readonly operands?: (query: SourceQuery) => readonly Operand[];
  readonly rights?: (parameters: SourceQuery["parameters"]) => readonly Right[];
}

export interface Operand {
  readonly name: string;
  readonly metric: MetricIdentifier;
}

/** In RBAC's words. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: all objects. */
  readonly name?: string;
  readonly verbs: readonly string[];
  readonly namespace: string;
}
