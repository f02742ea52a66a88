import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openSqsClients } from "../../lib/aws/clients";
import type { SqsClient } from "../../lib/aws/json/sqs-commands";
import { onThisMachine } from "../../lib/net/address";
import { boundSecret } from "../../test/cluster/connect";
import { openClusters } from "../../lib/cluster/clusters";
import type { Cluster } from "../../lib/model/ports/cluster";
import type { MetricSources } from "../../lib/model/ports/sources";
import { openSqsSource } from "../../lib/sources/sqs/sqs";
import { startSimulatedCluster } from "../../local/kubernetes/cluster";
import { deployments } from "../../local/kubernetes/resources/kinds";
import { startSqsServer } from "../../test/sources/sqs/sqs-server";
import { type Metric, namespace } from "./neighbourhood";

/** Real clients against servers in this process: some answer, some never do. */

const liveRegion = "eu-west-1";
const otherRegion = "ap-dead-1";
const timeoutMs = 3_000;

export interface Silent {
  readonly url: string;
  close(): Promise<void>;
}

/** Takes every request and never answers. */
export async function startSilent(): Promise<Silent> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export interface Queues {
  readonly sources: MetricSources;
  /** A queue with work for 100 replicas, in the region that answers or in the other one. */
  add(name: string, region?: "other"): Metric;
  close(): Promise<void>;
}

export async function startQueues(now: () => number, silent: Silent | undefined): Promise<Queues> {
  const sqs = await startSqsServer();
  const open = (region: string, endpoint: string): SqsClient =>
    openSqsClients({
      ...{ region, endpoint, limits: { answerMs: timeoutMs } },
      credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
    })();
  const live = open(liveRegion, sqs.url);
  const other = open(otherRegion, silent?.url ?? sqs.url);
  const source = openSqsSource((region) => (region === otherRegion ? other : live), { now });
  return {
    sources: { sqs: { ...source, isBuiltIn: true } },
    add(queue, where) {
      sqs.queues.set(queue, { ApproximateNumberOfMessages: "500", ApproximateNumberOfMessagesNotVisible: "0" });
      const region = where === "other" ? otherRegion : liveRegion;
      return {
        type: "External",
        external: {
          metric: { name: "sqs", selector: { matchLabels: { queue, region } } },
          target: { type: "AverageValue", averageValue: "5" },
        },
      };
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
    now,
    addresses: onThisMachine,
    transport: { timeoutMs },
  });
  const entry = { name: "bench", spec: { ...spec, auth: { type: "token", secret: "ebb/bench" } } } as const;
  return { connect: () => clusters.connect(entry, new AbortController().signal), close: () => clusters.close() };
}
