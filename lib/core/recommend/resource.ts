import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "../../k8s/hpa";
import type { MetricResponse, Pod, PodMetrics } from "../../k8s/objects";
import { formatMilli, parseMilli } from "../../k8s/quantity";
import type { MetricDetail } from "../../model/step";
import { wrapInt64 } from "../replica-math";
import {
  type FromPods,
  type Usage,
  recommendAverage,
  replicasFromPods,
  usableSamples,
  withoutSamples,
  podDetail,
} from "./from-pods";
import { type PodGroups, type Samples, containerSamples, groupPods, podSamples } from "./group-pods";
import { podRequests } from "./pod-requests";
import { type Observed, type Recommendation, type Result, fetchedItems, unavailable, wrapped } from "./recommendation";

export interface Utilization extends FromPods {
  readonly ratio: number;
  readonly percent: number;
  readonly average: bigint;
  readonly groups: PodGroups;
}

interface UtilizationTarget {
  readonly resource: string;
  /** "": the whole pod. */
  readonly container: string;
  readonly percent: number;
}

/** Upstream: GetResourceReplicas, replica_calculator.go. */
function recommendUtilization(samples: Samples, target: UtilizationTarget, observed: Observed): Result<Utilization> {
  if (observed.pods.length === 0) return { error: "no pods returned by selector while calculating replica count" };
  const groups = groupPods(samples, target.resource, observed);
  const sampled = usableSamples(samples, groups).length;
  if (sampled === 0) return withoutSamples(groups);
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
      const filledIn = total(full, (pod) => wrapInt64(requestOf(pod) * fullPercent) / 100n);
      const allRequested = wrapInt64(requested + total(full, requestOf) + total(idle, requestOf));
      const ratio = percentOf(wrapInt64(used + filledIn), allRequested) / target.percent;
      return { ratio, pods: sampled + full.length + idle.length };
    },
    observed,
  );
  const average = used / BigInt(groups.ready.length);
  return { value: { ...proposal, ratio: percent / target.percent, percent, average, groups } };
}

function total(pods: readonly Pod[], milli: (pod: Pod) => bigint): bigint {
  return pods.reduce((sum, pod) => wrapInt64(sum + milli(pod)), 0n);
}

/** Whole percent: 50.9 % against 50 % is on target. Upstream: GetResourceUtilizationRatio. */
function percentOf(used: bigint, requested: bigint): number {
  return Number(BigInt.asIntN(32, wrapInt64(used * 100n) / requested));
}

interface Source {
  readonly resource: string;
  readonly container: string;
  readonly target: MetricTarget;
}

interface ResourceProposal extends FromPods {
  readonly name: string;
  readonly current: MetricValueStatus;
  readonly detail: Omit<MetricDetail, "name">;
}

/** Upstream: computeStatusForResourceMetric, horizontal.go. */
export function recommendResource(metric: MetricSpec, response: MetricResponse, observed: Observed): Recommendation {
  const { name: resource, target } = metric.resource as NonNullable<MetricSpec["resource"]>;
  const result = propose({ resource, container: "", target }, response, observed);
  if ("error" in result) {
    const { error } = wrapped(result, `failed to get ${resource} resource metric value`);
    return { ...result, ...unavailable("FailedGetResourceMetric", result.error, error) };
  }
  const { current, ...proposal } = result.value;
  return { kind: "proposal", ...proposal, status: { type: "Resource", resource: { name: resource, current } } };
}

/** Upstream: computeStatusForContainerResourceMetric, horizontal.go. */
export function recommendContainerResource(
  metric: MetricSpec,
  response: MetricResponse,
  observed: Observed,
): Recommendation {
  const source = metric.containerResource as NonNullable<MetricSpec["containerResource"]>;
  const { name: resource, container, target } = source;
  const result = propose({ resource, container, target }, response, observed);
  if ("error" in result) {
    const { error } = wrapped(result, `failed to get ${container} container metric value`);
    return { ...result, ...unavailable("FailedGetContainerResourceMetric", result.error, error) };
  }
  const { current, ...proposal } = result.value;
  const status: MetricStatus = { type: "ContainerResource", containerResource: { name: resource, container, current } };
  return { kind: "proposal", ...proposal, status };
}

/** averageValue wins over averageUtilization; `type` is not used. */
function propose(source: Source, response: MetricResponse, observed: Observed): Result<ResourceProposal> {
  const { resource, target } = source;
  if (target.averageValue !== undefined) {
    const result = proposeAverage(source, parseMilli(target.averageValue), response, observed);
    return "error" in result ? wrapped(result, `failed to get ${resource} usage`) : result;
  }
  if (target.averageUtilization === undefined) {
    const neither = "neither an average utilization target nor an average value (usage) target was set";
    return { error: `invalid resource metric source: ${neither}` };
  }
  const result = proposeUtilization(source, target.averageUtilization, response, observed);
  return "error" in result ? wrapped(result, `failed to get ${resource} utilization`) : result;
}

function proposeAverage(
  source: Source,
  target: bigint,
  response: MetricResponse,
  observed: Observed,
): Result<ResourceProposal> {
  const samples = readSamples(source, response);
  if ("error" in samples) return samples;
  const result = recommendAverage(samples.value, source.resource, target, observed);
  if ("error" in result) return result;
  const { average, ratio, groups, ...proposal } = result.value;
  const averageValue = formatResource(source.resource, average);
  const detail = { ratio, averageValue, target: formatResource(source.resource, target), ...podDetail(groups) };
  return { value: { ...proposal, name: `${source.resource} resource`, current: { averageValue }, detail } };
}

function proposeUtilization(
  source: Source,
  percent: number,
  response: MetricResponse,
  observed: Observed,
): Result<ResourceProposal> {
  const samples = readSamples(source, response);
  if ("error" in samples) return samples;
  const { resource, container } = source;
  const result = recommendUtilization(samples.value, { resource, container, percent }, observed);
  if ("error" in result) return result;
  const { average, percent: averageUtilization, ratio, groups, ...proposal } = result.value;
  const name = `${resource} ${container === "" ? "" : "container "}resource utilization (percentage of request)`;
  const current = { averageUtilization, averageValue: formatResource(resource, average) };
  const detail = { ratio, averageUtilization, target: percent, ...podDetail(groups) };
  return { value: { ...proposal, name, current, detail } };
}

function readSamples({ resource, container }: Source, response: MetricResponse): Result<Samples> {
  const items = fetchedItems<PodMetrics>(response, "resource");
  if ("error" in items) return { error: `unable to get metrics for resource ${resource}: ${items.error}` };
  return {
    value: container === "" ? podSamples(items.value, resource) : containerSamples(items.value, resource, container),
  };
}

/** Upstream: buildQuantity, horizontal.go. */
function formatResource(resource: string, milli: bigint): string {
  return formatMilli(milli, resource === "memory" ? "BinarySI" : "DecimalSI");
}
