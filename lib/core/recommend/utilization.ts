import type { Pod } from "../../api/workload";
import { int64 } from "../replica-math";
import { usableSamples } from "./average-value";
import { replicasFromPods, type FromPods, type Usage } from "./from-pods";
import { groupPods, type PodGroups } from "./group-pods";
import { podRequests } from "./pod-requests";
import type { Observed, Result } from "./recommendation";
import type { Samples } from "./samples";

export interface Utilization extends FromPods {
  readonly ratio: number;
  /** Whole percent of the requests, before anything is filled in. */
  readonly percent: number;
  /** Thousandths a pod, likewise. */
  readonly average: bigint;
  readonly groups: PodGroups;
}

export interface UtilizationTarget {
  readonly resource: string;
  /** "": the whole pod. */
  readonly container: string;
  readonly percent: number;
}

/** What the pods use of what they request, in percent. Upstream: GetResourceReplicas, replica_calculator.go. */
export function recommendUtilization(
  samples: Samples,
  target: UtilizationTarget,
  observed: Observed,
): Result<Utilization> {
  if (observed.pods.length === 0) return { error: "no pods returned by selector while calculating replica count" };
  const groups = groupPods(samples, target.resource, observed);
  const sampled = usableSamples(samples, groups).length;
  if (sampled === 0) return { error: "did not receive metrics for targeted pods (pods might be unready)" };
  const requests = podRequests(observed.pods, target.resource, target.container);
  if ("error" in requests) return requests;

  const requestOf = ({ metadata }: Pod) => requests.value.get(metadata.name) ?? 0n;
  const used = total(groups.ready, ({ metadata }) => samples.get(metadata.name)?.milli ?? 0n);
  const requested = total(groups.ready, requestOf);
  if (requested === 0n) return { error: "no metrics returned matched known pods" };

  const percent = percentOf(used, requested);
  const fullPercent = BigInt(Math.max(100, target.percent));
  const proposal = replicasFromPods(
    { ratio: percent / target.percent, pods: sampled },
    groups,
    ({ full, idle }): Usage => {
      const filledIn = total(full, (pod) => int64(requestOf(pod) * fullPercent) / 100n);
      const allRequested = int64(requested + total(full, requestOf) + total(idle, requestOf));
      const ratio = percentOf(int64(used + filledIn), allRequested) / target.percent;
      return { ratio, pods: sampled + full.length + idle.length };
    },
    observed,
  );
  const average = used / BigInt(groups.ready.length);
  return { value: { ...proposal, ratio: percent / target.percent, percent, average, groups } };
}

function total(pods: readonly Pod[], milli: (pod: Pod) => bigint): bigint {
  return pods.reduce((sum, pod) => int64(sum + milli(pod)), 0n);
}

/** Cut to whole percent before any comparison: 50.9 % against 50 % is on target. Upstream: GetResourceUtilizationRatio. */
function percentOf(used: bigint, requested: bigint): number {
  return Number(BigInt.asIntN(32, int64(used * 100n) / requested));
}
