import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import { type Connections, syncPorts, pollerPrices } from "../../../compose";
import { syncHandler } from "../../../functions/sync";
import { tickHandler } from "../../../functions/tick";
import { wakeHandler } from "../../../functions/wake";
import { PutItemCommand } from "../../../lib/aws/http/dynamodb-commands";
import type { HpaSpec, MetricSpec } from "../../../lib/k8s/hpa";
import { errorText } from "../../../lib/model/fault";
import type { HpaKey } from "../../../lib/model/hpa-key";
import { encodeQueueMessage, type QueueMessage } from "../../../lib/model/messages";
import type { KnownSource, MetricSources } from "../../../lib/model/ports/sources";
import type { FailureLine } from "../../../lib/model/report";
import { runPoller } from "../../../lib/poller/run-poller";
import type { PollerCounts } from "../../../lib/poller/ports";
import { type Item, toItem } from "../../../lib/table/items/attributes";
import { clusterKey, hpaItemKey } from "../../../lib/table/items/keys";
import { openQueueReads } from "../../../lib/table/queue-reads";
import { openStore } from "../../../lib/table/store";
import type { Telemetry } from "../../../functions/reporter";
import { type FakeCluster, fakeCluster } from "../../fakes/fake-cluster";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { memoryTable } from "../world/memory-table";

export const start = Date.parse("2026-03-01T12:00:00Z");
const minuteMs = 60_000;

/** As serverless.yml has them. */
const memories = { sync: 512 * 2 ** 20, small: 256 * 2 ** 20 } as const;

const context = { awsRequestId: "r", getRemainingTimeInMillis: () => 30_000 } as Context;
const { signal } = new AbortController();

/** An External metric on a queue, which is also the name of its value. */
export function queueMetric(queue: string): MetricSpec {
  const metric = { name: "sqs", selector: { matchLabels: { queue } } };
  return { type: "External", external: { metric, target: { type: "AverageValue", averageValue: "5" } } };
}

export function specOf(name: string, metrics: readonly MetricSpec[]): HpaSpec {
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    ...{ minReplicas: 0, maxReplicas: 10, metrics },
    behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
  };
}

export type FunctionName = "tick" | "sync" | "wake" | "watch";

/**
 * All functions of a deployment over one table in memory, with the bounds that they have on Lambda.
 *
 * @param begins hears of each invocation before it begins.
 */
