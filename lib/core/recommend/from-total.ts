import type { Pod } from "../../k8s/objects";
import { MAX_INT64 } from "../../k8s/quantity";
import { currentReplicas } from "../gate";
import { ceilToInt32, ceilToInt64, isTolerated } from "../replica-math";
import type { Observed, Result } from "./recommendation";

interface FromTotal {
  readonly replicas: number;
  /** null: no running pod. */
  readonly ratio: number | null;
  readonly because: string;
  readonly readyPods?: number;
}

/**
 * Value: spread over the ready pods. From zero, the ratio is the size, without tolerance. Upstream:
 * getUsageRatioReplicaCount, replica_calculator.go.
 */
export function replicasFromValue(total: bigint, target: bigint, observed: Observed): Result<FromTotal> {
  const ratio = Number(total) / Number(target);
  const current = currentReplicas(observed.scale);
  if (current === 0) {
    return { value: { replicas: ceilToInt32(ratio), ratio, because: `usage ratio ${ratio}, from zero` } };
  }
  if (isTolerated(ratio, observed.tolerances)) {
    return { value: { replicas: current, ratio, because: "the usage ratio is within tolerance" } };
  }
  if (observed.pods.length === 0) {
    const error = "unable to calculate ready pods: no pods returned by selector while calculating replica count";
    return { error };
  }
  const readyPods = observed.pods.filter(isRunningAndReady).length;
  const because = `usage ratio ${ratio} × ${readyPods} ready pods`;
  return { value: { replicas: ceilToInt32(ratio * readyPods), ratio, readyPods, because } };
}

/** Terminating pods count, and unreadable ones: leaving them out would shrink the size. */
function isRunningAndReady({ status, unreadable }: Pod): boolean {
  if (unreadable === true) return true;
  return status?.phase === "Running" && status.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

interface FromTotalPerPod extends FromTotal {
  readonly average: bigint;
}

/**
 * AverageValue. The tolerance compares with the running pods (status.replicas); none is never tolerated. Upstream:
 * GetExternalPerPodMetricReplicas.
 */
export function replicasFromTotalPerPod(total: bigint, target: bigint, observed: Observed): FromTotalPerPod {
  const running = observed.scale.status.replicas;
  const ratio = Number(total) / (Number(target) * running);
  const average = averageOver(total, running);
  if (isTolerated(ratio, observed.tolerances)) {
    return {
      replicas: running,
      ratio,
      average,
      because: "the usage ratio of the pods that the target reports is within tolerance",
    };
  }
  const replicas = ceilToInt32(Number(total) / Number(target));
  return {
    replicas,
    ratio: running === 0 ? null : ratio,
    average,
    because: "the total divided by the target of one pod",
  };
}

/** 0 without running pods, since 1.37. */
function averageOver(total: bigint, running: number): bigint {
  if (Number(total) >= 2 ** 63) return MAX_INT64;
  return running === 0 ? 0n : ceilToInt64(Number(total) / running);
}
