import { fromNodeProviderChain } from "@aws-sdk/credential-providers";
import { openClusters } from "../../lib/cluster/clusters";
import { openSecrets } from "../../lib/cluster/secrets";
import { openCloudWatchClients, openSqsClients } from "../../lib/metrics/clients";
import { openMetricSources } from "../../lib/metrics/sources";
import type { MetricSources } from "../../lib/sync/ports";
import { readRunFile } from "../../local/run-file";
import type { Settings } from "../settings";

/** The far ends of an entry, asked from this machine, with the credentials of whoever runs the command. */
export interface Reach {
  readonly clusters: Pick<ReturnType<typeof openClusters>, "connect">;
  readonly sources: MetricSources;
  readonly close: () => void;
}

/** A command is not a slot: it may wait a little longer, but nobody waits half a minute for a server that is gone. */
const transport = { timeoutMs: 8_000, connectTimeoutMs: 3_000 };

export async function openReach({ table, directory, region, profile }: Settings, now: () => number): Promise<Reach> {
  const inRegion = region === undefined ? {} : { region };
  const credentials = fromNodeProviderChain({ ...(profile === undefined ? {} : { profile }), clientConfig: inRegion });
  const clusters = openClusters({ secrets: openSecrets(inRegion), awsCredentials: credentials, now, transport });
  // A demo's queues are in its own process.
  const demo = table === undefined ? (await readRunFile(directory))?.sqs : undefined;
  const sqs =
    demo === undefined
      ? { ...inRegion, credentials }
      : { ...demo, credentials: { accessKeyId: "demo", secretAccessKey: "demo" } };
  const sources = openMetricSources({
    sqs: openSqsClients(sqs),
    cloudwatch: openCloudWatchClients({ ...inRegion, credentials }),
  });
  return { clusters, sources, close: () => clusters.close() };
}
