import type { MetricResponse } from "../../lib/k8s/objects";
import { quantityOf } from "../../lib/sources/parameters";
import type { Imported } from "./step-ebb";
import type { Story, StoryStep, Trigger } from "./story";

interface Spec {
  readonly minReplicaCount?: number;
  readonly idleReplicaCount?: number;
  readonly cooldownPeriod?: number;
  readonly initialCooldownPeriod?: number;
  readonly fallback?: { readonly behavior?: string; readonly replicas: number };
  readonly advanced?: {
    readonly scalingModifiers?: {
      readonly formula: string;
      readonly target: string;
      readonly activationTarget?: string;
      readonly metricType?: string;
    };
  };
}

export const specOf = ({ object }: Pick<Story, "object">): Spec => object.spec as Spec;
export const modifiersOf = (story: Pick<Story, "object">) => specOf(story).advanced?.scalingModifiers;

export function isAnnotated({ object: { metadata } }: Pick<Story, "object">, name: string): boolean {
  return Object.hasOwn((metadata["annotations"] as object | undefined) ?? {}, `autoscaling.keda.sh/${name}`);
}

/** What a turn of KEDA's scale loop meets. */
export interface LoopGiven {
  readonly story: Story;
  readonly imported: Pick<Imported, "formula">;
  readonly step: StoryStep;
  readonly size: number;
  /** Triggers in fallback: a bit each. */
  readonly bits: number;
  readonly lastActive: number | undefined;
  /** What the HPA's last requests found, while its sync has metrics. */
  readonly observed?: readonly Read[] | undefined;
}

export interface Turn {
  readonly polled: number;
  readonly worked: boolean;
}

/** Upstream, KEDA 2.21: RequestScale and its scaleFromZeroOrIdle (pkg/scaling/executor/scale_scaledobjects.go). */
export function turnLoop(given: LoopGiven): Turn {
  const { story, size } = given;
  const { minReplicaCount: least = 0, idleReplicaCount: idle, fallback } = specOf(story);
  const { isActive, isError } = stateOf(given);
  const stay = { polled: size, worked: false };
  if (isActive || isAnnotated(story, "force-activation")) {
    const isBelow = size === 0 || (idle !== undefined && size < least);
    if (isBelow) return isAnnotated(story, "paused-scale-out") ? stay : { polled: Math.max(1, least), worked: true };
    return { polled: size, worked: !isError };
  }
  if (isError && fallback?.replicas !== 0) return stay;
  if ((idle !== undefined && size > idle) || (size > 0 && least === 0))
    return mayGoIdle(given) ? { polled: idle ?? least, worked: false } : stay;
  return idle === undefined && size < least ? { polled: least, worked: false } : stay;
}

/** Upstream, KEDA 2.21: scaleToZeroOrIdle (pkg/scaling/executor/scale_scaledobjects.go). */
function mayGoIdle({ story, step, lastActive }: LoopGiven): boolean {
  if (isAnnotated(story, "paused-scale-in")) return false;
  const { cooldownPeriod = 300, initialCooldownPeriod = 0 } = specOf(story);
  const now = Date.parse(step.now);
  return lastActive === undefined
    ? Date.parse(story.object.metadata.creationTimestamp) + initialCooldownPeriod * 1000 < now
    : Math.floor(lastActive / 1000) * 1000 + cooldownPeriod * 1000 < now;
}

interface State {
  readonly isActive: boolean;
  readonly isError: boolean;
}

/** Upstream, KEDA 2.21: getScaledObjectState and getScalerState (pkg/scaling/scale_handler.go). */
function stateOf(given: LoopGiven): State {
  const { story } = given;
  const external = story.object.spec.triggers.flatMap((trigger, index) => (isOfPods(trigger) ? [] : [index]));
  const all = (usesObservations(story) ? given.observed : undefined) ?? readTriggers(given);
  const read = external.flatMap((index) => all[index] ?? []);
  const isError = read.some((one) => "error" in one);
  const modifiers = modifiersOf(story);
  if (modifiers !== undefined) {
    const value = isError ? 0 : valueOfFormula(given);
    return { isActive: value > Number(modifiers.activationTarget ?? 0), isError };
  }
  const isActive = read.some((one, at) => {
    const { activationTargetValue = 0 } = story.object.spec.triggers[external[at] ?? 0]?.["metadata"] as {
      readonly activationTargetValue?: string;
    };
    return "value" in one && (one.isFallback || one.value > Number(activationTargetValue));
  });
  return { isActive: external.length === 0 || isActive, isError };
}

