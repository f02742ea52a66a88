import type { Options } from "./situation";

/** kube-controller-manager's --horizontal-pod-autoscaler-* flags, as they stand when nobody sets them. */
export const defaultOptions: Options = {
  tolerance: 0.1,
  downscaleStabilizationSeconds: 300,
  cpuInitializationPeriodSeconds: 300,
  initialReadinessDelaySeconds: 30,
};
