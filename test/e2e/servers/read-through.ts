import { openClusters } from "../../../lib/cluster/clusters";
import { onThisMachine } from "../../../lib/net/address";
import type { MetricSource, SourceReading } from "../../../lib/model/ports/sources";
import { boundSecret } from "../../cluster/connect";
import { contextOf } from "../../sources/read-context";

interface Caller {
  readonly apiServer: { readonly endpoint: string; readonly certificateAuthorityData: string };
  readonly token: string;
}

/** What a source reads with `via`, through this API server. */
export async function readThrough(
  { apiServer: { endpoint, certificateAuthorityData }, token }: Caller,
  source: MetricSource,
  parameters: Readonly<Record<string, unknown>>,
): Promise<SourceReading> {
  const spec = { endpoint, certificateAuthorityData, auth: { type: "token", secret: "ebb/prod" } } as const;
  const clusters = openClusters({
    secrets: () => Promise.resolve(boundSecret(spec, { token })),
    awsCredentials: () => Promise.reject(new Error("no AWS in this suite")),
    now: () => Date.now(),
    addresses: onThisMachine,
  });
  try {
    const { signal } = new AbortController();
    const api = () => clusters.connect({ name: "prod", spec }, signal);
    const reader = source.open(contextOf({ cluster: { name: "prod", api }, signal }));
    return await reader.read({ metricName: "jobs", parameters });
  } finally {
    clusters.close();
  }
}
