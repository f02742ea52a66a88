import type { Pod } from "../../api/workload";
import { currentReplicas } from "../gate";
import { ceilToInt32, isWithin } from "../replica-math";
import type { PodGroups } from "./group-pods";
import type { Observed } from "./recommendation";

/** How the pods' use stands against the target, over `pods` of them. */
export interface Usage {
  readonly ratio: number;
  readonly pods: number;
}

/** Pods without a usable sample of their own, and what each kind is taken to use. */
export interface Refill {
  readonly full: readonly Pod[];
  readonly idle: readonly Pod[];
}

export interface FromPods {
  readonly replicas: number;
  readonly because: string;
}

/**
 * The size at which pods like these would be on target. Pods without a sample are filled in so that they soften the change:
 * missing ones count as full when it shrinks and as idle when it grows, unready ones as idle when it grows. When that would
 * turn the change around, nothing changes. `refilled` measures again with what is filled in.
 * Upstream: GetResourceReplicas and calcPlainMetricReplicas, replica_calculator.go.
 */
export function replicasFromPods(
  usage: Usage,
  groups: PodGroups,
  refilled: (refill: Refill) => Usage,
  { scale, tolerances }: Observed,
): FromPods {
  const { ratio } = usage;
  const current = currentReplicas(scale);
  const growsWithUnready = groups.unready.length > 0 && ratio > 1;
  if (!growsWithUnready && groups.missing.length === 0) {
    if (isWithin(ratio, tolerances)) return { replicas: current, because: "the usage ratio is within tolerance" };
    const replicas = ceilToInt32(ratio * groups.ready.length);
    return { replicas, because: `usage ratio ${ratio} × ${groups.ready.length} ready pods` };
  }

  const softened = refilled({
    full: ratio < 1 ? groups.missing : [],
    idle: [...(ratio > 1 ? groups.missing : []), ...(growsWithUnready ? groups.unready : [])],
  });
  if (isWithin(softened.ratio, tolerances)) {
    return {
      replicas: current,
      because: "with missing and unready pods filled in, the usage ratio is within tolerance",
    };
  }
  const replicas = ceilToInt32(softened.ratio * softened.pods);
  if (turnsAround(ratio, softened.ratio) || contradicts(softened.ratio, replicas, current)) {
    return { replicas: current, because: "missing and unready pods filled in would turn the change around" };
  }
  return {
    replicas,
    because: `usage ratio ${softened.ratio}, missing and unready pods filled in, × ${softened.pods} pods`,
  };
}

function turnsAround(before: number, after: number): boolean {
  return (before < 1 && after > 1) || (before > 1 && after < 1);
}

/** The number of pods with samples can differ so much from the replicas that a ratio above 1 yields fewer of them. */
function contradicts(ratio: number, replicas: number, current: number): boolean {
  return (ratio < 1 && replicas > current) || (ratio > 1 && replicas < current);
}
