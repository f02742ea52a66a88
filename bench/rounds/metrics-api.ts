import { serveAggregatedApi } from "../../test/e2e/servers/aggregated-api";
import type { ApiServer } from "../../test/e2e/servers/api-server";
import { type Fleet, indexOf, lengthOf, type Load, milliCpuOf, nameOf, namespaceOf, podName } from "../harness/fleet";

/** The metrics API behind the API server, where upstream's controller reads the queues, and both read the pods' CPU. */
export interface MetricsApi {
  readonly group: string;
  setLoad(load: Load): void;
  /** Requests for metrics, in order: of one HPA, or of all at once (-1). Each side's round takes its own out. */
  readonly asked: { readonly index: number; readonly at: number }[];
  stop(): Promise<void>;
}

/** The name of the metric with the queues' lengths. */
export const metric = "depth";

export async function serveMetrics(apiServer: ApiServer, fleet: Fleet): Promise<MetricsApi> {
  const api = fleet.pods === undefined ? external : podMetrics(fleet);
  const [group, version = ""] = api.groupVersion.split("/") as [string, string];
  const asked: MetricsApi["asked"] = [];
  let load: Load = { moves: 0, grown: 0 };
  const stop = await serveAggregatedApi(apiServer, [{ group, version }], (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
    const name = /=(worker-\d+)$/.exec(searchParams.get("labelSelector") ?? "")?.[1];
    const [, namespace, asksFor] = /\/namespaces\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    const list = () => {
      asked.push({ index: name === undefined ? -1 : indexOf(name), at: performance.now() });
      const indexes = name === undefined ? Array.from({ length: fleet.count }, (_, index) => index) : [indexOf(name)];
      const isHere = (index: number) => namespaceOf(fleet, index) === namespace;
      const items = indexes.filter(isHere).flatMap((index) => api.items(index, load));
      return { kind: api.kind, apiVersion: api.groupVersion, metadata: {}, items };
    };
    const { kind, resource } = api;
    const resources = [{ name: resource, singularName: "", namespaced: true, kind, verbs: ["get", "list"] }];
    const body =
      pathname === `/apis/${group}/${version}`
        ? { kind: "APIResourceList", apiVersion: "v1", groupVersion: api.groupVersion, resources }
        : asksFor === resource && list();
    response.writeHead(body ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(body || { kind: "Status", apiVersion: "v1", status: "Failure", code: 404 }));
  });
  return { group, asked, setLoad: (next) => (load = next), stop };
}

interface Api {
  readonly groupVersion: string;
  readonly resource: string;
  readonly kind: string;
  readonly items: (index: number, load: Load) => readonly object[];
}

const external: Api = {
  ...{ groupVersion: "external.metrics.k8s.io/v1beta1", resource: metric, kind: "ExternalMetricValueList" },
  items: (index, load) => {
    const timestamp = new Date().toISOString();
    return [{ metricName: metric, metricLabels: {}, timestamp, value: String(lengthOf(index, load)) }];
  },
};

const podMetrics = (fleet: Fleet): Api => ({
  ...{ groupVersion: "metrics.k8s.io/v1beta1", resource: "pods", kind: "PodMetricsList" },
  items: (index, load) => {
    const timestamp = new Date().toISOString();
    const containers = [{ name: "main", usage: { cpu: `${milliCpuOf(index, load)}m`, memory: "64Mi" } }];
    return Array.from({ length: fleet.pods ?? 0 }, (_, pod) => {
      const namespace = namespaceOf(fleet, index);
      const metadata = { name: podName(nameOf(index), pod), namespace, labels: { app: nameOf(index) } };
      return { metadata, timestamp, window: "30s", containers };
    });
  },
});
