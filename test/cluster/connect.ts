import type { ClusterEntry, ClusterSpec } from "../../lib/model/entry/entries";
import { onThisMachine } from "../../lib/cluster/transport/address";
import { openClusters, type ClustersDeps } from "../../lib/cluster/clusters";

export const soon = () => AbortSignal.timeout(20_000);

export const web = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop" };

export function entry(endpoint: string, spec: Partial<ClusterSpec> = {}): ClusterEntry {
  return { name: "test", spec: { endpoint, auth: { type: "token", secret: "the-token" }, ...spec } };
}

/**
 * Clusters with the secret "the-token" and no AWS behind them; a test brings everything else itself.
 */
export function clustersWith(deps: Partial<ClustersDeps> = {}) {
  return openClusters({
    secrets: () => Promise.resolve("t0k3n"),
    awsCredentials: () => Promise.reject(new Error("this test has no AWS credentials")),
    now: () => Date.UTC(2026, 2, 1, 12),
    addresses: onThisMachine,
    ...deps,
  });
}
