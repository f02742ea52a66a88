import { adoptZeroAnnotation } from "./adopt-zero";
import { busyAnnotation, spareBusyAnnotation, spareBusyForAnnotation } from "./busy-rule";
import { rulesAnnotation } from "./metric-rules";
import { syncPeriodAnnotation } from "./options";
import { zeroAnnotation } from "./zero-rule";

export const pausedAnnotation = "ebb.dev/paused";
export const pausedUntilAnnotation = "ebb.dev/paused-until";
export const dryRunAnnotation = "ebb.dev/dry-run";
export const wakeAnnotation = "ebb.dev/wake";
export const historyAnnotation = "ebb.dev/history";
export const clusterAnnotation = "ebb.dev/cluster";

/** Each but clusterAnnotation is an HPA's. */
export const annotationNames = [
  pausedAnnotation,
  pausedUntilAnnotation,
  dryRunAnnotation,
  rulesAnnotation,
  zeroAnnotation,
  busyAnnotation,
  spareBusyAnnotation,
  spareBusyForAnnotation,
  adoptZeroAnnotation,
  syncPeriodAnnotation,
  wakeAnnotation,
  historyAnnotation,
  clusterAnnotation,
] as const;
