import { serveAggregatedApi } from "../../test/e2e/servers/aggregated-api";
import type { ApiServer } from "../../test/e2e/servers/api-server";
import { indexOf, lengthOf, type Load } from "./fleet";

/** external.metrics.k8s.io behind the API server, where upstream's controller reads the queues. */
export interface ExternalMetrics {
  setLoad(load: Load): void;
  /** The metric that was asked for each HPA, since the last `forget`: one request each, in order. */
  readonly asked: readonly { readonly index: number; readonly at: number }[];
  forget(): void;
  stop(): Promise<void>;
}

export const metric = "depth";
export const group = "external.metrics.k8s.io";
const version = "v1beta1";

export async function serveExternalMetrics(apiServer: ApiServer): Promise<ExternalMetrics> {
  const asked: { index: number; at: number }[] = [];
  let load: Load = { moves: 0, grown: 0 };
  const stop = await serveAggregatedApi(apiServer, [{ group, version }], (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
    const queue = /^queue=(.+)$/.exec(searchParams.get("labelSelector") ?? "")?.[1];
    const isMetric = pathname.endsWith(`/${metric}`) && queue !== undefined;
    if (isMetric) asked.push({ index: indexOf(queue), at: performance.now() });
    const body = isMetric ? values(lengthOf(indexOf(queue), load)) : resources;
    const isKnown = isMetric || pathname === `/apis/${group}/${version}`;
    response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? body : { kind: "Status", apiVersion: "v1", status: "Failure", code: 404 }));
  });
  return {
    asked,
    setLoad: (next) => (load = next),
    forget: () => asked.splice(0),
    stop,
  };
}

const kind = "ExternalMetricValueList";
const resources = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/${version}`,
  resources: [{ name: metric, singularName: "", namespaced: true, kind, verbs: ["get"] }],
};

function values(value: number) {
  const item = { metricName: metric, metricLabels: {}, timestamp: new Date().toISOString(), value: String(value) };
  return { kind, apiVersion: `${group}/${version}`, metadata: {}, items: [item] };
}
