import type { IncomingMessage, ServerResponse } from "node:http";
import { groupDiscovery, type ServedGroup } from "./http/discovery";
import type { ExternalReading, MetricReadings, ObjectReading, PodUsage } from "./readings";
import { timestamp } from "./resources/object";
import { parseResourcePath, type ResourceRequest, requestTargetOf } from "./http/requests";
import { sendFailure, sendJson, sendUnknownPath } from "./http/answers";
import { parseLabelSelector } from "./resources/selectors";
import { methodNotAllowed, notFoundError, StatusError, unknownResource } from "./resources/status";

/** metrics.k8s.io/v1beta1, custom.metrics.k8s.io/v1beta1 and v1beta2, external.metrics.k8s.io/v1beta1. */
export interface MetricsApi {
  groups(): ServedGroup[];
  /** Other paths are 404. */
  handle(request: IncomingMessage, response: ServerResponse): void;
}

const groupNames = {
  resource: "metrics.k8s.io",
  custom: "custom.metrics.k8s.io",
  external: "external.metrics.k8s.io",
};

export function createMetricsApi(readings: MetricReadings, now: () => number): MetricsApi {
  const groups = (): ServedGroup[] => servedMetrics(readings);

  const answer = (info: ResourceRequest, query: URLSearchParams): unknown => {
    if (!["get", "list"].includes(info.verb)) throw methodNotAllowed(["GET", "HEAD"]);
    if (info.strayed) throw unknownResource();
    const request = { info, query, now: now() };
    if (info.group === groupNames.resource) return podMetrics(readings.podUsages(), request);
    if (info.group === groupNames.custom) return customMetric(readings.objects(), request);
    return externalMetric(readings.externals(), request);
  };

  return {
    groups,
    handle(request, response) {
      try {
        const target = requestTargetOf(request);
        const document = discoveryDocument(groups(), target.path);
        if (document !== undefined) {
          if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET", "HEAD"]);
          return sendJson(request, response, document);
        }
        const info = parseResourcePath(request.method ?? "GET", target);
        const known = groups().find(({ name }) => name === info?.group);
        if (info === undefined || !known?.versions.some(({ version }) => version === info.version)) {
          return sendUnknownPath(response);
        }
        sendJson(request, response, answer(info, target.query));
      } catch (error) {
        sendFailure(request, response, error);
      }
    },
  };
}

function servedMetrics(readings: MetricReadings): ServedGroup[] {
  const one = (name: string, kind: string, namespaced = true) => ({
    ...{ name, kind, namespaced, singularName: "", verbs: ["get"] },
  });
  const custom = unique(readings.objects().map(({ resource, metric }) => `${resource}/${metric}`)).map((name) =>
    one(name, "MetricValueList"),
  );
  const external = unique(readings.externals().map(({ metric }) => metric)).map((name) =>
    one(name, "ExternalMetricValueList"),
  );
  const pods = { ...one("pods", "PodMetrics"), verbs: ["get", "list"] };
  return [
    { name: groupNames.resource, versions: [{ version: "v1beta1", resources: [pods] }] },
    {
      name: groupNames.custom,
      versions: ["v1beta2", "v1beta1"].map((version) => ({ version, resources: custom })),
    },
    { name: groupNames.external, versions: [{ version: "v1beta1", resources: external }] },
  ];
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

function discoveryDocument(groups: readonly ServedGroup[], path: string): unknown {
  const [root, name, version, ...rest] = path.split("/").filter((part) => part !== "");
  return root === "apis" && rest.length === 0 ? groupDiscovery(groups, name, version) : undefined;
}

interface Query {
  readonly info: ResourceRequest;
  readonly query: URLSearchParams;
  readonly now: number;
}

function podMetrics(usages: readonly PodUsage[], { info, query, now }: Query): unknown {
  if (info.plural !== "pods") throw notFoundError({ group: info.group, plural: info.plural, kind: "" }, info.name);
  const here = usages.filter(({ namespace }) => info.namespace === "" || namespace === info.namespace);
  const apiVersion = `${info.group}/v1beta1`;
  if (info.name !== "") {
    const usage = here.find(({ name }) => name === info.name);
    const subject = { group: info.group, plural: "podmetrics", kind: "PodMetrics" };
    if (usage === undefined) throw notFoundError(subject, `${info.namespace}/${info.name}`);
    return { kind: "PodMetrics", apiVersion, ...podMetricsOf(usage, now) };
  }
  const matches = parseLabelSelector(query.get("labelSelector") ?? "");
  const items = here.filter(({ labels }) => matches(labels)).map((usage) => podMetricsOf(usage, now));
  return { kind: "PodMetricsList", apiVersion, metadata: {}, items };
}

function podMetricsOf(usage: PodUsage, now: number) {
  const { namespace, name, labels, containers, windowSeconds = 15 } = usage;
  const at = usage.timestamp ?? timestamp(now);
  return {
    metadata: { name, namespace, creationTimestamp: at, ...(labels && { labels }) },
    timestamp: at,
    window: `${windowSeconds}s`,
    containers: Object.entries(containers).map(([container, values]) => ({ name: container, usage: values })),
  };
}

function customMetric(readings: readonly ObjectReading[], { info, query, now }: Query): unknown {
  const ofNamespace = info.plural === "metrics" && info.subresource === undefined;
  const metric = ofNamespace ? info.name : (info.subresource ?? "");
  const resource = ofNamespace ? "namespaces" : info.plural;
  const name = ofNamespace ? info.namespace : info.name;
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const metricLabels = parseLabelSelector(query.get("metricLabelSelector") ?? "");
  const found = readings.filter(
    (reading) =>
      reading.metric === metric &&
      reading.resource === resource &&
      (ofNamespace || reading.namespace === info.namespace) &&
      (name === "*" ? labels(reading.labels) : reading.name === name) &&
      metricLabels(reading.metricLabels),
  );
  if (found.length === 0) throw metricNotFound(metric, name === "*" ? resource : `${resource} ${name}`);
  return {
    kind: "MetricValueList",
    apiVersion: `${info.group}/${info.version}`,
    metadata: {},
    items: found.map((reading) => metricValue(reading, info.version, now)),
  };
}

function metricValue(reading: ObjectReading, version: string, now: number): unknown {
  const { kind, namespace, name, apiVersion, metric, value, windowSeconds } = reading;
  return {
    describedObject: { kind, ...(namespace !== "" && { namespace }), name, apiVersion },
    ...(version === "v1beta1" ? { metricName: metric, selector: null } : { metric: { name: metric, selector: null } }),
    timestamp: reading.timestamp ?? timestamp(now),
    ...(windowSeconds !== undefined && { windowSeconds }),
    value,
  };
}

function externalMetric(readings: readonly ExternalReading[], { info, query, now }: Query): unknown {
  const known = readings.filter(({ namespace, metric }) => namespace === info.namespace && metric === info.plural);
  if (known.length === 0) throw metricNotFound(info.plural, "namespaces");
  const matches = parseLabelSelector(query.get("labelSelector") ?? "");
  const items = known
    .filter(({ labels }) => matches(labels))
    .map(({ metric, labels, value, timestamp: at }) => ({
      ...{ metricName: metric, metricLabels: labels ?? {}, timestamp: at ?? timestamp(now), value },
    }));
  return { kind: "ExternalMetricValueList", apiVersion: `${info.group}/v1beta1`, metadata: {}, items };
}

// Upstream: custom-metrics-apiserver, provider.NewMetricNotFoundError.
function metricNotFound(metric: string, of: string): StatusError {
  return new StatusError(404, "NotFound", `the server could not find the metric ${metric} for ${of}`, {});
}
