import { HttpResponse, type HttpRequest } from "@smithy/protocol-http";
import { openSqsClients } from "../lib/aws/clients";
import { limits } from "../lib/model/entry/limits";
import { maxMin, maxMinWhole, treeOf } from "../lib/model/max-min";
import { openSqsSource, sqsConcurrency } from "../lib/sources/sqs/sqs";
import { postOver } from "../test/aws/http/post-over";
import { fakeCluster } from "../test/fakes/fake-cluster";
import { runBench } from "./harness/backend-process";
import { access, openDeployment, queueMetric, start } from "./harness/deployment";
import { judge } from "./harness/report";

/**
 * What HPAs with very many queues cost those with one: ten HPAs with a queue each, beside 10, 20 or 40 HPAs with 100
 * queues each. All queues answer at once. It measures no time. It counts the requests that the shard has sent when the
 * ten HPAs have all of theirs. Without priorities, these are all requests; a fair share is one query of two requests
 * for each HPA.
 */
const small = 10;

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
  const client = openSqsClients({ ...access, post: postOver(requestHandler) })();
  const now = () => start + 200;
  const cluster = fakeCluster();
  const sources = { sqs: { ...openSqsSource(() => client, { now }), isBuiltIn: true } };
  const deployment = openDeployment({ clusters: { prod: () => Promise.resolve(cluster) }, sources, now });
  const add = (name: string, queues: number) => {
    cluster.add(`shop/${name}`, 1);
    const metrics = Array.from({ length: queues }, (_, queue) => queueMetric(`${name}-${queue}`));
    deployment.add("prod", `shop/${name}`, { minReplicas: 1, maxReplicas: 100, metrics });
  };
  for (let index = 0; index < heavy; index++) add(`a-heavy-${index}`, limits.metricsPerHpa);
  for (let index = 0; index < small; index++) add(`small-${index}`, 1);
  await deployment.sync("prod", start);
  const last = sent.findLastIndex((queue) => queue.startsWith("small"));
  return { fair: 2 * (heavy + small), sent: last + 1, all: sent.length };
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
  const times = `${some.toFixed(0)} and ${many.toFixed(0)} ms`;
  judge(`fair shares of 10,000 and of 100,000 HPAs: ${times}, times as much`, many / some, mostGrowth);
  for (const heavy of [10, 20, 40]) {
    const { fair, sent, all } = await measure(heavy);
    const what = `${small} HPAs on a queue each beside ${heavy} on ${limits.metricsPerHpa}`;
    // Beside their share: what was under way before the small ones asked, and what began between their two requests.
    judge(`${what} have all of theirs (fair ${fair}, all ${all}) after requests`, sent, fair + 2 * sqsConcurrency);
  }
}

runBench(main);
