import type { Pod } from "../../k8s/objects";
import { currentReplicas } from "../gate";
import { ceilToInt32, wrapInt64, isTolerated } from "../replica-math";
import { type PodGroups, type Sample, type Samples, groupPods } from "./group-pods";
import type { Observed, Result } from "./recommendation";

/** How the pods' use stands against the target, over `pods` of them. */
export interface Usage {
  readonly ratio: number;
  readonly pods: number;
}

/** Pods without a usable sample of their own, and what each kind is taken to use. */
interface Refill {
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
    if (isTolerated(ratio, tolerances)) return { replicas: current, because: "the usage ratio is within tolerance" };
    const replicas = ceilToInt32(ratio * groups.ready.length);
    return { replicas, because: `usage ratio ${ratio} × ${groups.ready.length} ready pods` };
  }

  const softened = refilled({
    full: ratio < 1 ? groups.missing : [],
    idle: [...(ratio > 1 ? groups.missing : []), ...(growsWithUnready ? groups.unready : [])],
  });
  if (isTolerated(softened.ratio, tolerances)) {
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

export interface AverageValue extends FromPods {
  readonly ratio: number;
  /** Thousandths a pod, before anything is filled in. */
  readonly average: bigint;
  readonly groups: PodGroups;
}

/** The average use of the pods against a target amount. Upstream: calcPlainMetricReplicas, replica_calculator.go. */
export function recommendAverage(
  samples: Samples,
  resource: string,
  target: bigint,
  observed: Observed,
): Result<AverageValue> {
  if (observed.pods.length === 0) return { error: "no pods returned by selector while calculating replica count" };
  const groups = groupPods(samples, resource, observed);
  const usable = usableSamples(samples, groups);
  if (usable.length === 0) return { error: "did not receive metrics for targeted pods (pods might be unready)" };

  const sum = usable.reduce((total, { milli }) => wrapInt64(total + milli), 0n);
  const { average, ...usage } = against(sum, usable.length, target);
  const proposal = replicasFromPods(
    usage,
    groups,
    ({ full, idle }) =>
      against(wrapInt64(sum + target * BigInt(full.length)), usable.length + full.length + idle.length, target),
    observed,
  );
  return { value: { ...proposal, ratio: usage.ratio, average, groups } };
}

/** All but those of ignored and unready pods; with those of pods that the selector does not match, as upstream counts them. */
export function usableSamples(samples: Samples, { unready, ignored }: PodGroups): readonly Sample[] {
  if (unready.length === 0 && ignored.length === 0) return [...samples.values()];
  const left = new Map(samples);
  for (const { metadata } of [...unready, ...ignored]) left.delete(metadata.name);
  return [...left.values()];
}

/** Upstream: GetMetricUsageRatio. The average is cut to a whole thousandth before it is compared. */
function against(sum: bigint, pods: number, target: bigint): Usage & { readonly average: bigint } {
  const average = sum / BigInt(pods);
  return { ratio: Number(average) / Number(target), pods, average };
}
