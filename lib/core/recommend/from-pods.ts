import type { Pod } from "../../k8s/objects";
import { currentReplicas } from "../gate";
import { ceilToInt32, wrapInt64, isTolerated } from "../replica-math";
import { type PodGroups, type Sample, type Samples, groupPods } from "./group-pods";
import type { PodDetail } from "../../model/step";
import type { Observed, Result } from "./recommendation";

export interface Usage {
  readonly ratio: number;
  readonly pods: number;
}

interface Refill {
  readonly full: readonly Pod[];
  readonly idle: readonly Pod[];
}

export interface FromPods {
  readonly replicas: number;
  readonly because: string;
}

/**
 * The size at which such pods would be on target. To soften the change, missing pods count as full when it shrinks and
 * as idle when it grows, unready ones as idle when it grows. If that reverses the change, nothing changes. Upstream:
 * GetResourceReplicas and calcPlainMetricReplicas, replica_calculator.go.
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
  if (reverses(ratio, softened.ratio) || contradicts(softened.ratio, replicas, current)) {
    return { replicas: current, because: "filling in missing and unready pods would reverse the change" };
  }
  return {
    replicas,
    because: `usage ratio ${softened.ratio} (missing and unready pods filled in) × ${softened.pods} pods`,
  };
}

function reverses(before: number, after: number): boolean {
  return (before < 1 && after > 1) || (before > 1 && after < 1);
}

/** With few samples, a ratio above 1 can give fewer pods. */
function contradicts(ratio: number, replicas: number, current: number): boolean {
  return (ratio < 1 && replicas > current) || (ratio > 1 && replicas < current);
}

export interface AverageValue extends FromPods {
  readonly ratio: number;
  readonly average: bigint;
  readonly groups: PodGroups;
}

/** Upstream: calcPlainMetricReplicas, replica_calculator.go. */
export function recommendAverage(
  samples: Samples,
  resource: string,
  target: bigint,
  observed: Observed,
): Result<AverageValue> {
  if (observed.pods.length === 0) return { error: "no pods returned by selector while calculating replica count" };
  const groups = groupPods(samples, resource, observed);
  const usable = usableSamples(samples, groups);
  if (usable.length === 0) return withoutSamples(groups);

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

export function withoutSamples(groups: PodGroups): { readonly error: string; readonly pods: PodDetail } {
  return { error: "did not receive metrics for targeted pods (pods might be unready)", pods: podDetail(groups) };
}

/** As upstream, samples of pods that the selector does not match count. */
export function usableSamples(samples: Samples, { unready, ignored }: PodGroups): readonly Sample[] {
  if (unready.length === 0 && ignored.length === 0) return [...samples.values()];
  const left = new Map(samples);
  for (const { metadata } of [...unready, ...ignored]) left.delete(metadata.name);
  return [...left.values()];
}

/** Cut to whole thousandths first. Upstream: GetMetricUsageRatio. */
function against(sum: bigint, pods: number, target: bigint): Usage & { readonly average: bigint } {
  const average = sum / BigInt(pods);
  return { ratio: Number(average) / Number(target), pods, average };
}

/** Keeps states small: an HPA may have 10,000 pods. */
const mostNames = 3;

/** A generated name's length. Of longer names the middle is cut: their ends differ. */
const longestName = 63;

export function podDetail({ ready, unready, missing, ignored }: PodGroups): PodDetail {
  return {
    ready: ready.length,
    unready: unready.length,
    missing: missing.length,
    ignored: ignored.length,
    ...(unready.length > 0 && { unreadyPods: firstNames(unready) }),
    ...(missing.length > 0 && { missingPods: firstNames(missing) }),
    ...(ignored.length > 0 && { ignoredPods: firstNames(ignored) }),
  };
}

/** Sorted: the same pods give the same text. */
function firstNames(pods: readonly Pod[]): string {
  const first: string[] = [];
  for (const { metadata } of pods) {
    if (first.length === mostNames && metadata.name >= (first.at(-1) ?? "")) continue;
    first.push(metadata.name);
    first.sort();
    first.length = Math.min(first.length, mostNames);
  }
  return first.map(shortName).join(", ");
}

function shortName(name: string): string {
  if (name.length <= longestName) return name;
  const half = (longestName - 1) / 2;
  return `${name.slice(0, half)}…${name.slice(-half)}`;
}
