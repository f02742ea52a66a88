import { isAbsent, isMap, present } from "../../k8s/map";
import { Fault, isFault } from "../../model/fault";
import type { CrossVersionObjectReference, MetricIdentifier } from "../../k8s/hpa";
import type { ExternalMetricQuery, ObjectMetricQuery, PodsMetricQuery } from "../../model/ports/cluster";
import type { LabelSelector, ExternalMetricValue, MetricValue, PodMetrics } from "../../k8s/objects";
import { isQuantity } from "../../k8s/quantity";
import { formatSelector, selectorFrom, SelectorError } from "../../k8s/selector";
import type { Subject } from "./api-fault";
import { type DiscoveredApi, type Discovery, groupOf } from "./discovery";
import { listPages } from "./pages";
import { isDuration, isInstant, isName, readLabels, readQuantities, unreadMetadata } from "./readable";

/** Paths and texts: k8s.io/metrics' clients and podautoscaler/metrics/client.go. */
export interface MetricsApis {
  podMetrics(namespace: string, selector: string, signal: AbortSignal): Promise<readonly PodMetrics[]>;
  podsMetric(query: PodsMetricQuery, signal: AbortSignal): Promise<readonly MetricValue[]>;
  objectMetric(query: ObjectMetricQuery, signal: AbortSignal): Promise<readonly MetricValue[]>;
  externalMetric(query: ExternalMetricQuery, signal: AbortSignal): Promise<readonly ExternalMetricValue[]>;
}

const RESOURCE_METRICS = "metrics.k8s.io";
const CUSTOM_METRICS = "custom.metrics.k8s.io";
const EXTERNAL_METRICS = "external.metrics.k8s.io";

export function metricsApis({ api, discovery }: DiscoveredApi): MetricsApis {
  async function customMetric(
    described: { readonly resource: string; readonly name: string; readonly metric: MetricIdentifier } & {
      readonly namespace: string;
      readonly selector?: string;
      readonly priority: number;
    },
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const version = await customMetricsVersion(discovery, signal);
    const { namespace, resource, name, metric, selector, priority } = described;
    const object = [resource, name, metric.name].map(segment).join("/");
    // The path of a namespace's own metric is namespaces/<namespace>/metrics/<metric>.
    const rest = resource === "namespaces" ? `metrics/${segment(metric.name)}` : object;
    const subject: Subject = {
      verb: resource === "pods" && name === "*" ? "list" : "get",
      group: CUSTOM_METRICS,
      resource: resource === "namespaces" ? "metrics" : resource,
      ...(resource === "namespaces" ? {} : { subresource: metric.name }),
      namespace,
      name: resource === "namespaces" ? metric.name : name,
      path: `/apis/${CUSTOM_METRICS}/${version}/namespaces/${segment(namespace)}/${rest}`,
    };
    const query = selectors({ labelSelector: selector, metricLabelSelector: selectorText(metric.selector) });
    const failureKey = failureKeyOf(subject, query);
    const request = {
      subject,
      query: { first: {}, all: query },
      kinds: ["MetricValueList"],
      large: true,
      failureKey,
      priority,
    };
    return listPages(api, { ...request, trim: { keep: trimMetricValue } }, signal);
  }

  return {
    async podMetrics(namespace, selector, signal) {
      const path = `/apis/${RESOURCE_METRICS}/v1beta1/namespaces/${segment(namespace)}/pods`;
      const subject = { verb: "list", group: RESOURCE_METRICS, resource: "pods", namespace, path } as const;
      const query = { first: {}, all: selectors({ labelSelector: selector }) };
      const request = {
        subject,
        query,
        kinds: ["PodMetricsList"],
        large: true,
        trim: { keep: readPodMetrics, unread: unreadMetadata },
      };
      // Without unreadable items: their pods count as pods without metrics.
      return (await listPages(api, request, signal)).filter((item): item is PodMetrics => isMap(item));
    },

    async podsMetric({ namespace, metric, selector, priority = 0 }, signal) {
      const described = { namespace, resource: "pods", name: "*", metric, selector, priority };
      return (await customMetric(described, signal)).filter(isOfPod);
    },

    async objectMetric({ namespace, metric, describedObject, priority = 0 }, signal) {
      const described = await describedResource(discovery, describedObject, signal);
      const items = values<MetricValue>(
        await customMetric({ namespace, metric, ...described, priority }, signal),
        metric.name,
      );
      if (items.length !== 1)
        throw new Fault(
          "badAnswer",
          `the custom metrics API server returned ${items.length} results when we asked for exactly one`,
        );
      return items;
    },

    async externalMetric({ namespace, metric, priority = 0 }, signal) {
      const path = `/apis/${EXTERNAL_METRICS}/v1beta1/namespaces/${segment(namespace)}/${segment(metric.name)}`;
      const subject = { verb: "list", group: EXTERNAL_METRICS, resource: metric.name, namespace, path } as const;
      const all = selectors({ labelSelector: selectorText(metric.selector) });
      const query = { first: {}, all };
      const request = {
        subject,
        query,
        kinds: ["ExternalMetricValueList"],
        failureKey: failureKeyOf(subject, all),
        priority,
      };
      return values<ExternalMetricValue>(
        await listPages(api, { ...request, trim: { keep: trimMetricValue } }, signal),
        metric.name,
      );
    },
  };
}

