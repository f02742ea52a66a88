import type { SQSClient } from "@aws-sdk/client-sqs";
import { openClusters } from "../lib/cluster/clusters";
import { openSecrets } from "../lib/cluster/auth/secrets";
import type { EpochMs } from "../lib/k8s/time";
import { openCloudWatchClients, openSqsClients } from "../lib/aws/clients";
import { openMetricSources } from "../lib/sources/registry";
import type { SlotQueue, Store } from "../lib/model/ports";
import { openEventMirror } from "../lib/sync/events/event-mirror";
import { openEventRecorder } from "../lib/sync/events/event-recorder";
import type { SyncPorts } from "../lib/sync/turn/turn";
import type { TickPorts } from "../lib/sync/plan/tick";
import { dynamoClient } from "../lib/table/client";
import { openStore } from "../lib/table/store";
import { openReporter, type Telemetry } from "../lib/telemetry/reporter";
import { optionalCount, requireUrl, requireVariable } from "./environment";
import { openSlotQueue } from "./slot-queue";

type Environment = Readonly<Record<string, string | undefined>>;

export interface TickWiring {
  readonly ports: TickPorts;
  readonly reporter: Telemetry;
  readonly now: () => EpochMs;
}

export interface WakeWiring {
  readonly queue: SlotQueue;
  readonly reporter: Telemetry;
  readonly now: () => EpochMs;
}

export interface SyncWiring {
  readonly ports: SyncPorts;
  readonly reporter: Telemetry;
  readonly queue: { readonly client: SQSClient; readonly queueUrl: string };
  readonly now: () => EpochMs;
}

const now = (): EpochMs => Date.now();

/** @throws Fault badEntry, naming the environment variable that is missing or cannot be used. */
export function wireTick(env: Environment): TickWiring {
  const reporter = openReporter();
  const store = wireStore(env, reporter);
  const queue = openSlotQueue(wireQueue(env));
  return { ports: { store, queue, reporter }, reporter, now };
}

/** @throws Fault badEntry, naming the environment variable that is missing or cannot be used. */
export function wireWake(env: Environment): WakeWiring {
  return { queue: openSlotQueue(wireQueue(env)), reporter: openReporter(), now };
}

/** @throws Fault badEntry, naming the environment variable that is missing or cannot be used. */
export function wireSync(env: Environment): SyncWiring {
  const reporter = openReporter();
  const sqs = openSqsClients();
  const store = wireStore(env, reporter);
  const queue = wireQueue(env, sqs);
  // The SDK's own chain, as one of its clients resolved it: the role's credentials in Lambda, the profile's elsewhere.
  const awsCredentials = sqs().config.credentials;
  const clusters = openClusters({ secrets: openSecrets(), awsCredentials, now });
  const sources = openMetricSources({ sqs, cloudwatch: openCloudWatchClients() });
  const events = openEventRecorder({ store, reporter, mirror: openEventMirror({ clusters, reporter }) });
  return { ports: { store, clusters, sources, reporter, events }, reporter, queue, now };
}

function wireStore(env: Environment, reporter: Telemetry): Store {
  const table = requireVariable(env, "TABLE_NAME", "the name of the DynamoDB table");
  const decisionTtlDays = optionalCount(env, "DECISION_TTL_DAYS", "a number of days");
  const onBrokenShard = (message: string) => reporter.warned(message);
  return openStore({ client: dynamoClient(), table, now, onBrokenShard, ...(decisionTtlDays && { decisionTtlDays }) });
}

function wireQueue(env: Environment, sqs = openSqsClients()): { client: SQSClient; queueUrl: string } {
  return { queueUrl: requireUrl(env, "QUEUE_URL", "the URL of the slot queue"), client: sqs() };
}
