import type { ControllerOptions } from "../api/entries";
import { defaultOptions } from "../core/default-options";
import type { Options } from "../core/situation";

/** Upstream's --horizontal-pod-autoscaler-sync-period. */
export const defaultSyncPeriodMs = 15_000;

export function syncPeriodMs(options: ControllerOptions | undefined): number {
  return options?.syncPeriodSeconds === undefined ? defaultSyncPeriodMs : options.syncPeriodSeconds * 1000;
}

/** The cluster's controller options, with upstream's defaults for those not given. */
export function decisionOptions({ syncPeriodSeconds: _, mirrorEvents: __, ...given }: ControllerOptions = {}): Options {
  return { ...defaultOptions, ...given };
}
