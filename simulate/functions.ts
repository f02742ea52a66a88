import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import { syncHandler } from "../functions/sync";
import { tickHandler } from "../functions/tick";
import { openSqsClients } from "../lib/aws/clients";
import { openSlotQueue } from "../lib/aws/slot-queue";
import type { Cluster } from "../lib/model/ports/cluster";
import type { SyncCounts, TickCounts } from "../lib/model/report";
import { openCloudWatchSource } from "../lib/sources/cloudwatch/cloudwatch";
import { openSqsSource } from "../lib/sources/sqs/sqs";
import { openEventRecorder } from "../lib/sync/events/event-recorder";
import { dynamoClient } from "../lib/table/client";
import { openStore } from "../lib/table/store";
import type { Telemetry } from "../functions/reporter";
import { clusterOver, type Deployments } from "./services/api-server";
import { type Backends, queuesOver, tableOver } from "./services/backends";
import type { Instance } from "./services/instance";
import { metricsOver } from "./services/metrics-backend";

/** What the real functions are wired to. */
export interface Wiring extends Backends {
  readonly deploymentsOf: (cluster: string) => Deployments;
  readonly synced: (counts: SyncCounts) => void;
  readonly ticked: (counts: TickCounts) => void;
  readonly onProblem: (text: string) => void;
}

export type SyncFunction = (bodies: readonly string[]) => Promise<readonly number[]>;

const queueUrl = "https://sqs.us-east-1.amazonaws.com/123456789012/slots";
const credentials = { accessKeyId: "simulated", secretAccessKey: "simulated" };
const access = { region: "us-east-1", endpoint: "https://aws.example", credentials };

function wired(wiring: Wiring, instance: Instance) {
  const { now, onProblem } = wiring;
  const quiet = () => undefined;
  const reporter: Telemetry = {
    ...{ scaled: quiet, recovered: quiet, started: quiet, flush: quiet },
    synced: wiring.synced,
    ticked: wiring.ticked,
    failed: ({ reason, message }) => onProblem(`${reason}: ${message}`),
    signatureRefused: () => undefined,
    unsent: () => undefined,
    messageFailed: (error) => onProblem(`message: ${String(error)}`),
    invocationFailed: (error) => onProblem(`invocation: ${String(error)}`),
    warned: (message) => onProblem(message),
  };
  const client = dynamoClient({ ...access, post: tableOver(wiring, instance) });
  const store = openStore({ client, table: "ebb", now, onBrokenShard: onProblem });
  const sqs = openSqsClients({ ...access, post: queuesOver(wiring, instance) });
  return { reporter, store, sqs };
}

/** The handler of functions/sync, as functions/wiring.ts wires it. @returns the places of messages that failed. */
export function syncFunction(wiring: Wiring, instance: Instance): SyncFunction {
  const { now } = wiring;
  const { reporter, store, sqs } = wired(wiring, instance);
  const connected = new Map<string, Cluster>();
  const connect = ({ name }: { readonly name: string }) => {
    const cluster = connected.get(name) ?? clusterOver(wiring.deploymentsOf(name), now, instance);
    connected.set(name, cluster);
    return Promise.resolve(cluster);
  };
  const cloudwatch = metricsOver(wiring, instance, access);
  const sources = {
    sqs: { ...openSqsSource(sqs, { now }), isBuiltIn: true, settleMs: () => 60_000 },
    cloudwatch: { ...openCloudWatchSource(cloudwatch, { now }), isBuiltIn: true },
  };
  const events = openEventRecorder({ store, reporter });
  const ports = { store, clusters: { connect }, sources, reporter, events };
  const workedMs = () => instance.workedMs;
  const handle = syncHandler({ ports, reporter, queue: { client: sqs(), queueUrl }, now, workedMs });
  return async (bodies) => {
    const Records = bodies.map((body, at) => ({ messageId: String(at), receiptHandle: String(at), body }) as SQSRecord);
    const context = { awsRequestId: "simulated", getRemainingTimeInMillis: () => 30_000 } as Context;
    const { batchItemFailures } = (await handle({ Records } satisfies SQSEvent, context)) as {
      readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
    };
    return batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier));
  };
}

/** The handler of functions/tick. */
export function tickFunction(wiring: Wiring, instance: Instance): (scheduledAt: number) => Promise<void> {
  const { reporter, store, sqs } = wired(wiring, instance);
  const queue = openSlotQueue({ client: sqs(), queueUrl });
  const handle = tickHandler({ ports: { store, queue, reporter }, reporter, now: wiring.now });
  return async (scheduledAt) => {
    const context = { awsRequestId: "simulated", getRemainingTimeInMillis: () => 50_000 } as Context;
    await handle({ time: new Date(scheduledAt).toISOString() }, context);
  };
}
