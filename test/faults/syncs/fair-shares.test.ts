import { openSqsClients } from "../../../lib/aws/clients";
import { HttpResponse, type HttpRequest } from "@smithy/protocol-http";
import type { HpaSpec } from "../../../lib/k8s/hpa";
import { limits } from "../../../lib/model/entry/limits";
import { openSqsSource, sqsConcurrency } from "../../../lib/sources/sqs/sqs";
import { postOver } from "../../aws/http/post-over";
import { document, fixture, metricValue, queueSpec, sourceOf } from "../../sync/sync-fixture";

/** Ten HPAs on a queue each, beside entries with very many queues. All queues answer promptly, with 50 messages. */
const healthy = Array.from({ length: 10 }, (_, index) => `healthy-${index}`);

/** The real SQS source and client, over a service within the process. `sent`: the queues of all requests, in order. */
function openService(now: () => number) {
  const sent: string[] = [];
  const requestHandler = {
    async handle({ body }: HttpRequest) {
      const { QueueName: name, QueueUrl: url } = JSON.parse(new TextDecoder().decode(body as Uint8Array)) as {
        QueueName?: string;
        QueueUrl?: string;
      };
      sent.push(name ?? url?.split("/").at(-1) ?? "");
      await new Promise((resolve) => setImmediate(resolve));
      const attributes = { ApproximateNumberOfMessages: "50", ApproximateNumberOfMessagesNotVisible: "0" };
      const answer = url === undefined ? { QueueUrl: `https://sqs.test/1/${name}` } : { Attributes: attributes };
      const headers = { "content-type": "application/x-amz-json-1.0" };
      return { response: new HttpResponse({ statusCode: 200, headers, body: Buffer.from(JSON.stringify(answer)) }) };
    },
  };
  const client = openSqsClients({
    region: "eu-west-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    post: postOver(requestHandler),
  })();
  return { sent, sources: { sqs: { ...openSqsSource(() => client, { now }), isBuiltIn: true } } };
}

function specOf(name: string, queues: readonly string[]): HpaSpec {
  const metrics = queues.map((queue): NonNullable<HpaSpec["metrics"]>[number] => {
    const metric = { name: "sqs", selector: { matchLabels: { queue } } };
    return { type: "External", external: { metric, target: { type: "AverageValue", averageValue: "5" } } };
  });
  const behavior = { scaleUp: { policies: [{ type: "Pods" as const, value: 1, periodSeconds: 15 }] } };
  return { ...queueSpec, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name }, metrics, behavior };
}

/** Heavy entries load first, and so ask first: their names sort before the others. */
function shardWith(heavy: number, queuesEach: number) {
  const { store, cluster, sync, clock, failures } = fixture();
  const { sent, sources } = openService(() => clock.now);
  store.documents.clear();
  const add = (name: string, queues: readonly string[]) => {
    cluster.add(`shop/${name}`, 1);
    store.documents.set(`prod shop/${name}`, document(specOf(name, queues), `shop/${name}`));
  };
  const queuesOf = (index: number) => Array.from({ length: queuesEach }, (_, queue) => `heavy-${index}-${queue}`);
  for (let index = 0; index < heavy; index++) add(`a-heavy-${index}`, queuesOf(index));
  for (const name of healthy) add(name, [name]);
  const replicas = () => healthy.map((name) => cluster.scales.get(`shop/${name}`)?.replicas);
  return { store, failures, replicas, sent, sync, run: (slot: number) => sync(slot, { sources }) };
}

test("beside two entries of 1,500 queues each, which are refused by name, ten HPAs scale in every slot", async () => {
  const { store, failures, replicas, sent, run } = shardWith(2, 1_500);
  for (let slot = 1; slot <= 3; slot++) {
    await run(slot);
    expect(replicas()).toEqual(healthy.map(() => 1 + slot));
  }
  expect(sent.filter((queue) => queue.startsWith("heavy"))).toEqual([]);
  const message: unknown = expect.stringContaining(
    "spec.metrics: expected at most 100 metrics, got 1500 (a limit of ebb)",
  );
  expect(failures).toMatchObject([{ reason: "InvalidEntry", message, hpas: 2 }]);
  const conditions = store.stateItems.get("prod shop/a-heavy-1")?.status.conditions;
  expect(conditions).toMatchObject([{ type: "AbleToScale", status: "False", reason: "InvalidEntry", message }]);
});

test("beside 20 entries at the limit, 2,000 queues that answer, ten HPAs ask first and scale in every slot", async () => {
  const { replicas, sent, run } = shardWith(20, limits.metricsPerHpa);
  for (let slot = 1; slot <= 2; slot++) {
    sent.length = 0;
    await run(slot);
    expect(replicas()).toEqual(healthy.map(() => 1 + slot));
    // What was under way before they asked, and both requests of every first query. A place that the first of these
    // frees may go to somebody's second query before the HPA sends its second request.
    const last = sent.findLastIndex((queue) => queue.startsWith("healthy"));
    expect(last).toBeLessThan(2 * sqsConcurrency + 2 * (20 + healthy.length));
    expect(sent.length).toBeGreaterThanOrEqual(20 * limits.metricsPerHpa);
  }
}, 60_000);

test("queries beyond what a slot may send are refused by name, and an HPA whose queries are known still grows", async () => {
  const { store, failures, replicas, sync } = shardWith(60, limits.metricsPerHpa);
  const asked = new Set<string>();
  const answering = sourceOf(({ parameters }) => {
    asked.add(String(parameters["queue"]));
    return { items: [metricValue("sqs", 50)] };
  });
  await sync(1, { sources: { sqs: answering } });
  expect(replicas()).toEqual(healthy.map(() => 2));
  // 60 × 100 + 10 queries; the ten small HPAs have theirs, and 60 share the other 4,990.
  expect(asked.size).toBe(limits.queriesPerRun);
  const shares = Array.from({ length: 60 }, (_, at) => [...asked].filter((queue) => queue.startsWith(`heavy-${at}-`)));
  expect([...new Set(shares.map(({ length }) => length))].sort()).toEqual([83, 84]);
  const message: unknown = expect.stringContaining("expected at most 5000 queries in a slot");
  const warning: unknown = expect.objectContaining({ reason: "FailedGetExternalMetric", message });
  expect(failures).toEqual(Array.from({ length: 60 }, () => warning));
  expect(store.stateItems.get("prod shop/a-heavy-3")?.status.desiredReplicas).toBe(2);
});
