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
  readonly readings: readonly {
    readonly namespace: string;
    readonly name: string;
    readonly metric: string;
    readonly value?: string;
    readonly error?: string;
    readonly readAt?: EpochMs;
  }[];
}