export function openDeployment(clusters: readonly string[], begins: (fn: FunctionName) => void = () => undefined) {
  let now = start;
  const clock = () => now;
  const items = memoryTable({ now: clock });
  const client = memoryDynamodb(items);
  const fars = new Map(clusters.map((name) => [name, fakeCluster()]));
  const farOf = (cluster: string): FakeCluster => fars.get(cluster) ?? fakeCluster();
  const values = new Map<string, number>();
  /** "cluster queue" for each reading. */
  const readings: string[] = [];
  const failures: FailureLine[] = [];
  /** What must not happen to a function, whatever is in the table. */
  const broken: string[] = [];
  const sent: { readonly message: QueueMessage; readonly dueAt: number }[] = [];

  const reporter: Telemetry = {
    ...{ scaled: () => undefined, recovered: () => undefined, synced: () => undefined, ticked: () => undefined },
    ...{ started: () => undefined, flush: () => undefined },
    ...{ signatureRefused: () => undefined, unsent: () => undefined },
    failed: (line) => void failures.push(line),
    messageFailed: (error, { body }) => void broken.push(`message ${body}: ${errorText(error)}`),
    invocationFailed: (error) => void broken.push(`invocation: ${errorText(error)}`),
    warned: (message) => void broken.push(`warning: ${message}`),
  };
  const source: KnownSource = {
    ...{ isBuiltIn: true, keepMs: () => 0 },
    open: ({ cluster }) => ({
      read({ parameters }) {
        const queue = String(parameters["queue"]);
        readings.push(`${cluster.name} ${queue}`);
        const value = String(values.get(queue) ?? 0);
        const timestamp = new Date(now).toISOString();
        return Promise.resolve({ items: [{ metricName: queue, metricLabels: {}, timestamp, value }] });
      },
    }),
  };
  const sources: MetricSources = { sqs: source };
  const queue = {
    send(messages: readonly { readonly message: QueueMessage; readonly delaySeconds: number }[]) {
      for (const { message, delaySeconds } of messages) sent.push({ message, dueAt: now + delaySeconds * 1_000 });
      return Promise.resolve();
    },
  };
  const store = (memory: number) => openStore({ client, table: memoryTableName, now: clock, loadMemory: memory / 8 });
  const connect = ({ name }: { readonly name: string }) => Promise.resolve(farOf(name));
  const connections = { clusters: { connect }, sources };
  const tick = tickHandler({ ports: { store: store(memories.small), queue, reporter }, reporter, now: clock });
  const wake = wakeHandler({ queue, reads: openQueueReads({ client, name: memoryTableName }), reporter, now: clock });
  const ends = { store: store(memories.sync), reporter, runMemory: memories.sync / 16 };
  const sqs = { client: { send: () => Promise.resolve({}) } as never, queueUrl: "https://sqs/slots" };
  const sync = syncHandler({
    ports: syncPorts({ ...ends, connections: connections as unknown as Connections, poller: { byDefault: true } }),
    ...{ reporter, queue: sqs, now: clock, workedMs: () => 0 },
  });
  const put = async (item: object) => {
    await client.send(new PutItemCommand({ TableName: memoryTableName, Item: toItem(item) }));
  };

  const handlers = { tick, sync, wake };

  async function invoke(fn: keyof typeof handlers, event: object): Promise<void> {
    begins(fn);
    const handler = handlers[fn] as (event: object, context: Context) => Promise<unknown>;
    // The reporter has heard of what fails.
    await handler(event, context).catch(() => undefined);
  }

  /** Delivers in batches of four, of all clusters, as SQS does. */
  async function deliver(until: number): Promise<void> {
    for (;;) {
      const due = sent.filter(({ dueAt }) => dueAt <= until).sort((a, b) => a.dueAt - b.dueAt);
      const first = due[0];
      if (first === undefined) return;
      const batch = due.filter(({ dueAt }) => dueAt === first.dueAt).slice(0, 4);
      for (const one of batch) sent.splice(sent.indexOf(one), 1);
      now = Math.max(now, first.dueAt + 200);
      const Records = batch.map(({ message }, id) => {
        return { messageId: `m${id}`, receiptHandle: `r${id}`, body: encodeQueueMessage(message) } as SQSRecord;
      });
      await invoke("sync", { Records } satisfies SQSEvent);
    }
  }

  return {
    ...{ client, items, values, readings, failures, broken, sent, farOf, put, deliver },
    table: { client, name: memoryTableName },
    now: clock,

    async register(cluster: string): Promise<void> {
      const spec = { endpoint: `https://${cluster}.example`, auth: { type: "token", secret: `ebb/${cluster}` } };
      await put({ ...clusterKey(cluster), spec: { ...spec, options: { syncPeriodSeconds: 15 } } });
    },

    /** An HPA and its target, of one replica. */
    async add(cluster: string, key: HpaKey, metrics: readonly MetricSpec[], more: object = {}): Promise<void> {
      await put({ ...hpaItemKey(cluster, key), spec: specOf(key.slice(key.indexOf("/") + 1), metrics), ...more });
      farOf(cluster).add(key, 1);
    },

    /** A tick and the four slots that it plans. */
    async minute(): Promise<void> {
      const scheduledAt = Math.floor(now / minuteMs) * minuteMs;
      await invoke("tick", { time: new Date(scheduledAt).toISOString() });
      await deliver(scheduledAt + 2 * minuteMs - 1);
      now = Math.max(now, scheduledAt + minuteMs);
    },

    /** The stream's records, or requests, in one event. */
    async wake(event: object): Promise<void> {
      await invoke("wake", event);
      await deliver(now + 2_000);
    },

    /** A poller that nobody relieves. */
    async watch(forMs: number): Promise<PollerCounts> {
      const ports = { ...connections, store: store(memories.small), queue, reporter, priceOf: () => 0 };
      const prices = pollerPrices(memories.small);
      const sleepUntil = async (at: number) => {
        now = Math.max(now, at);
        await new Promise((resolve) => setImmediate(resolve));
      };
      const bounds = { now: clock, sleepUntil, deadline: now + forMs, signal, budget: 1_000, prices };
      begins("watch");
      return await runPoller(ports, { id: `poller ${now}`, minute: now }, bounds);
    },

    itemOf: (pk: string, sk: string): Item | undefined => items.item(pk, sk),
  };
}

export type Deployment = ReturnType<typeof openDeployment>;
