import type { ControllerOptions } from "./entries";
import type { Options } from "../situation";

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
