import type { EpochMs } from "../../k8s/time";
import type { FleetRow } from "./fleet-row";

export interface ExplainText {
  readonly summary: string;
  readonly sections: readonly { readonly label: string; readonly texts: readonly string[] }[];
}

export interface HpaAnswer {
  readonly row: FleetRow;
  readonly explained: ExplainText;
  readonly at?: EpochMs;
  readonly command: string;
  readonly decisions: readonly PastDecision[];
  readonly events: readonly PastEvent[];
  readonly yaml: string;
}

export interface PastDecision {
  readonly at: EpochMs;
  readonly time: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly dryRun?: true;
  readonly why: string;
}

export interface PastEvent {
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

export interface SourceAnswer {
  readonly cluster: string;
  readonly name: string;
  readonly kind?: string;
  readonly problem?: string;
  /** With a reading. */
  readonly hpas: number;
  readonly errors: readonly SourceError[];
  /** The most urgent first, not all. */
  readonly readings: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly metric: string;
    /** A formula's metric. */
    readonly through?: string;
    readonly value?: string;
    readonly error?: string;
    readonly readAt?: EpochMs;
  }[];
}

export interface SourceError {
  readonly text: string;
  readonly hpas: number;
}

export interface MomentAnswer {
  readonly at: EpochMs;
  readonly explained: ExplainText;
  readonly command: string;
}

/** One value for each of `parts` equal parts of [since, until). null: unknown. */
export type PartColumn = readonly (number | null)[];

export type ShadeTone = "broken" | "keeps" | "asked" | "bounds";

export interface HistoryAnswer {
  readonly since: EpochMs;
  readonly until: EpochMs;
  /** Nothing is known from here. */
  readonly known: EpochMs;
  readonly parts: number;
  readonly isKept: boolean;
  /** The highest of each part. */
  readonly replicas: Readonly<Record<"current" | "recommended" | "stabilized" | "desired" | "min" | "max", PartColumn>>;
  readonly metrics: readonly HistoryMetric[];
  readonly shades: readonly HistoryShade[];
  readonly scalings: readonly { readonly at: EpochMs; readonly from: number | null; readonly to: number }[];
  readonly events: readonly { readonly at: EpochMs; readonly type: string; readonly text: string }[];
}

export interface SourceHistoryAnswer extends Pick<
  HistoryAnswer,
  "since" | "until" | "known" | "parts" | "isKept" | "shades"
> {
  /** In total, also where HPAs scale on the average of their pods. */
  readonly value: Readonly<Record<"low" | "mean" | "high", PartColumn>>;
}

export interface HistoryMetric {
  readonly label: string;
  /** After a number: "% of requests", " a pod". */
  readonly unit: string;
  readonly tolerance: { readonly up: number; readonly down: number };
  readonly target: PartColumn;
  readonly low: PartColumn;
  readonly mean: PartColumn;
  readonly high: PartColumn;
}

export interface HistoryShade {
  /** lib/model/stored/history.ts */
  readonly by: string;
  readonly label: string;
  readonly tone: ShadeTone;
  readonly spans: readonly (readonly [from: EpochMs, until: EpochMs])[];
  /** In all, exact. */
  readonly ms: number;
}
