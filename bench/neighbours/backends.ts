import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openSqsClients } from "../../lib/aws/clients";
import { openClusters } from "../../lib/cluster/clusters";
import { onThisMachine } from "../../lib/net/address";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { MetricSources } from "../../lib/model/ports/sources";
import { openSqsSource } from "../../lib/sources/sqs/sqs";
import { startSimulatedCluster } from "../../local/backends/kubernetes/cluster";
import { deployments } from "../../local/backends/kubernetes/resources/kinds";
import { boundSecret } from "../../test/cluster/connect";
import { startSqsServer } from "../../test/sources/sqs/sqs-server";
import { access } from "../harness/deployment";

/** Real clients against servers in this process: some answer, some never do. */

export const namespace = "shop";
export const otherRegion = "ap-dead-1";
const timeoutMs = 3_000;

/** Takes every request and never answers. */
export async function startSilent() {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export interface Queues {
  readonly sources: MetricSources;
  /** A queue with work for 100 replicas. @returns its name */
  add(name: string): string;
  close(): Promise<void>;
}

/** @param elsewhere where the queues of the other region are; default: with all others */
export async function startQueues(now: () => number, elsewhere: string | undefined): Promise<Queues> {
  const sqs = await startSqsServer();
  // The source has a limiter for each region, and knows it by its client.
  const open = (region: string, endpoint: string) =>
    openSqsClients({ ...access, region, endpoint, limits: { answerMs: timeoutMs } })();
  const live = open(access.region, sqs.url);
  const other = open(otherRegion, elsewhere ?? sqs.url);
  const source = openSqsSource((region) => (region === otherRegion ? other : live), { now });
  return {
    sources: { sqs: { ...source, isBuiltIn: true } },
    add(queue) {
      sqs.queues.set(queue, { ApproximateNumberOfMessages: "500", ApproximateNumberOfMessagesNotVisible: "0" });
      return queue;
    },
    async close() {
      live.destroy();
      other.destroy();
      await sqs.close();
    },
  };
}

export interface ApiServer {
  readonly connect: () => Promise<Cluster>;
  readonly close: () => Promise<void>;
}

/** A Kubernetes API with one Deployment for each name. It never answers requests whose URL matches `dead`. */
export async function startApiServer(
  names: readonly string[],
  { dead, now }: { readonly dead?: RegExp; readonly now: () => number },
): Promise<ApiServer> {
  const server = await startSimulatedCluster({
    ...{ namespaces: [namespace], controllers: false },
    intercept: ({ url = "" }) => dead?.test(url) === true,
  });
  for (const name of names) {
    const labels = { app: name };
    const containers = [{ name: "app", image: "example.com/app:1" }];
    const template = { metadata: { labels }, spec: { containers } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    server.api.create({ resource: deployments, namespace }, { metadata: { name }, spec });
    const status = { resource: deployments, namespace, name, subresource: "status" } as const;
    server.api.patch(status, { status: { replicas: 1 } }, "application/merge-patch+json");
  }
  server.metrics.setExternal({ namespace, metric: "depth", value: "500" });
  const { endpoint, certificateAuthorityData } = server;
  const reach = reachCluster({ endpoint, certificateAuthorityData }, { token: server.adminToken, now });
  return {
    connect: reach.connect,
    async close() {
      reach.close();
      await server.close();
    },
  };
}

export function reachCluster(
  spec: { readonly endpoint: string; readonly certificateAuthorityData?: string },
  { token, now }: { readonly token: string; readonly now: () => number },
): { readonly connect: () => Promise<Cluster>; readonly close: () => void } {
  const clusters = openClusters({
    secrets: () => Promise.resolve(boundSecret(spec, { token })),
    awsCredentials: () => Promise.reject(new Error("no AWS credentials in this bench")),
    ...{ now, addresses: onThisMachine, transport: { timeoutMs } },
  });
  const entry = { name: "bench", spec: { ...spec, auth: { type: "token", secret: "ebb/bench" } } } as const;
  return { connect: () => clusters.connect(entry, new AbortController().signal), close: () => clusters.close() };
}
