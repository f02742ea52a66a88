import type { MetricIdentifier } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import type { EpochMs } from "../../k8s/time";
import type { MissingAccess } from "../fault";
import type { Right } from "../right";
import type { CommittedOffsets } from "../stored/state";
import type { Cluster, Prioritized } from "./cluster";

/**
 * What to read. The labels of the metric's selector override the parameters of the source's entry. Labels are text; an
 * entry's parameters are any JSON.
 */
export interface SourceQuery extends Prioritized {
  /** The HPA that asks, or the first of those that do: what its queries cost beyond an answer is its own delay. */
  readonly requester?: string;
  readonly metricName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What its operands read, by name, for a kind that is made of other sources. */
  readonly operands?: Readonly<Record<string, SourceReading>>;
  /** Those of the last reading that had some. */
  readonly committedOffsets?: CommittedOffsets;
}

/** A source's answer to a query: values, or the reason why it has no values. */
export type SourceReading = MetricResponse<ExternalMetricValue> & {
  /** What the next reading must know. The table keeps it, so it is the same for a new process. */
  readonly committedOffsets?: CommittedOffsets;
  /** The request was beyond the service's rate. Nothing was read, so it is due again with the next slot. */
  readonly isThrottled?: boolean;
  /** Of a failure: what the caller lacked, and another may have. */
  readonly lack?: MissingAccess;
};

/** A kind of metric source outside the cluster ("sqs", "cloudwatch"). */
export interface MetricSource {
  /** How long a reading is kept before the query may be asked again, in ms. 0: ask in every slot. */
  keepMs(query: SourceQuery): number;
  /** Starts the reads of one run. Queries that result in the same request share it. */
  open(context: ReadContext): SourceReader;
}

export interface ReadContext {
  readonly now: EpochMs;
  readonly signal: AbortSignal;
  readonly cluster: ClusterAccess;
}

/** The cluster whose HPAs ask. */
export interface ClusterAccess {
  /** Its sources use only secrets that are named for it. */
  readonly name: string;
  /** Rejects with a Fault. */
  readonly api: () => Promise<Cluster>;
}

export interface SourceReader {
  /** Resolves when this query's own request is answered. Never rejects: a failure is `{error}`. */
  read(query: SourceQuery): Promise<SourceReading>;
}

/** By kind. */
export type MetricSources = Readonly<Record<string, KnownSource>>;

export interface KnownSource extends MetricSource {
  /** An External metric that has the kind's name is read from here without a SOURCE entry. */
  readonly isBuiltIn: boolean;
  /** For how long after a change a query's value may be wrong, in ms. Absent, or 0: it is exact. */
  readonly settleMs?: (query: SourceQuery) => number;
  /** What a query is made of, for a kind that is calculated from other sources. Throws a Fault "badEntry". */
  readonly operands?: (query: SourceQuery) => readonly Operand[];
  /** What a query with these parameters needs from its cluster. */
  readonly rights?: (parameters: SourceQuery["parameters"]) => readonly Right[];
}

/** A metric that another one is made of: its name there, and how an External metric would name it. */
export interface Operand {
  readonly name: string;
  readonly metric: MetricIdentifier;
}
