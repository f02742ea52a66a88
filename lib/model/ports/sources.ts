import type { MetricIdentifier } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import type { EpochMs } from "../../k8s/time";
import type { MissingAccess } from "../fault";
import type { Right } from "../right";
import type { CommittedOffsets } from "../stored/state";
import type { Cluster, Prioritized } from "./cluster";

/** The metric's labels (text) override the parameters of the source's entry (any JSON). */
export interface SourceQuery extends Prioritized {
  /** The first HPA that needs it. What its queries cost beyond an answer delays only this HPA. */
  readonly requester?: string;
  readonly metricName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Operands by name, for a kind that is calculated from other sources. */
  readonly operands?: Readonly<Record<string, SourceReading>>;
  /** Those of the last reading that had some. */
  readonly committedOffsets?: CommittedOffsets;
}

export type SourceReading = MetricResponse<ExternalMetricValue> & {
  /** Stored in the table for the next reading, maybe in another process. */
  readonly committedOffsets?: CommittedOffsets;
  /** The request exceeded the service's rate. It is due again in the next slot. */
  readonly isThrottled?: boolean;
  readonly lack?: MissingAccess;
};

export interface MetricSource {
  /** How long a reading is cached, in ms. 0: read in every slot. */
  keepMs(query: SourceQuery): number;
  /** Starts the reads of one run. Queries that need the same request share it. */
  open(context: ReadContext): SourceReader;
}

export interface ReadContext {
  readonly now: EpochMs;
  readonly signal: AbortSignal;
  readonly cluster: ClusterAccess;
}

export interface ClusterAccess {
  /** Sources use only secrets that are named for this cluster. */
  readonly name: string;
  readonly api: () => Promise<Cluster>;
}

export interface SourceReader {
  /** Resolves when this query's own request is answered. Never rejects: a failure is `{error}`. */
  read(query: SourceQuery): Promise<SourceReading>;
}

/** By kind. */
export type MetricSources = Readonly<Record<string, KnownSource>>;

export interface KnownSource extends MetricSource {
  /** An External metric with the kind's name needs no SOURCE entry. */
  readonly isBuiltIn: boolean;
  /** For so many ms after a change, a value may be wrong. Absent or 0: it is exact. */
  readonly settleMs?: (query: SourceQuery) => number;
  /** For a kind that is calculated from other sources. @throws Fault badEntry */
  readonly operands?: (query: SourceQuery) => readonly Operand[];
  /** Kubernetes rights that a query with these parameters needs. */
  readonly rights?: (parameters: SourceQuery["parameters"]) => readonly Right[];
}

/** `name`: its name in the formula. `metric`: how an External metric would name it. */
export interface Operand {
  readonly name: string;
  readonly metric: MetricIdentifier;
}
