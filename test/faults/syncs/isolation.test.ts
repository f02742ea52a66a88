import type { RequestListener } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { openSqsClients } from "../../../lib/aws/clients";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { onThisMachine } from "../../../lib/net/address";
import { boundSecret } from "../../cluster/connect";
import { openClusters } from "../../../lib/cluster/clusters";
import type { HpaSpec } from "../../../lib/k8s/hpa";
import type { Cluster } from "../../../lib/model/ports/cluster";
import type { MetricSources } from "../../../lib/model/ports/sources";
import { openCloudWatchSource } from "../../../lib/sources/cloudwatch/cloudwatch";
import { openSqsSource } from "../../../lib/sources/sqs/sqs";
import { type SimulatedCluster, startSimulatedCluster } from "../../../local/backends/kubernetes/cluster";
import { deployments } from "../../../local/backends/kubernetes/resources/kinds";
import { type LoopbackServer, serveOnLoopback } from "../../backends/loopback";
import { startSqsServer, type SqsServer } from "../../sources/sqs/sqs-server";
import { document, fixture, queueSpec } from "../../sync/sync-fixture";

/**
 * Five HPAs on a healthy queue beside forty that depend on a sick backend, through the real adapters. Whatever the far
 * end does, the healthy ones scale while the others still wait; and in the next slot it gets a few probes, not the
 * crowd.
 */
const healthyCount = 5;
const sickCount = 40;
const namespace = "shop";

/** In the loop's time. The socket's own timer would count real time. */
const limits = {
  transport: { timeoutMs: 500, connectTimeoutMs: 500, idleTimeoutMs: 250 },
  aws: {
    maxAttempts: 1,
    limits: { answerMs: 400 },
    requestHandler: { requestTimeout: 400, throwOnRequestTimeout: true, socketTimeout: 0 },
  },
} as const;

const behaviours: Readonly<Record<string, RequestListener>> = {
  "never answers": () => undefined,
  "drips its answer, a byte at a time": (_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100000" });
    const timer = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(timer));
  },
  "resets every connection": (request) => request.socket.destroy(),
};

const target = (kind: string, name: string) => ({ apiVersion: "apps/v1", kind, name });
const perPod = { type: "AverageValue", averageValue: "5" };
const external = (name: string, matchLabels: Record<string, string>): NonNullable<HpaSpec["metrics"]>[number] => ({
  type: "External",
  external: { metric: { name, selector: { matchLabels } }, target: perPod },
});

/** What the sick HPAs read, and which requests to the API server are sick. */
interface Kind {
  readonly metric: (index: number) => NonNullable<HpaSpec["metrics"]>[number];
  readonly path?: RegExp;
  readonly targetKind?: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  "an SQS region": { metric: (index) => external("sqs", { queue: `dead-${index}`, region: "ap-sick-1" }) },
  "a CloudWatch region": {
    metric: (index) => external("cloudwatch", { namespace: "App", metricName: `m${index}`, region: "ap-sick-1" }),
  },
  "external.metrics.k8s.io": {
    metric: (index) => external(`metric-${index}`, {}),
    path: /^\/apis\/external\.metrics\.k8s\.io\//,
  },
  "custom.metrics.k8s.io": {
    metric: (index) => ({ type: "Pods", pods: { metric: { name: `m${index}` }, target: perPod } }),
    path: /^\/apis\/custom\.metrics\.k8s\.io\/v/,
  },
  "metrics.k8s.io": {
    metric: () => ({
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
    }),
    path: /^\/apis\/metrics\.k8s\.io\//,
  },
};

