import type { HorizontalPodAutoscaler, MetricSpec } from "../../../lib/k8s/hpa";
import { present } from "../../../lib/k8s/map";
import type { MetricResponse, MetricValue, Pod, PodMetrics, Scale } from "../../../lib/k8s/objects";
import type { EpochMs } from "../../../lib/k8s/time";
import {
  containerSamples,
  customSamples,
  groupPods,
  type PodGroups,
  podSamples,
  type Samples,
} from "../../../lib/core/recommend/group-pods";
import { tolerancesOf } from "../../../lib/core/replica-math";
import { hpaNamespace } from "../../../lib/core/select-pods";
import { metricLabel } from "../../../lib/model/metric/metric-label";
import type { Options } from "../../../lib/model/situation";

export interface PodOwner {
  readonly kind: string;
  readonly name: string;
}

export interface FoundPod {
  readonly pod: Pod;
  readonly owner?: PodOwner;
}

export interface FoundPods {
  readonly scale: Scale;
  readonly pods: readonly FoundPod[];
  /** For each metric of pods, in order. */
  readonly readings: readonly { readonly metric: MetricSpec; readonly response: MetricResponse }[];
}

export interface PodNow {
  readonly name: string;
  /** "Running", "Running, not ready", "Succeeded", "Terminating" */
  readonly status: string;
  readonly owner?: PodOwner;
  /** True if the target made it. Undefined: its owner's kind does not say. */
  readonly isOwn?: boolean;
  /** For each metric of pods. Undefined: unreadable. */
  readonly groups: readonly (keyof PodGroups | undefined)[];
}

/** As upstream, the HPA counts all pods that the selector matches, whatever made them. */
export interface PodsNow {
  readonly selector: string;
  readonly metrics: readonly { readonly name: string; readonly failure?: string }[];
  readonly pods: readonly PodNow[];
}

export function isOfPods({ type }: MetricSpec): boolean {
  return type === "Resource" || type === "ContainerResource" || type === "Pods";
}

export function podsNow(
  hpa: HorizontalPodAutoscaler,
  { scale, pods, readings }: FoundPods,
  { options, now }: { readonly options: Options; readonly now: EpochMs },
): PodsNow {
  const tolerances = tolerancesOf(hpa.spec.behavior, options);
  const all = pods.map(({ pod }) => pod);
  const observed = { namespace: hpaNamespace(hpa), scale, pods: all, tolerances, options, now };
  const grouped = readings.map(({ metric, response }) => {
    if ("error" in response) return undefined;
    return byPod(groupPods(samplesOf(metric, response.items), metric.resource?.name ?? resourceOf(metric), observed));
  });
  return {
    selector: scale.status.selector ?? "",
    metrics: readings.map(({ metric, response }) => ({
      name: metricLabel(metric),
      ...("error" in response && { failure: response.error }),
    })),
    pods: pods.map((found) => {
      const isOwn = isOwnedBy(hpa.spec.scaleTargetRef, found);
      return {
        name: found.pod.metadata.name,
        status: statusOf(found.pod),
        ...present({ owner: found.owner, isOwn }),
        groups: grouped.map((groups) => groups?.get(found.pod)),
      };
    }),
  };
}

function resourceOf({ containerResource }: MetricSpec): string {
  return containerResource?.name ?? "";
}

function samplesOf({ resource, containerResource }: MetricSpec, items: readonly unknown[]): Samples {
  if (resource !== undefined) return podSamples(items as readonly PodMetrics[], resource.name);
  if (containerResource === undefined) return customSamples(items as readonly MetricValue[]);
  return containerSamples(items as readonly PodMetrics[], containerResource.name, containerResource.container);
}

function byPod(groups: PodGroups): ReadonlyMap<Pod, keyof PodGroups> {
  const names = ["ready", "unready", "missing", "ignored"] as const;
  return new Map(names.flatMap((name) => groups[name].map((pod) => [pod, name] as const)));
}

function statusOf({ metadata, status }: Pod): string {
  const phase = status?.phase ?? "Unknown";
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return phase === "Running" && ready?.status !== "True" ? "Running, not ready" : phase;
}

/** They own their pods, or a Deployment's ReplicaSets do. */
const builtIn = ["Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"];

/** Part of the ReplicaSets' names. */
const hashLabels = ["pod-template-hash", "rollouts-pod-template-hash"];

function isOwnedBy({ kind, name }: PodOwner, { pod, owner }: FoundPod): boolean | undefined {
  if (owner === undefined) return false;
  if (owner.kind === kind && owner.name === name) return true;
  const labels = pod.metadata.labels ?? {};
  const isReplicaSetOf = hashLabels.some((label) => owner.name === `${name}-${labels[label]}`);
  if (owner.kind === "ReplicaSet" && kind !== "StatefulSet" && isReplicaSetOf) return true;
  return builtIn.includes(kind) ? false : undefined;
}