/** Upstream, KEDA 2.21: UsesHPAObservations (apis/keda/v1alpha1/scaledobject_types.go). */
function usesObservations(story: Story): boolean {
  const { minReplicaCount = 0, idleReplicaCount } = specOf(story);
  return minReplicaCount > 0 && idleReplicaCount === undefined && modifiersOf(story) === undefined;
}

const isOfPods = ({ type }: Trigger) => type === "cpu" || type === "memory";

export type Read = { readonly value: number; readonly isFallback: boolean } | { readonly error: string };

export const readTriggers = (given: LoopGiven) =>
  given.story.object.spec.triggers.map((_, index) => readTrigger(given, index));

/** Upstream, KEDA 2.21: GetMetricsWithFallback (pkg/fallback/fallback.go). */
function readTrigger(given: LoopGiven, index: number): Read {
  const value = given.step.read[index] ?? null;
  if (value !== null) return { value, isFallback: false };
  const fallback = (given.bits & (1 << index)) === 0 ? undefined : fallbackValue(given, index);
  return fallback === undefined ? { error: "it cannot be read" } : { value: fallback, isFallback: true };
}

/** Upstream, KEDA 2.21: doFallback (pkg/fallback/fallback.go). Undefined: it needs a ready pod. */
export function fallbackValue({ story, size }: Pick<LoopGiven, "story" | "size">, index: number): number | undefined {
  const { behavior = "static", replicas } = specOf(story).fallback ?? { replicas: 0 };
  const modifiers = modifiersOf(story);
  const trigger = story.object.spec.triggers[index];
  const { targetValue } = (trigger?.["metadata"] ?? {}) as { readonly targetValue: string };
  const isTotal = (modifiers ?? trigger)?.["metricType"] === "Value";
  const wanted: Readonly<Record<string, number>> = {
    static: replicas,
    currentReplicas: size,
    currentReplicasIfHigher: Math.max(size, replicas),
    currentReplicasIfLower: Math.min(size, replicas),
  };
  if (isTotal && size === 0) return undefined;
  const target = Number(modifiers?.target ?? targetValue);
  return Math.trunc((target * 1000 * (wanted[behavior] ?? NaN)) / (isTotal ? size : 1)) / 1000;
}

/** Upstream, KEDA 2.21: HandleScalingModifiers (pkg/scaling/modifiers/formula.go). */
function valueOfFormula(given: LoopGiven): number {
  const { imported, step } = given;
  const fallback = readTriggers(given).find((one) => "value" in one && one.isFallback);
  return fallback !== undefined && "value" in fallback ? fallback.value : imported.formula(step);
}

/** What KEDA's metrics API answers. Upstream, KEDA 2.21: GetScaledObjectMetrics (pkg/scaling/scale_handler.go). */
export function serveMetric(given: LoopGiven, name: string): MetricResponse {
  const [, index] = /^s(\d+)-/.exec(name) ?? [];
  const read = readTriggers(given);
  const one = index === undefined ? formulaRead(given, read) : read[Number(index)];
  if (one === undefined || "error" in one) return { error: "it cannot be read" };
  const { value } = one;
  return { items: [{ metricName: name, metricLabels: {}, timestamp: given.step.now, value: quantityOf(value) }] };
}

function formulaRead(given: LoopGiven, read: readonly Read[]): Read {
  const isFallback = read.some((one) => "value" in one && one.isFallback);
  if (!isFallback && read.some((one) => "error" in one)) return { error: "a trigger fails" };
  return { value: valueOfFormula(given), isFallback };
}
