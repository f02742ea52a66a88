import type { ClusterEntry, ClusterSpec } from "../../lib/model/entry/entries";
import { onThisMachine } from "../../lib/net/address";
import { openClusters, type ClustersDeps } from "../../lib/cluster/clusters";
import { noLimit } from "../time/no-limit";

export const soon = () => noLimit();

export const web = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop" };

/** The secret that entry() names. */
export const secret = "ebb/test";

export function entry(endpoint: string, spec: Partial<ClusterSpec> = {}): ClusterEntry {
  return { name: "test", spec: { endpoint, auth: { type: "token", secret }, ...spec } };
}

type Address = Pick<ClusterSpec, "endpoint" | "certificateAuthorityData" | "tlsServerName">;

/** A secret as its owner writes it: a credential, and the address that it is for. */
export function boundSecret(address: Address, credential: object): string {
  const { endpoint, certificateAuthorityData, tlsServerName } = address;
  return JSON.stringify({ endpoint, certificateAuthorityData, tlsServerName, ...credential });
}

interface Doubles extends Partial<ClustersDeps> {
  /** The tokens of secrets that are for whatever entry is connected. */
  readonly tokens?: ClustersDeps["secrets"];
}

/** Clusters with a token in each secret and no AWS behind them. What a test needs beyond that, it passes itself. */
export function clustersWith({ tokens = () => Promise.resolve("t0k3n"), ...deps }: Doubles = {}) {
  let connecting: ClusterSpec | undefined;
  const clusters = openClusters({
    secrets: async (name, signal) => {
      const token = await tokens(name, signal);
      return connecting === undefined ? token : boundSecret(connecting, { token });
    },
    awsCredentials: () => Promise.reject(new Error("this test has no AWS credentials")),
    now: () => Date.UTC(2026, 2, 1, 12),
    addresses: onThisMachine,
    ...deps,
  });
  return {
    connect(entry: ClusterEntry, signal: AbortSignal) {
      connecting = entry.spec;
      return clusters.connect(entry, signal);
    },
    close: () => clusters.close(),
  };
}
