import { int64 } from "../replica-math";
import { replicasFromPods, type FromPods, type Usage } from "./from-pods";
import { groupPods, type PodGroups } from "./group-pods";
import type { Observed, Result } from "./recommendation";
import type { Sample, Samples } from "./samples";

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

  const sum = usable.reduce((total, { milli }) => int64(total + milli), 0n);
  const { average, ...usage } = against(sum, usable.length, target);
  const proposal = replicasFromPods(
    usage,
    groups,
    ({ full, idle }) =>
      against(int64(sum + target * BigInt(full.length)), usable.length + full.length + idle.length, target),
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
