import type { ControllerOptions } from "../api/entries";
import type { Options } from "../core/situation";

/** Upstream's --horizontal-pod-autoscaler-sync-period. */
export const defaultSyncPeriodMs = 15_000;

export function syncPeriodMs(options: ControllerOptions | undefined): number {
  return options?.syncPeriodSeconds === undefined ? defaultSyncPeriodMs : options.syncPeriodSeconds * 1000;
}

/** The cluster's controller options, with upstream's defaults (kube-controller-manager's flags) for those not given. */
export function decisionOptions(options: ControllerOptions = {}): Options {
  return {
    tolerance: options.tolerance ?? 0.1,
    downscaleStabilizationSeconds: options.downscaleStabilizationSeconds ?? 300,
    cpuInitializationPeriodSeconds: options.cpuInitializationPeriodSeconds ?? 300,
    initialReadinessDelaySeconds: options.initialReadinessDelaySeconds ?? 30,
  };
}
