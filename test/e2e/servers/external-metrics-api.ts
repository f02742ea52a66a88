import type { Handler } from "./aggregated-api";

const root = "/apis/external.metrics.k8s.io/v1beta1";

/**
 * external.metrics.k8s.io/v1beta1 with these metrics, in every namespace and for every selector. Values are read when
 * asked for.
 */
export function externalMetricsApi(metrics: Readonly<Record<string, () => number>>): Handler {
  return (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "https://localhost");
    const name = /\/namespaces\/[^/]+\/([^/]+)$/.exec(pathname)?.[1] ?? "";
    const value = metrics[name];
    const body = pathname === root ? resources(Object.keys(metrics)) : value && values(name, value());
    response.statusCode = body === undefined ? 404 : 200;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body ?? notFound(pathname)));
  };
}

function resources(names: readonly string[]) {
  const kind = "ExternalMetricValueList";
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "external.metrics.k8s.io/v1beta1",
    resources: names.map((name) => ({ name, singularName: "", namespaced: true, kind, verbs: ["get"] })),
  };
}

function values(metricName: string, value: number) {
  const timestamp = new Date().toISOString();
  return {
    kind: "ExternalMetricValueList",
    apiVersion: "external.metrics.k8s.io/v1beta1",
    metadata: {},
    items: [{ metricName, metricLabels: {}, timestamp, value: String(value) }],
  };
}

function notFound(path: string) {
  return { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404, message: `no ${path}` };
}
