import type { ControllerOptions } from "./entries";
import type { Options } from "../situation";
import type { HorizontalPodAutoscaler } from "../../k8s/hpa";
import { DurationError, parseDuration } from "../../k8s/time";
import { type FieldError, invalid } from "../../k8s/validate/field-error";

/** kube-controller-manager's defaults. */
export const defaultOptions: Options = {
  tolerance: 0.1,
  downscaleStabilizationSeconds: 300,
  cpuInitializationPeriodSeconds: 300,
  initialReadinessDelaySeconds: 30,
};

/** Upstream's --horizontal-pod-autoscaler-sync-period. */
export const defaultSyncPeriodMs = 15_000;

export function syncPeriodMs(options: ControllerOptions | undefined): number {
  return options?.syncPeriodSeconds === undefined ? defaultSyncPeriodMs : options.syncPeriodSeconds * 1000;
}

export function decisionOptions({ syncPeriodSeconds: _, mirrorEvents: __, ...given }: ControllerOptions = {}): Options {
  return { ...defaultOptions, ...given };
}

export const syncPeriodAnnotation = "ebb.dev/sync-period";

const longestSeconds = 3_600;

export function syncPeriodProblem(text: string): string | undefined {
  const seconds = secondsOf(text);
  const isInRange = seconds !== undefined && seconds >= 1 && seconds <= longestSeconds;
  return isInRange && Number.isInteger(seconds)
    ? undefined
    : "must be whole seconds from 1s to 1h, such as 30s, 5m or 1h";
}

/** If annotation and field differ, nobody can say which one counts. */
export function syncPeriodErrors({ metadata, spec }: HorizontalPodAutoscaler): readonly FieldError[] {
  const text = annotated(metadata);
  const { syncPeriodSeconds: given } = spec;
  if (text === undefined || given === undefined || secondsOf(text) === given) return [];
  const problem = `must be equal to spec.syncPeriodSeconds, which is ${given}; remove one of the two`;
  return [invalid(`metadata.annotations[${syncPeriodAnnotation}]`, text, problem)];
}

export function ownPeriodSeconds({ metadata, spec }: HorizontalPodAutoscaler): number | undefined {
  const text = annotated(metadata);
  return spec.syncPeriodSeconds ?? (text === undefined ? undefined : secondsOf(text));
}

function annotated({ annotations = {} }: HorizontalPodAutoscaler["metadata"]): string | undefined {
  return Object.hasOwn(annotations, syncPeriodAnnotation) ? annotations[syncPeriodAnnotation] : undefined;
}

/** Undefined: no duration. */
export function secondsOf(text: string): number | undefined {
  try {
    return parseDuration(text) / 1_000;
  } catch (error) {
    if (error instanceof DurationError) return undefined;
    throw error;
  }
}