describe.each(Object.entries(kinds))("%s", (_kind, { metric, path }) => {
  let sqs: SqsServer;
  let cluster: SimulatedCluster;
  let sick: LoopbackServer;
  let clusters: ReturnType<typeof openClusters>;
  let sickRequests = 0;
  const clients: { destroy(): void }[] = [];
  const clock = { now: 0 };

  async function open(behaviour: RequestListener): Promise<{ cluster: Cluster; sources: MetricSources }> {
    sickRequests = 0;
    sqs = await startSqsServer();
    sqs.queues.set("orders", { ApproximateNumberOfMessages: "50", ApproximateNumberOfMessagesNotVisible: "0" });
    sick = await serveOnLoopback(behaviour);
    cluster = await startSimulatedCluster({
      namespaces: [namespace],
      controllers: false,
      intercept: (request, response) => {
        if (path?.test(request.url ?? "") !== true) return false;
        sickRequests += 1;
        behaviour(request, response);
        return true;
      },
    });
    for (const name of names()) {
      cluster.api.create({ resource: deployments, namespace }, workload(name));
      const status = { resource: deployments, namespace, name, subresource: "status" } as const;
      cluster.api.patch(status, { status: { replicas: 1 } }, "application/merge-patch+json");
    }
    clusters = openClusters({
      secrets: () => Promise.resolve(boundSecret(cluster, { token: cluster.adminToken })),
      awsCredentials: () => Promise.reject(new Error("no AWS credentials here")),
      now: () => clock.now,
      addresses: onThisMachine,
      transport: limits.transport,
    });
    const credentials = { accessKeyId: "a", secretAccessKey: "b" };
    const clientOf =
      <Client extends { destroy(): void }>(open: (config: object) => Client) =>
      (region = "eu-west-1") => {
        const endpoint = region === "ap-sick-1" ? sick.url : sqs.url;
        const client = open({ ...limits.aws, credentials, region, endpoint });
        clients.push(client);
        return client;
      };
    const { endpoint, certificateAuthorityData } = cluster;
    const options = { now: () => clock.now, limitMs: limits.transport.timeoutMs };
    return {
      cluster: await clusters.connect(
        { name: "prod", spec: { endpoint, certificateAuthorityData, auth: { type: "token", secret: "ebb/prod" } } },
        new AbortController().signal,
      ),
      sources: {
        sqs: { ...openSqsSource(once(clientOf((config) => openSqsClients(config)())), options), isBuiltIn: true },
        cloudwatch: {
          ...openCloudWatchSource(once(clientOf((config) => new CloudWatchClient(config))), options),
          isBuiltIn: true,
        },
      },
    };
  }

  afterEach(async () => {
    clusters.close();
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all([sqs.close(), cluster.close(), sick.close()]);
  });

  test.each(Object.entries(behaviours))("that %s delays only its own HPAs", async (_name, behaviour) => {
    const far = await open(behaviour);
    const day = fixture();
    day.store.documents.clear();
    for (let index = 0; index < sickCount; index++) {
      const spec = {
        ...queueSpec,
        minReplicas: 1,
        scaleTargetRef: target("Deployment", `a${index}`),
        metrics: [metric(index)],
      };
      day.store.documents.set(`prod shop/a${index}`, document(spec, `shop/a${index}`));
    }
    for (let index = 0; index < healthyCount; index++) {
      const metrics = [external("sqs", { queue: "orders" })];
      const spec = { ...queueSpec, scaleTargetRef: target("Deployment", `z${index}`), metrics };
      day.store.documents.set(`prod shop/z${index}`, document(spec, `shop/z${index}`));
    }
    const now = () => day.clock.now;
    const sync = (slot: number) => {
      const synced = day.sync(slot, { ...far, now });
      clock.now = day.clock.now;
      return synced;
    };
    const requests = () => sickRequests + sick.requests();

    let isOver = false;
    const first = sync(1).finally(() => (isOver = true));
    while (day.scaled.length < healthyCount) await wait(5);
    if (behaviour !== behaviours["resets every connection"]) expect(isOver).toBe(false);
    expect(day.scaled.map(({ name, from, to }) => `${name} ${from} → ${to}`).sort()).toEqual(
      Array.from({ length: healthyCount }, (_, index) => `z${index} 1 → 5`),
    );
    expect(await first).toMatchObject({ outcome: "synced", hpas: healthyCount + sickCount, scaled: healthyCount });

    const asked = requests();
    expect(asked).toBeGreaterThan(0);
    expect(await sync(6)).toMatchObject({ scaled: healthyCount, behind: 0, failed: sickCount });
    const probes = requests() - asked;
    expect(probes).toBeGreaterThan(0);
    expect(probes).toBeLessThanOrEqual(4 * 3); // four probes; a read over a broken connection is sent three times
    expect(cluster.api.get({ resource: deployments, namespace, name: "a0" }).spec).toMatchObject({ replicas: 1 });
  });
});

describe("a cluster in the same invocation", () => {
  test.each(Object.entries(behaviours))("that %s delays only its own HPAs", async (_name, behaviour) => {
    const healthy = await startSimulatedCluster({ namespaces: [namespace], controllers: false });
    const sick = await serveOnLoopback(behaviour);
    healthy.api.create({ resource: deployments, namespace }, workload("orders"));
    healthy.metrics.setExternal({ namespace, metric: "depth", value: "50" });
    const clusters = openClusters({
      secrets: (name) =>
        Promise.resolve(
          boundSecret(name === "ebb/sick" ? { endpoint: sick.url } : healthy, { token: healthy.adminToken }),
        ),
      awsCredentials: () => Promise.reject(new Error("no AWS credentials here")),
      now: () => Date.parse("2026-03-01T12:00:00Z"),
      addresses: onThisMachine,
      transport: limits.transport,
    });
    const { signal } = new AbortController();
    const auth = (secret: string) => ({ type: "token", secret }) as const;
    const { endpoint, certificateAuthorityData } = healthy;
    try {
      const [days, far] = [
        [fixture(), fixture()] as const,
        [
          await clusters.connect({ name: "sick", spec: { endpoint: sick.url, auth: auth("ebb/sick") } }, signal),
          await clusters.connect(
            { name: "prod", spec: { endpoint, certificateAuthorityData, auth: auth("ebb/prod") } },
            signal,
          ),
        ] as const,
      ];
      for (let index = 0; index < sickCount; index++)
        days[0].store.documents.set(`prod shop/a${index}`, document(queueSpec, `shop/a${index}`));
      let isOver = false;
      const first = days[0].sync(1, { cluster: far[0] }).finally(() => (isOver = true));
      expect(await days[1].sync(1, { cluster: far[1] })).toMatchObject({ scaled: 1, failed: 0, behind: 0 });
      if (behaviour !== behaviours["resets every connection"]) expect(isOver).toBe(false);
      expect(await first).toMatchObject({ scaled: 0, failed: sickCount + 1, behind: 0 });
      // Discovery alone, and no request for each HPA: a read over a broken connection is sent three times.
      expect(sick.requests()).toBeLessThanOrEqual(2 * 3 * 4);
    } finally {
      clusters.close();
      await Promise.all([healthy.close(), sick.close()]);
    }
  });
});

function once<Client>(open: (region?: string) => Client): (region?: string) => Client {
  const opened = new Map<string, Client>();
  return (region = "eu-west-1") => {
    const client = opened.get(region) ?? open(region);
    opened.set(region, client);
    return client;
  };
}

function names(): readonly string[] {
  return [
    ...Array.from({ length: sickCount }, (_, index) => `a${index}`),
    ...Array.from({ length: healthyCount }, (_, index) => `z${index}`),
  ];
}

function workload(name: string) {
  const labels = { app: name };
  const containers = [{ name: "app", image: "example.com/app:1" }];
  return {
    metadata: { name },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}
