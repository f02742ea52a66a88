import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { HpaSpec } from "../lib/k8s/hpa";
import { openSqsSource } from "../lib/sources/sqs/sqs";
import { openEventRecorder } from "../lib/sync/events/event-recorder";
import { syncShard } from "../lib/sync/turn/sync-shard";
import { fakeCluster } from "../test/fakes/fake-cluster";
import { memoryStore } from "../test/fakes/memory-store";
import { startSqsServer } from "../test/sources/sqs/sqs-server";

/**
 * What dead queues cost healthy ones: 400 HPAs on queues that answer, beside 1, 40 or 400 on queues in a region that
 * never answers. Compares the time from the slot's start to the last healthy scale write with the same shard when all
 * queues answer. The SQS source and SDK are real; table and cluster are in memory.
 */
const healthy = 400;
const slots = 5;
const budget = 1.1;
const periodMs = 15_000;
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
const deadRegion = "ap-dead-1";

/** Milliseconds until the last healthy HPA was scaled: in the first slot, and in the best of the later ones. */
interface Times {
  readonly first: number;
  readonly later: number;
}

async function measure(neighbours: number, areDead: boolean): Promise<Times> {
  const sqs = await startSqsServer();
  const dead = createServer(() => undefined);
  await new Promise<void>((resolve) => dead.listen(0, "127.0.0.1", resolve));
  const deadUrl = `http://127.0.0.1:${(dead.address() as AddressInfo).port}`;
  const open = (region: string, endpoint: string) => {
    const agent = { keepAlive: true, maxSockets: Infinity };
    const requestHandler = { requestTimeout: 3_000, throwOnRequestTimeout: true, httpAgent: agent };
    return new SQSClient({ region, endpoint, credentials, maxAttempts: 2, requestHandler });
  };
  const clients = { healthy: open("eu-west-1", sqs.url), neighbours: open(deadRegion, areDead ? deadUrl : sqs.url) };
  const clock = { now: Date.parse("2026-03-01T12:00:00Z") };
  const store = memoryStore(() => clock.now);
  const cluster = fakeCluster();
  store.clusterEntries.set("prod", {
    key: "prod",
    value: { name: "prod", spec: { endpoint: "https://prod.example", auth: { type: "token", secret: "ebb/prod" } } },
  });
  store.shardItems.set("prod#", {
    ...{ cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 },
  });
  const add = (name: string, region: string) => {
    sqs.queues.set(name, { ApproximateNumberOfMessages: "500", ApproximateNumberOfMessagesNotVisible: "0" });
    store.documents.set(`prod shop/${name}`, document(name, region));
    cluster.add(`shop/${name}`, 1);
  };
  // The names interleave, so that neither kind loads first.
  for (let index = 0; index < healthy; index++) add(`h${String(index).padStart(3, "0")}-live`, "eu-west-1");
  for (let index = 0; index < neighbours; index++) add(`h${String(index).padStart(3, "0")}-next`, deadRegion);

  let scaledAt: number[] = [];
  const counting = {
    ...cluster,
    putScale: (...[target, scale, signal]: Parameters<typeof cluster.putScale>) => {
      if (target.name.endsWith("-live")) scaledAt.push(performance.now());
      return cluster.putScale(target, scale, signal);
    },
  };
  const reporter = { scaled() {}, failed() {}, recovered() {}, synced() {}, ticked() {} };
  const source = openSqsSource((region) => (region === deadRegion ? clients.neighbours : clients.healthy), {
    now: () => clock.now,
  });
  const ports = {
    ...{
      store,
      reporter,
      sources: { sqs: { ...source, isBuiltIn: true } },
      events: openEventRecorder({ store, reporter }),
    },
    clusters: { connect: () => Promise.resolve(counting) },
  };
  const times: number[] = [];
  try {
    for (let index = 1; index <= slots; index++) {
      const slot = Date.parse("2026-03-01T12:00:00Z") + index * periodMs;
      clock.now = slot + 100;
      scaledAt = [];
      const message = { cluster: "prod", from: "", slot, until: slot + periodMs };
      const startedAt = performance.now();
      const signal = new AbortController().signal;
      const { scaled } = await syncShard(ports, message, { now: () => clock.now, deadline: slot + periodMs, signal });
      const expected = areDead ? healthy : healthy + neighbours;
      if (scaled !== expected) throw new Error(`slot ${index}: expected ${expected} HPAs to scale, got ${scaled}`);
      times.push(Math.max(...scaledAt) - startedAt);
    }
  } finally {
    for (const client of Object.values(clients)) client.destroy();
    dead.closeAllConnections();
    await Promise.all([sqs.close(), new Promise((resolve) => dead.close(resolve))]);
  }
  return { first: times[0] ?? Infinity, later: Math.min(...times.slice(1)) };
}

/** Grows by one replica a slot, for every measured slot. */
function document(name: string, region: string): unknown {
  const metric = { name: "sqs", selector: { matchLabels: { queue: name, region } } };
  const spec: HpaSpec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas: 1,
    maxReplicas: 100,
    metrics: [{ type: "External", external: { metric, target: { type: "AverageValue", averageValue: "5" } } }],
    behavior: { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 15 }] } },
  };
  return { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { namespace: "shop", name }, spec };
}

/** A shared machine is noisy: the best of what was measured so far counts, in five attempts at most. */
async function compare(neighbours: number): Promise<boolean> {
  let [dead, without]: [Times, Times] = [worst, worst];
  for (let attempt = 1; attempt <= 5; attempt++) {
    without = best(without, await measure(neighbours, false));
    dead = best(dead, await measure(neighbours, true));
    const [first, later] = [dead.first / without.first, dead.later / without.later];
    if (attempt < 5 && (first > budget || later > budget)) continue;
    console.log(
      `${String(neighbours).padStart(4)} dead queues beside ${healthy}: last healthy scale write after ` +
        `${dead.later.toFixed(0)} ms, ${without.later.toFixed(0)} ms when they answer (ratio ${later.toFixed(2)}, at most ` +
        `${budget}); in the first slot, which knows nothing yet, ${dead.first.toFixed(0)} and ${without.first.toFixed(0)} ms ` +
        `(${first.toFixed(2)}); best of ${attempt}`,
    );
    return later <= budget && first <= budget;
  }
  return false;
}

const worst: Times = { first: Infinity, later: Infinity };
const best = (one: Times, other: Times): Times => ({
  first: Math.min(one.first, other.first),
  later: Math.min(one.later, other.later),
});

async function main(): Promise<void> {
  await measure(40, false); // warms the code up
  for (const neighbours of [1, 40, 400])
    if (!(await compare(neighbours))) {
      console.error(`${neighbours} dead queues: expected a ratio of at most ${budget}`);
      process.exitCode = 1;
    }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