/** An adapter may answer for one metric and hang for another. */
function failureKeyOf({ path }: Subject, query: Readonly<Record<string, string>>): string {
  return JSON.stringify([path, query]);
}

/** custom_metrics/discovery.go, chooseVersion: the first version that ebb knows, the preferred one before others. */
async function customMetricsVersion(discovery: Discovery, signal: AbortSignal): Promise<string> {
  const versions = await discovery.versions(CUSTOM_METRICS, signal);
  if (versions.length === 0) throw new Fault("notFound", `no custom metrics API (${CUSTOM_METRICS}) registered`);
  const known = versions.find((version) => version === "v1beta2" || version === "v1beta1");
  if (known === undefined) throw new Fault("notFound", "no known available metric versions found");
  return known;
}

/** `resource.group` in the path. A Namespace is always the HPA's own: a metric must not lead out of the namespace. */
async function describedResource(
  discovery: Discovery,
  { apiVersion, kind, name }: CrossVersionObjectReference,
  signal: AbortSignal,
): Promise<{ readonly resource: string; readonly name: string }> {
  const group = groupOf(apiVersion);
  if (kind === "Namespace" && group === "") return { resource: "namespaces", name };
  try {
    const [first] = await discovery.resources(group, kind, signal);
    if (first === undefined) throw new Fault("notFound", "unrecognized resource");
    return { resource: group === "" ? first.resource : `${first.resource}.${group}`, name };
  } catch (error) {
    if (!isFault(error, "notFound")) throw error;
    const qualified = group === "" ? kind : `${kind}.${group}`;
    throw new Fault("notFound", `unable to map kind ${qualified} to resource: ${error.message}`, { cause: error });
  }
}

function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "";
  try {
    return formatSelector(selectorFrom(selector));
  } catch (cause) {
    if (cause instanceof SelectorError) throw new Fault("badEntry", cause.message, { cause });
    throw cause;
  }
}

function selectors(texts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ""),
  );
}

function segment(text: string): string {
  return text === "*" ? text : encodeURIComponent(text);
}

function trimMetricValue(item: unknown): unknown {
  if (!isMap(item)) return item;
  const { describedObject, metric, metricName, metricLabels, timestamp, windowSeconds, value } = item;
  return {
    ...present({ describedObject, metric, metricName, metricLabels, timestamp, windowSeconds, value }),
  };
}

/** Every item must have a value: without one, their sum is unknown. */
function values<T extends MetricValue | ExternalMetricValue>(items: readonly unknown[], metric: string): readonly T[] {
  items.forEach((item, index) => {
    const where = `metric ${metric}: expected items[${index}]`;
    if (!isMap(item)) throw new Fault("badAnswer", `${where} as an object, got ${shown(item)}`);
    const { value } = item;
    if (!isQuantity(value)) throw new Fault("badAnswer", `${where}.value as a quantity, got ${shown(value)}`);
  });
  return items as readonly T[];
}

function shown(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 200);
}

function isOfPod(item: unknown): item is MetricValue {
  if (!isMap(item) || !isMap(item["describedObject"])) return false;
  return isName(item["describedObject"]["name"]) && isQuantity(item["value"]);
}

/** Undefined: unreadable. The pod counts as missing, and so does a pod without containers. */
function readPodMetrics(item: unknown): PodMetrics | undefined {
  if (!isMap(item) || !isMap(item["metadata"])) return undefined;
  const { metadata, timestamp, window, containers } = item;
  const { name, namespace, labels } = metadata as Readonly<Record<string, unknown>>;
  const known = isAbsent(labels) ? {} : readLabels(labels);
  if (!isName(name) || known === undefined || !isInstant(timestamp) || !isDuration(window)) return undefined;
  if (!Array.isArray(containers)) return undefined;
  const read = containers.map(readContainerUsage);
  if (read.includes(undefined)) return undefined;
  return {
    metadata: { name, ...(isName(namespace) && { namespace }), ...(!isAbsent(labels) && { labels: known }) },
    timestamp,
    window,
    containers: read as PodMetrics["containers"],
  };
}

function readContainerUsage(container: unknown): PodMetrics["containers"][number] | undefined {
  if (!isMap(container)) return undefined;
  const { name, usage } = container;
  const read = readQuantities(usage);
  return isName(name) && read !== undefined ? { name, usage: read } : undefined;
}
