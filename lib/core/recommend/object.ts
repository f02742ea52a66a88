import type { MetricSpec, MetricStatus, MetricValueStatus } from "../../k8s/hpa";
import type { MetricResponse, MetricValue } from "../../k8s/objects";
import { formatMilli, parseMilli } from "../../k8s/quantity";
import { formatGoLabelSelector } from "../../k8s/selector";
import { replicasFromTotalPerPod, replicasFromValue } from "./from-total";
import {
  fetchedItem,
  objectReference,
  selectorProblem,
  shownMetric,
  unavailable,
  type Observed,
  type Recommendation,
  type Result,
} from "./recommendation";

type Source = NonNullable<MetricSpec["object"]>;

/** The target's type decides. Upstream: computeStatusForObjectMetric, horizontal.go. */
export function recommendObject(metric: MetricSpec, response: MetricResponse, observed: Observed): Recommendation {
  const source = metric.object as Source;
  const problem = selectorProblem(source.metric.selector);
  if (problem !== undefined) return failed(problem);
  const { type, value, averageValue } = source.target;
  if (type === "Value" && value !== undefined) return fromValue(source, parseMilli(value), response, observed);
  if (type === "AverageValue" && averageValue !== undefined) {
    return fromAverage(source, parseMilli(averageValue), response, observed);
  }
  return failed("invalid object metric source: neither a value target nor an average value target was set");
}

function failed(message: string, wrapped = message): Recommendation {
  return unavailable("FailedGetObjectMetric", message, `failed to get object metric value: ${wrapped}`);
}

function fromValue(source: Source, target: bigint, response: MetricResponse, observed: Observed): Recommendation {
  const total = readTotal(source, response, observed.namespace);
  if ("error" in total) return failed(total.error);
  const result = replicasFromValue(total.value, target, observed);
  if ("error" in result) return failed(result.error);
  const value = formatMilli(total.value, "DecimalSI");
  const { because, replicas, ...numbers } = result.value;
  return {
    kind: "proposal",
    replicas,
    because,
    name: `${source.describedObject.kind} metric ${source.metric.name}`,
    status: statusOf(source, { value }),
    detail: { value, target: formatMilli(target, "DecimalSI"), ...numbers },
  };
}

/** Upstream names it as an External metric. */
function fromAverage(source: Source, target: bigint, response: MetricResponse, observed: Observed): Recommendation {
  const { name, selector } = source.metric;
  const total = readTotal(source, response, observed.namespace);
  if ("error" in total) return failed(total.error, `failed to get ${name} object metric: ${total.error}`);
  const { because, replicas, average, ...numbers } = replicasFromTotalPerPod(total.value, target, observed);
  const averageValue = formatMilli(average, "DecimalSI");
  return {
    kind: "proposal",
    replicas,
    because,
    name: `external metric ${name}(${formatGoLabelSelector(selector)})`,
    status: statusOf(source, { averageValue }),
    detail: {
      value: formatMilli(total.value, "DecimalSI"),
      averageValue,
      target: formatMilli(target, "DecimalSI"),
      ...numbers,
    },
  };
}

function readTotal(source: Source, response: MetricResponse, namespace: string): Result<bigint> {
  const item = fetchedItem<MetricValue>(response, "custom");
  if ("value" in item) return { value: parseMilli(item.value.value) };
  const { kind, name } = source.describedObject;
  return { error: `unable to get metric ${source.metric.name} on ${kind} ${namespace}/${name}: ${item.error}` };
}

function statusOf(source: Source, current: MetricValueStatus): MetricStatus {
  const metric = shownMetric(source.metric);
  return { type: "Object", object: { metric, current, describedObject: objectReference(source.describedObject) } };
}
