import type { MetricResponse, PodMetrics } from "../../api/metric-values";
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "../../api/hpa";
import { formatMilli, parseMilli } from "../../api/quantity";
import { recommendAverage } from "./average-value";
import { fetchedItems } from "./fetched";
import type { FromPods } from "./from-pods";
import { counts } from "./group-pods";
import { unavailable, type Observed, type Recommendation, type Result } from "./recommendation";
import type { MetricDetail } from "../step";
import { containerSamples, podSamples, type Samples } from "./samples";
import { recommendUtilization } from "./utilization";

interface Source {
  readonly resource: string;
  /** "": the whole pod. */
  readonly container: string;
  readonly target: MetricTarget;
}

interface ResourceProposal extends FromPods {
  readonly name: string;
  readonly current: MetricValueStatus;
  readonly detail: Omit<MetricDetail, "name">;
}

/** CPU or memory of whole pods. Upstream: computeStatusForResourceMetric, horizontal.go. */
export function recommendResource(metric: MetricSpec, response: MetricResponse, observed: Observed): Recommendation {
  const { name: resource, target } = metric.resource as NonNullable<MetricSpec["resource"]>;
  const result = propose({ resource, container: "", target }, response, observed);
  if ("error" in result) {
    const error = `failed to get ${resource} resource metric value: ${result.error}`;
    return unavailable("FailedGetResourceMetric", result.error, error);
  }
  const { current, ...proposal } = result.value;
  return { kind: "proposal", ...proposal, status: { type: "Resource", resource: { name: resource, current } } };
}

/** CPU or memory of one container of each pod. Upstream: computeStatusForContainerResourceMetric, horizontal.go. */
export function recommendContainerResource(
  metric: MetricSpec,
  response: MetricResponse,
  observed: Observed,
): Recommendation {
  const source = metric.containerResource as NonNullable<MetricSpec["containerResource"]>;
  const { name: resource, container, target } = source;
  const result = propose({ resource, container, target }, response, observed);
  if ("error" in result) {
    const error = `failed to get ${container} container metric value: ${result.error}`;
    return unavailable("FailedGetContainerResourceMetric", result.error, error);
  }
  const { current, ...proposal } = result.value;
  const status: MetricStatus = { type: "ContainerResource", containerResource: { name: resource, container, current } };
  return { kind: "proposal", ...proposal, status };
}

/** averageValue wins where both targets are given; `type` is not looked at. */
function propose(source: Source, response: MetricResponse, observed: Observed): Result<ResourceProposal> {
  const { resource, target } = source;
  if (target.averageValue !== undefined) {
    const result = proposeAverage(source, parseMilli(target.averageValue), response, observed);
    return "error" in result ? { error: `failed to get ${resource} usage: ${result.error}` } : result;
  }
  if (target.averageUtilization === undefined) {
    const neither = "neither an average utilization target nor an average value (usage) target was set";
    return { error: `invalid resource metric source: ${neither}` };
  }
  const result = proposeUtilization(source, target.averageUtilization, response, observed);
  return "error" in result ? { error: `failed to get ${resource} utilization: ${result.error}` } : result;
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
  const detail = { ratio, averageValue, target: formatResource(source.resource, target), ...counts(groups) };
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
  const detail = { ratio, averageUtilization, target: percent, ...counts(groups) };
  return { value: { ...proposal, name, current, detail } };
}

function readSamples({ resource, container }: Source, response: MetricResponse): Result<Samples> {
  const items = fetchedItems<PodMetrics>(response, "resource");
  if ("error" in items) return { error: `unable to get metrics for resource ${resource}: ${items.error}` };
  return {
    value: container === "" ? podSamples(items.value, resource) : containerSamples(items.value, resource, container),
  };
}

/** Memory in the units that people write it in. Upstream: buildQuantity, horizontal.go. */
function formatResource(resource: string, milli: bigint): string {
  return formatMilli(milli, resource === "memory" ? "BinarySI" : "DecimalSI");
}
