import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import type { EpochMs } from "../../k8s/time";
import type { Decision } from "../../model/situation";
import type { Intent, State } from "../../model/stored/state";
import type { Observation } from "../../readings/observe";

export type SyncAction = "scale_up" | "scale_down" | "none";

export interface SizeChange {
  readonly from: number;
  readonly to: number;
}

export interface HpaWork {
  readonly metrics: readonly MetricWork[];
  readonly isAtZero: boolean;
  /** By an earlier run. */
  readonly found?: SizeChange;
}

interface MetricWork {
  readonly type: string;
  readonly action: SyncAction;
  readonly isFailed: boolean;
  readonly ms: number;
}

interface Decided {
  readonly decision: Pick<Decision, "steps">;
  readonly observation: Pick<Observation, "took">;
  readonly before: State;
  readonly from: number | null;
  readonly found: Intent | undefined;
}

export function workOf(hpa: HorizontalPodAutoscaler, { decision, observation, before, from, found }: Decided): HpaWork {
  const { metrics: specs = [] } = hpa.spec;
  const steps = decision.steps.filter(({ stage }) => stage === "metric");
  const { took = [] } = observation;
  // As upstream, the size of the sync before.
  const { currentReplicas = 0 } = before.status;
  return {
    metrics: (steps.length === specs.length ? steps : []).map(({ replicas }, index) => ({
      type: specs[index]?.type ?? "",
      action: replicas === null ? "none" : actionOf({ from: currentReplicas, to: replicas }),
      isFailed: replicas === null,
      ms: took[index] ?? 0,
    })),
    isAtZero: from === 0,
    ...(found !== undefined && { found }),
  };
}

export function actionOf({ from, to }: SizeChange): SyncAction {
  return to > from ? "scale_up" : to < from ? "scale_down" : "none";
}

export async function timed<T>(now: () => EpochMs, sync: () => Promise<T>): Promise<T & { readonly tookMs: number }> {
  const startedAt = now();
  return { ...(await sync()), tookMs: now() - startedAt };
}

export function countRequest(counts: Map<string, number>, kind: string, outcome: "read" | "failed"): void {
  const series = `read ${kind} ${outcome}`;
  counts.set(series, (counts.get(series) ?? 0) + 1);
}
