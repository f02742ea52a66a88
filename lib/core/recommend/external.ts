import type { MetricIdentifier, MetricSpec, MetricStatus, MetricValueStatus } from "../../k8s/hpa";
import type { ExternalMetricValue, MetricResponse } from "../../k8s/objects";
import { MAX_INT64, formatMilli, parseMilli } from "../../k8s/quantity";
import { present } from "../../k8s/map";
import { formatGoLabelSelector } from "../../k8s/selector";
import { currentReplicas } from "../gate";
import { wrapInt64 } from "../replica-math";
import { replicasFromTotalPerPod, replicasFromValue } from "./from-total";
import {
  fetchedItems,
  selectorProblem,
  shownMetric,
  unavailable,
  type Observed,
  type Recommendation,
} from "./recommendation";

type Source = NonNullable<MetricSpec["external"]>;

/** averageValue wins over value. Upstream: computeStatusForExternalMetric. */
export function recommendExternal(metric: MetricSpec, response: MetricResponse, observed: Observed): Recommendation {
  const source = metric.external as Source;
  const { value, averageValue } = source.target;
  if (averageValue !== undefined) return fromAverage(source, parseMilli(averageValue), response, observed);
  if (value !== undefined) return fromValue(source, parseMilli(value), response, observed);
  const neither = "invalid external metric source: neither a value target nor an average value target was set";
  return failed(source, neither);
}

function failed({ metric }: Source, message: string, wrapped = message): Recommendation {
  const error = `failed to get ${metric.name} external metric value: ${wrapped}`;
  return unavailable("FailedGetExternalMetric", message, error);
}

function fromAverage(source: Source, target: bigint, response: MetricResponse, observed: Observed): Recommendation {
  const { name } = source.metric;
  const values = readValues(source, response, observed);
  if ("error" in values) return failed(source, values.error, `failed to get ${name} external metric: ${values.error}`);
  const total = sumPerPod(values.value);
  const { because, replicas, average, ...numbers } = replicasFromTotalPerPod(total, target, observed);
  const averageValue = formatMilli(average, "DecimalSI");
  return {
    kind: "proposal",
    replicas,
    because: `${because}${noteOn(values)}`,
    name: externalName(source.metric),
    status: statusOf(source, { averageValue }),
    detail: {
      value: formatMilli(total, "DecimalSI"),
      averageValue,
      target: formatMilli(target, "DecimalSI"),
      ...numbers,
      ...madeOf(response),
      ...saidOf(values),
    },
  };
}

function fromValue(source: Source, target: bigint, response: MetricResponse, observed: Observed): Recommendation {
  const { name } = source.metric;
  const fail = (error: string) => failed(source, error, `failed to get external metric ${name}: ${error}`);
  const values = readValues(source, response, observed);
  if ("error" in values) return fail(values.error);
  const total = sumCapped(values.value);
  const result = replicasFromValue(total, target, observed);
  if ("error" in result) return fail(result.error);
  const value = formatMilli(total, "DecimalSI");
  const { because, replicas, ...numbers } = result.value;
  return {
    kind: "proposal",
    replicas,
    because: `${because}${noteOn(values)}`,
    name: externalName(source.metric),
    status: statusOf(source, { value }),
    detail: {
      value,
      target: formatMilli(target, "DecimalSI"),
      ...numbers,
      ...madeOf(response),
      ...saidOf(values),
    },
  };
}

interface Values {
  readonly value: readonly bigint[];
  /** The lowest of them, which counts as 0. */
  readonly belowZero?: string;
  /** Why the whole value is unknown. */
  readonly atLeastBecause?: string;
}

function noteOn({ belowZero, atLeastBecause }: Values): string {
  if (atLeastBecause !== undefined) return `, of at least so much: ${atLeastBecause}`;
  return belowZero === undefined ? "" : `, where ${belowZero} counts as 0`;
}

function saidOf({ belowZero, atLeastBecause }: Values) {
  return present({ belowZero, atLeastBecause });
}

function readValues(
  { metric }: Source,
  response: MetricResponse,
  { namespace, scale }: Pick<Observed, "namespace" | "scale">,
): Values | { readonly error: string } {
  // Labels for our own sources are parameters: a queue's URL is no valid label.
  const problem = response.from === undefined ? selectorProblem(metric.selector) : undefined;
  if (problem !== undefined) return { error: problem };
  // At a larger size, an unknown value must not lower it.
  if ("error" in response && response.atLeast !== undefined && currentReplicas(scale) === 0)
    return { value: [parseMilli(response.atLeast)], atLeastBecause: response.error };
  const items = fetchedItems<ExternalMetricValue>(response, "external");
  if ("value" in items) {
    const value = items.value.map(({ value }) => parseMilli(value));
    return response.from === undefined ? { value } : withoutNegative(value);
  }
  return { error: `${unreadableMetric(metric, namespace)}${items.error}` };
}

/**
 * A value below 0 of ebb's own sources is no work. Upstream's overflow rule (sumPerPod) is for metrics APIs: it would
 * scale a difference of -5 to maxReplicas.
 */
function withoutNegative(values: readonly bigint[]): Values {
  const lowest = values.reduce((least, value) => (value < least ? value : least), 0n);
  if (lowest === 0n) return { value: values };
  return {
    value: values.map((value) => (value < 0n ? 0n : value)),
    belowZero: formatMilli(lowest, "DecimalSI"),
  };
}

/** The cause follows. */
export function unreadableMetric({ name, selector }: MetricIdentifier, namespace: string): string {
  return `unable to get external metric ${namespace}/${name}/${formatGoLabelSelector(selector)}: `;
}

function madeOf(response: MetricResponse): { readonly madeOf?: string } {
  return "madeOf" in response && response.madeOf !== undefined ? { madeOf: response.madeOf } : {};
}

/** Upstream reads a negative sum as an overflow: it counts as the largest. */
function sumPerPod(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    sum = wrapInt64(sum + value);
    if (sum < 0n) return MAX_INT64;
  }
  return sum;
}

function sumCapped(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    if (value > 0n && sum > MAX_INT64 - value) return MAX_INT64;
    sum = wrapInt64(sum + value);
  }
  return sum;
}

export function externalName({ name, selector }: MetricIdentifier): string {
  return `external metric ${name}(${formatGoLabelSelector(selector)})`;
}

function statusOf({ metric }: Source, current: MetricValueStatus): MetricStatus {
  return { type: "External", external: { metric: shownMetric(metric), current } };
}
