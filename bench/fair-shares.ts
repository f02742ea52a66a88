import { HttpResponse, type HttpRequest } from "@smithy/protocol-http";
import type { HpaSpec } from "../lib/k8s/hpa";
import { limits } from "../lib/model/entry/limits";
import { maxMin, maxMinWhole, treeOf } from "../lib/model/max-min";
import { openSqsClients } from "../lib/aws/clients";
import { openSqsSource, sqsConcurrency } from "../lib/sources/sqs/sqs";
import { openEventRecorder } from "../lib/sync/events/event-recorder";
import { syncShard } from "../lib/sync/slot/sync-shard";
import { postOver } from "../test/aws/json/post-over";
import { fakeCluster } from "../test/fakes/fake-cluster";
import { memoryStore } from "../test/fakes/memory-store";

/**
 * What HPAs with very many queues cost those with one: ten HPAs with a queue each, beside 10, 20 or 40 HPAs with 100
 * queues each. All queues answer at once. It measures no time. It counts the requests that the shard has sent when the
 * ten HPAs have all of theirs. Without priorities, these are all requests; a fair share is one query of two requests
 * for each HPA.
 */
const small = 10;
const periodMs = 15_000;
const start = Date.parse("2026-03-01T12:00:00Z");

async function measure(heavy: number): Promise<{ readonly fair: number; readonly sent: number; readonly all: number }> {
  const sent: string[] = [];
  const requestHandler = {
    async handle({ body }: HttpRequest) {
      const text = new TextDecoder().decode(body as Uint8Array);
      const { QueueName: name, QueueUrl: url } = JSON.parse(text) as { QueueName?: string; QueueUrl?: string };
      sent.push(name ?? url?.split("/").at(-1) ?? "");
      await new Promise((resolve) => setImmediate(resolve));
      const attributes = { ApproximateNumberOfMessages: "50", ApproximateNumberOfMessagesNotVisible: "0" };
      const answer = url === undefined ? { QueueUrl: `https://sqs.test/1/${name}` } : { Attributes: attributes };
      return { response: new HttpResponse({ statusCode: 200, body: Buffer.from(JSON.stringify(answer)) }) };
    },
  };
  const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
  const client = openSqsClients({ region: "eu-west-1", credentials, post: postOver(requestHandler) })();
  const now = () => start + 200;
  const store = memoryStore(now);
  const cluster = fakeCluster();
  store.clusterEntries.set("prod", {
    key: "prod",
    value: { name: "prod", spec: { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } } },
  });
  const shard = { cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 };
  store.shardItems.set("prod#", shard);
  const add = (name: string, queues: readonly string[]) => {
    cluster.add(`shop/${name}`, 1);
    store.documents.set(`prod shop/${name}`, { metadata: {}, spec: specOf(name, queues) });
  };
  for (let index = 0; index < heavy; index++)
    add(
      `a-heavy-${index}`,
      Array.from({ length: limits.metricsPerHpa }, (_, queue) => `heavy-${index}-${queue}`),
    );
  for (let index = 0; index < small; index++) add(`small-${index}`, [`small-${index}`]);
  const reporter = { scaled() {}, failed() {}, recovered() {}, synced() {}, ticked() {} };
  const sources = { sqs: { ...openSqsSource(() => client, { now }), isBuiltIn: true } };
  const clusters = { connect: () => Promise.resolve(cluster) };
  const ports = { store, reporter, sources, clusters, events: openEventRecorder({ store, reporter }) };
  const message = { cluster: "prod", from: "", slot: start, until: start + periodMs };
  await syncShard(ports, message, {
    now,
    workedMs: () => 0,
    deadline: start + 60_000,
    signal: new AbortController().signal,
  });
  const last = sent.findLastIndex((queue) => queue.startsWith("small"));
  return { fair: 2 * (heavy + small), sent: last + 1, all: sent.length };
}

function specOf(name: string, queues: readonly string[]): HpaSpec {
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas: 1,
    maxReplicas: 100,
    metrics: queues.map((queue) => {
      const metric = { name: "sqs", selector: { matchLabels: { queue } } };
      return { type: "External", external: { metric, target: { type: "AverageValue", averageValue: "5" } } };
    }),
  };
}

/**
 * The least of some runs, in ms: dividing places among so many HPAs of 100 namespaces, from their names to the shares.
 */
function divide(hpas: number): number {
  const paths = Array.from({ length: hpas }, (_, index) => [`c${index % 7}`, `n${index % 100}`, `hpa-${index}`]);
  const demands = paths.map((_, index) => (index * 7_919) % 97);
  const times = Array.from({ length: 5 }, (_, round) => {
    const begin = performance.now();
    const tree = treeOf(paths);
    maxMin(hpas * 10, { tree, demands }, round);
    maxMinWhole(hpas * 10, { tree, demands }, round);
    return performance.now() - begin;
  });
  return Math.min(...times);
}

/** n log n is 12.5 times as much for ten times as many, and caches of the processor have their part. n² is 100. */
const mostGrowth = 40;

async function main(): Promise<void> {
  divide(1_000);
  const [some, many] = [divide(10_000), divide(100_000)];
  console.log(
    `fair shares of 10,000 HPAs take ${some.toFixed(0)} ms, of 100,000 ${many.toFixed(0)} ms ` +
      `(${(many / some).toFixed(1)} times, at most ${mostGrowth})`,
  );
  if (many / some > mostGrowth) process.exitCode = 1;
  for (const heavy of [10, 20, 40]) {
    const { fair, sent, all } = await measure(heavy);
    // Beside their share: what was under way before the small ones asked, and what began between their two requests.
    const budget = fair + 2 * sqsConcurrency;
    console.log(
      `${small} HPAs on a queue each beside ${heavy} on ${limits.metricsPerHpa}: they have all of theirs after ${sent} of ` +
        `${all} requests (fair ${fair}, ratio ${(sent / fair).toFixed(2)}, at most ${budget})`,
    );
    if (sent > budget) process.exitCode = 1;
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
