import { createMetricReadings } from "../../local/kubernetes/metric-readings";
import { createMetricsApi } from "../../local/kubernetes/metrics-api";
import { clusterContract } from "../contract/cluster-contract";
import { serveAggregatedApi } from "./servers/aggregated-api";
import { startApiServer } from "./servers/api-server";

clusterContract("a real kube-apiserver", async () => {
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
    api: (method, path, body) => apiServer.admin.send(method, path, body),
    metrics,
    close: async () => {
      await stopMetrics();
      await apiServer.stop();
    },
  };
});
