import { parseMilli } from "../../k8s/quantity";
import type { Container, Pod } from "../../k8s/objects";
import { wrapInt64, ownQuantity } from "../replica-math";
import type { Result } from "./recommendation";

/** Upstream: component-helpers resource/helpers.go. */
const podLevel = (resource: string) => resource === "cpu" || resource === "memory" || resource.startsWith("hugepages-");

/**
 * In thousandths, by pod name; `container` "": all running ones. One pod without a request, even Pending or Failed,
 * makes the metric unavailable. Upstream: calculateRequests.
 */
export function podRequests(
  pods: readonly Pod[],
  resource: string,
  container: string,
): Result<ReadonlyMap<string, bigint>> {
  const requests = new Map<string, bigint>();
  for (const pod of pods) {
    const request = podRequest(pod, resource, container);
    if ("error" in request) return request;
    requests.set(pod.metadata.name, request.value);
  }
  return { value: requests };
}

function podRequest(pod: Pod, resource: string, container: string): Result<bigint> {
  if (pod.unreadable === true) return { value: 0n };
  const requests = pod.spec?.resources?.requests;
  if (container === "" && requests !== undefined && Object.keys(requests).some(podLevel)) {
    return wholePodRequest(pod, resource);
  }
  return containersRequest(pod, resource, container);
}

/** Upstream: PodRequests. */
function wholePodRequest(pod: Pod, resource: string): Result<bigint> {
  const own = podLevel(resource) ? ownQuantity(pod.spec?.resources?.requests, resource) : undefined;
  const requested = own === undefined ? aggregateRequest(pod, resource) : parseMilli(own);
  const request = plus(requested, ownQuantity(pod.spec?.overhead, resource));
  if (request !== undefined) return { value: request };
  return { error: `missing pod-level request for ${resource} in Pod ${pod.metadata.name}` };
}

/**
 * The most at once: all running containers, or one init container with the sidecars before it. Upstream:
 * AggregateContainerRequests.
 */
function aggregateRequest(pod: Pod, resource: string): bigint | undefined {
  let running: bigint | undefined;
  let sidecars = 0n;
  let starting: bigint | undefined;
  for (const { resources } of pod.spec?.containers ?? [])
    running = plus(running, ownQuantity(resources?.requests, resource));
  for (const container of pod.spec?.initContainers ?? []) {
    const request = ownQuantity(container.resources?.requests, resource);
    if (request === undefined) continue;
    if (isSidecar(container)) {
      running = plus(running, request);
      sidecars = plus(sidecars, request) ?? sidecars;
    }
    const held = isSidecar(container) ? sidecars : sidecars + parseMilli(request);
    starting = starting === undefined || held > starting ? held : starting;
  }
  return running === undefined || (starting !== undefined && starting > running) ? starting : running;
}

function plus(sum: bigint | undefined, request: string | number | undefined): bigint | undefined {
  return request === undefined ? sum : wrapInt64((sum ?? 0n) + parseMilli(request));
}

/** A named container ends the search. Upstream: calculatePodRequestsFromContainers. */
function containersRequest(pod: Pod, resource: string, wanted: string): Result<bigint> {
  let sum = 0n;
  for (const container of runningContainers(pod)) {
    if (wanted !== "" && container.name !== wanted) continue;
    const request = ownQuantity(container.resources?.requests, resource);
    if (request === undefined) {
      const error = `missing request for ${resource} in container ${container.name} of Pod ${pod.metadata.name}`;
      return { error };
    }
    sum = wrapInt64(sum + parseMilli(request));
    if (wanted !== "") return { value: sum };
  }
  return wanted === "" ? { value: sum } : { error: `container ${wanted} not found in Pod ${pod.metadata.name}` };
}

function runningContainers(pod: Pod): readonly Container[] {
  const containers = pod.spec?.containers ?? [];
  const initContainers = pod.spec?.initContainers;
  return initContainers === undefined ? containers : [...containers, ...initContainers.filter(isSidecar)];
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}
