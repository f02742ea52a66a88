import type { MetricValue, Pod, PodMetrics } from "../../k8s/objects";
import { parseMilli } from "../../k8s/quantity";
import { parseDuration, parseInstant } from "../../k8s/time";
import { wrapInt64, ownQuantity } from "../replica-math";
import type { Observed } from "./recommendation";

/** As the API wrote it. */
export interface Sample {
  readonly milli: bigint;
  readonly timestamp: string;
  /** A Go duration ("30s"), or seconds. */
  readonly window: string | number;
}

export type Samples = ReadonlyMap<string, Sample>;

const DEFAULT_WINDOW_SECONDS = 60;

/** Only if all containers have the resource. Upstream: getPodMetrics. */
export function podSamples(items: readonly PodMetrics[], resource: string): Samples {
  const samples = new Map<string, Sample>();
  for (const { metadata, containers, timestamp, window } of items) {
    let milli: bigint | undefined = containers.length === 0 ? undefined : 0n;
    for (const { usage } of containers) {
      const quantity = ownQuantity(usage, resource);
      milli = milli === undefined || quantity === undefined ? undefined : wrapInt64(milli + parseMilli(quantity));
    }
    if (milli !== undefined) samples.set(metadata.name, { milli, timestamp, window });
  }
  return samples;
}

/** Upstream: getContainerMetrics. */
export function containerSamples(items: readonly PodMetrics[], resource: string, container: string): Samples {
  const samples = new Map<string, Sample>();
  for (const { metadata, containers, timestamp, window } of items) {
    const quantity = ownQuantity(containers.find(({ name }) => name === container)?.usage, resource);
    if (quantity !== undefined) samples.set(metadata.name, { milli: parseMilli(quantity), timestamp, window });
  }
  return samples;
}

/** Upstream: GetRawMetric. */
export function customSamples(items: readonly MetricValue[]): Samples {
  const samples = new Map<string, Sample>();
  for (const { describedObject, timestamp, value, windowSeconds } of items) {
    const window = windowSeconds ?? DEFAULT_WINDOW_SECONDS;
    samples.set(describedObject.name, { milli: parseMilli(value), timestamp, window });
  }
  return samples;
}

export interface PodGroups {
  readonly ready: readonly Pod[];
  /** Their samples say nothing about the load. */
  readonly unready: readonly Pod[];
  readonly missing: readonly Pod[];
  /** Terminating or failed. */
  readonly ignored: readonly Pod[];
}

/** `resource`: "" if not a resource. Upstream: groupPods, replica_calculator.go. */
export function groupPods(samples: Samples, resource: string, observed: Observed): PodGroups {
  const groups = { ready: [] as Pod[], unready: [] as Pod[], missing: [] as Pod[], ignored: [] as Pod[] };
  for (const pod of observed.pods) groups[groupOf(pod, samples.get(pod.metadata.name), resource, observed)].push(pod);
  return groups;
}

/** Upstream after 1.37 also ignores Succeeded pods. */
function groupOf(pod: Pod, sample: Sample | undefined, resource: string, observed: Observed): keyof PodGroups {
  const phase = pod.status?.phase;
  if (pod.metadata.deletionTimestamp !== undefined || phase === "Failed") return "ignored";
  if (phase === "Pending") return "unready";
  if (sample === undefined) return "missing";
  return resource === "cpu" && isStarting(pod, sample, observed) ? "unready" : "ready";
}

/**
 * A starting pod's CPU usage says nothing about the load. Within the initialization period, a sample counts if its
 * whole window is after the pod became ready; later, unless the pod never became ready.
 *
 *     startTime ──── readiness delay ─────── cpu initialization period ────► now
 *                     (30 s)                          (5 m)
 */
function isStarting({ status }: Pod, sample: Sample, { options, now }: Observed): boolean {
  const condition = status?.conditions?.find(({ type }) => type === "Ready");
  if (condition === undefined || status?.startTime === undefined) return true;
  const startedAt = parseInstant(status.startTime);
  const isNotReady = condition.status === "False";
  if (startedAt + options.cpuInitializationPeriodSeconds * 1000 > now) {
    return isNotReady || parseInstant(sample.timestamp) < changedAt(condition) + windowMs(sample);
  }
  return isNotReady && startedAt + options.initialReadinessDelaySeconds * 1000 > changedAt(condition);
}

/** Absent: Go's zero time. */
function changedAt({ lastTransitionTime }: { readonly lastTransitionTime?: string }): number {
  return lastTransitionTime === undefined ? -Infinity : parseInstant(lastTransitionTime);
}

function windowMs({ window }: Sample): number {
  return typeof window === "number" ? window * 1000 : parseDuration(window);
}
