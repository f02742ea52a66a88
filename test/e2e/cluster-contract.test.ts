import { createMetricReadings } from "../../local/backends/kubernetes/readings";
import { createMetricsApi } from "../../local/backends/kubernetes/metrics-api";
import { apiServerContract } from "../contract/api-server-contract";
import { clusterContract } from "../contract/cluster-contract";
import { apiServerBench, type ApiServerFixture } from "../contract/cluster/api-server";
import { serveAggregatedApi } from "./servers/aggregated-api";
import { startApiServer } from "./servers/api-server";

clusterContract("a real kube-apiserver", async () => apiServerBench(await setUp()));
apiServerContract("a real kube-apiserver", setUp);

async function setUp(): Promise<ApiServerFixture> {
  const apiServer = await startApiServer();
  const metrics = createMetricReadings();
  const metricsApi = createMetricsApi(metrics, Date.now);
  const groups = metricsApi
    .groups()
    .flatMap(({ name, versions }) => versions.map(({ version }) => ({ group: name, version })));
  const stopMetrics = await serveAggregatedApi(apiServer, groups, (request, response) =>
    metricsApi.handle(request, response),
  );
  return {
    endpoint: apiServer.endpoint,
    certificateAuthorityData: apiServer.certificateAuthorityData,
    adminToken: apiServer.adminToken,
    restricted: { user: "restricted", token: apiServer.restrictedToken },
    api: (method, path, body, headers) => apiServer.admin.send(method, path, body, headers),
    metrics,
    close: async () => {
      await stopMetrics();
      await apiServer.stop();
    },
  };
}
