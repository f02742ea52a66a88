import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { MetricResponse, Scale } from "../k8s/objects";
import type { EpochMs } from "../k8s/time";
import type { MetricRules } from "../model/metric/metric-rules";
import type { Options } from "../model/situation";
import { recommend } from "./recommend/recommend";
import { tolerancesOf } from "./replica-math";
import { applyRules } from "./rules/apply-rules";
import { hpaNamespace } from "./select-pods";

export interface AtZero {
  readonly hpa: HorizontalPodAutoscaler;
  /** One for each metric. */
  readonly rules: readonly MetricRules[];
  readonly options: Options;
}

const zero: Scale = { metadata: { name: "" }, spec: { replicas: 0 }, status: { replicas: 0 } };

/** `possible`: the count may be wrong. */
export type FoundWork = "none" | "possible" | "certain";

/**
 * Judges as the next sync would. Unknown readings and fallbacks are no work; slots (`confirm`, `confirmWake`) do not
 * count here.
 */
export function findWork(
  { hpa, rules, options }: AtZero,
  read: { readonly index: number; readonly response: MetricResponse },
  now: EpochMs,
): FoundWork {
  const metric = hpa.spec.metrics?.[read.index];
  if (metric === undefined || "error" in read.response) return "none";
  const { activation, confirm = 1 } = rules[read.index] ?? {};
  const tolerances = tolerancesOf(hpa.spec.behavior, options);
  const observed = { namespace: hpaNamespace(hpa), scale: zero, pods: [], tolerances, options, now };
  const alone = { ...hpa, spec: { ...hpa.spec, metrics: [metric] } };
  const metrics = [read.response];
  const situation = { hpa: alone, scale: zero, pods: [], metrics, history: null, options, otherHpas: [] };
  const { recommendations } = applyRules(
    { ...situation, rules: [{ ...(activation !== undefined && { activation }), confirm }] },
    [recommend(metric, read.response, observed)],
    { current: 0, now },
  );
  const [found] = recommendations;
  if (found?.kind !== "proposal") return "none";
  if (found.replicas > 0) return "certain";
  return found.ruled?.steps.some(({ stage }) => stage === "confirmWake") === true ? "possible" : "none";
}
