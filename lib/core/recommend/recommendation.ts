import type { CrossVersionObjectReference, MetricIdentifier, MetricStatus } from "../../k8s/hpa";
import type { LabelSelector, MetricResponse, Pod, Scale } from "../../k8s/objects";
import { selectorFrom } from "../../k8s/selector";
import type { HpaEvent, Options } from "../../model/situation";
import type { EpochMs } from "../../k8s/time";
import type { MetricDetail, PodDetail, Step } from "../../model/step";
import type { Tolerances } from "../replica-math";

export interface Observed {
  readonly namespace: string;
  readonly scale: Scale;
  readonly pods: readonly Pod[];
  readonly tolerances: Tolerances;
  readonly options: Options;
  readonly now: EpochMs;
}

export type Recommendation = Proposal | Unavailable;

export interface Proposal {
  readonly kind: "proposal";
  readonly replicas: number;
  /** "cpu resource utilization (percentage of request)" */
  readonly name: string;
  readonly status: MetricStatus;
  readonly detail: Omit<MetricDetail, "name">;
  readonly because: string;
  readonly ruled?: RuledBy;
}

export interface RuledBy {
  readonly found: Recommendation;
  readonly steps: readonly RuleStep[];
  readonly events: readonly HpaEvent[];
}

export type RuleStep = Extract<Step, { stage: "activation" | "confirmWake" | "fallback" | "cap" }> & {
  readonly replicas: number;
  readonly limitedBy: "NotActivated" | "HasWork" | "WakeNotConfirmed" | "FallbackActive" | "MetricMaxReplicas";
};

export interface Unavailable {
  readonly kind: "unavailable";
  readonly reason: string;
  readonly message: string;
  /** `message`, wrapped once more, for the failed sync. */
  readonly error: string;
  readonly pods?: PodDetail;
  /** No pod runs, so that it has no value: nothing is wrong. */
  readonly isAtZero?: true;
}

export type Result<T> = { readonly value: T } | Unknown;

interface Unknown {
  readonly error: string;
  /** Why: they have no usable sample. */
  readonly pods?: PodDetail;
}

export function wrapped({ error, ...rest }: Unknown, words: string): Unknown {
  return { ...rest, error: `${words}: ${error}` };
}

export function unavailable(reason: string, message: string, error: string): Unavailable {
  return { kind: "unavailable", reason, message, error };
}

type MetricsApi = "resource" | "custom" | "external";

/** In the words of upstream's podautoscaler/metrics/client.go. */
export function fetchedItems<T>(response: MetricResponse, api: MetricsApi): Result<readonly T[]> {
  if ("error" in response) return { error: fetchError(response, api) };
  if (response.items.length === 0) return { error: `no metrics returned from ${api} metrics API` };
  return { value: response.items as readonly T[] };
}

/** Exactly one, or an error of the custom metrics API. */
export function fetchedItem<T>(response: MetricResponse, api: MetricsApi): Result<T> {
  if ("error" in response) return { error: fetchError(response, api) };
  const [item, ...more] = response.items as readonly T[];
  if (item !== undefined && more.length === 0) return { value: item };
  const error = `the custom metrics API server returned ${response.items.length} results when we asked for exactly one`;
  return { error: fetchError({ error }, api) };
}

function fetchError({ error, from }: { readonly error: string; readonly from?: string }, api: MetricsApi): string {
  return `unable to fetch metrics from ${from ?? `${api} metrics API`}: ${error}`;
}

/** The API leaves out what is empty. */
export function shownMetric({ name, selector }: MetricIdentifier): MetricIdentifier {
  return selector === undefined ? { name } : { name, selector: withoutEmpty(selector) };
}

function withoutEmpty({ matchLabels, matchExpressions }: LabelSelector): LabelSelector {
  return {
    ...(matchLabels !== undefined && Object.keys(matchLabels).length > 0 ? { matchLabels } : {}),
    ...(matchExpressions !== undefined && matchExpressions.length > 0
      ? {
          matchExpressions: matchExpressions.map(({ key, operator, values }) =>
            values !== undefined && values.length > 0 ? { key, operator, values } : { key, operator },
          ),
        }
      : {}),
  };
}

export function objectReference({ kind, name, apiVersion }: CrossVersionObjectReference): CrossVersionObjectReference {
  return apiVersion === undefined || apiVersion === "" ? { kind, name } : { kind, name, apiVersion };
}

/** Undefined: valid. */
export function selectorProblem(selector: LabelSelector | undefined): string | undefined {
  if (selector === undefined) return undefined;
  try {
    selectorFrom(selector);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
