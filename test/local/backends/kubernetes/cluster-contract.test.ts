import { startSimulatedCluster } from "../../../../local/backends/kubernetes/cluster";
import { apiServerContract } from "../../../contract/api-server-contract";
import { clusterContract } from "../../../contract/cluster-contract";
import { apiServerBench, type ApiServerFixture } from "../../../contract/cluster/api-server";
import { clientOf } from "./client";

clusterContract("the simulated API server", async () => apiServerBench(await setUp()));
apiServerContract("the simulated API server", setUp);

async function setUp(): Promise<ApiServerFixture> {
  const restricted = "contract-restricted";
  const cluster = await startSimulatedCluster({ controllers: false, users: [{ name: restricted, rules: [] }] });
  const call = clientOf(cluster);
  const { endpoint, certificateAuthorityData, adminToken, metrics } = cluster;
  return {
    ...{ endpoint, certificateAuthorityData, adminToken, metrics },
    restricted: { user: restricted, token: cluster.tokenOf(restricted) },
    api: (method, path, body, headers) =>
      call(method, path, {
        body,
        headers: { ...(method === "PATCH" && { "content-type": "application/merge-patch+json" }), ...headers },
      }),
    close: () => cluster.close(),
  };
}
