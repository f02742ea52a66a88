import {
  openAwsClients,
  openQueue,
  openConnections,
  openTable,
  type Connections,
  storeOn,
  syncPorts,
  pollerPorts,
  pollerPrices,
} from "../compose";
import { workedMs } from "../lib/async/within-time";
import type { SqsClient } from "../lib/aws/http/sqs-commands";
import type { EpochMs } from "../lib/k8s/time";
import type { SlotQueue } from "../lib/model/ports/slot-queue";
import type { QueueReads } from "../lib/model/ports/queue-reads";
import type { Store } from "../lib/model/ports/store";
import { Fault } from "../lib/model/fault";
import type { SyncPorts } from "../lib/sync/ports";
import type { FailingLimits } from "../lib/sync/slot/count-failing";
import { defaultWatchBudget } from "../lib/model/prices";
import type { TickPorts } from "../lib/scheduler/tick";
import type { PollerPrices } from "../lib/poller/pace";
import type { PollerPorts } from "../lib/poller/ports";
import type { PollerSettings } from "../lib/sync/slot/idle-hpas";
import { openHistory } from "../lib/table/history";
import { openQueueReads } from "../lib/table/queue-reads";
import { openReporter, type Telemetry } from "./reporter";
import {
  dollars,
  hostList,
  hostPatterns,
  choiceIn,
  optionalCount,
  requireUrl,
  requireVariable,
  countOrZero,
} from "./environment";

type Environment = Readonly<Record<string, string | undefined>>;

export interface TickWiring {
  readonly ports: TickPorts;
  readonly reporter: Telemetry;
  readonly now: () => EpochMs;
}

export interface WakeWiring {
  readonly queue: SlotQueue;
  readonly reads: QueueReads;
  readonly reporter: Telemetry;
  readonly now: () => EpochMs;
}

export interface SyncWiring {
  readonly ports: SyncPorts;
  readonly reporter: Telemetry;
  readonly queue: { readonly client: SqsClient; readonly queueUrl: string };
  readonly now: () => EpochMs;
  readonly workedMs: () => number;
}

export interface PollerWiring {
  readonly ports: PollerPorts;
  readonly reporter: Telemetry;
  readonly now: () => EpochMs;
  readonly budget: number;
  readonly prices: PollerPrices;
  /** The function's role: `ebb doctor` names it if it lacks a permission. */
  readonly role?: string;
}

const now = (): EpochMs => Date.now();

/** @throws Fault "badEntry" */
export function wireTick(env: Environment): TickWiring {
  const reporter = openReporter();
  const store = wireStore(env, reporter);
  return { ports: { store, queue: openQueue(queueUrl(env)), reporter }, reporter, now };
}

/** @throws Fault "badEntry" */
export function wireWake(env: Environment): WakeWiring {
  const table = openTable(tableName(env));
  return { queue: openQueue(queueUrl(env)), reads: openQueueReads(table), reporter: openReporter(), now };
}

/** @throws Fault "badEntry" */
export function wireSync(env: Environment): SyncWiring {
  const reporter = openReporter();
  const store = wireStore(env, reporter);
  const clients = wireAwsClients(reporter);
  const queue = { client: clients.sqs(), queueUrl: queueUrl(env) };
  const poller = pollerSettings(env);
  const deps = { store, connections: wireConnections(env, clients), reporter };
  const failing = failingLimits(env);
  const history = historyIn(env);
  const memory = { ...shardCacheWithin(env), runMemory: (functionMemory(env) ?? defaultMemory) / runsOfMemory };
  const ports = syncPorts({ ...deps, ...memory, ...(poller && { poller }), ...(failing && { failing }), ...history });
  return { ports, reporter, queue, now, workedMs };
}

/** @throws Fault "badEntry" */
export function wirePoller(env: Environment): PollerWiring {
  const reporter = openReporter();
  const store = wireStore(env, reporter);
  const connections = wireConnections(env, wireAwsClients(reporter));
  const ports = pollerPorts({ store, connections, queue: openQueue(queueUrl(env)), reporter });
  const prices = pollerPrices(functionMemory(env) ?? 0);
  const role = env["ROLE_ARN"];
  return { ports, reporter, now, budget: watchBudget(env), prices, ...(role && { role }) };
}

/** Without a budget, no poller reads, and syncs write nothing for it. */
function pollerSettings(env: Environment): PollerSettings | undefined {
  const byDefault = choiceIn(env, "WAKE_DEFAULT", ["slot", "fast"]) === "fast";
  return watchBudget(env) === 0 ? undefined : { byDefault };
}

/** 0: no run writes any. */
function historyIn(env: Environment): Pick<SyncPorts, "history"> {
  const days = countOrZero(env, "HISTORY_DAYS", "a whole number of days") ?? 0;
  return days === 0 ? {} : { history: openHistory(openTable(tableName(env)), { now, days }) };
}

function failingLimits(env: Environment): FailingLimits | undefined {
  const minutes = countOrZero(env, "FAILING_MINUTES", "a whole number of minutes");
  const hours = countOrZero(env, "FAILING_HOURS", "a whole number of hours") ?? 0;
  if (minutes === undefined) return undefined;
  const afterMs = minutes * 60_000;
  const untilMs = hours === 0 ? Infinity : hours * 3_600_000;
  if (untilMs > afterMs) return { afterMs, untilMs };
  const expected = "more than FAILING_MINUTES, or 0";
  throw new Fault("badEntry", `environment variable FAILING_HOURS: expected ${expected}, got ${hours}`);
}

function watchBudget(env: Environment): number {
  return dollars(env, "WATCH_BUDGET", defaultWatchBudget);
}

function wireAwsClients(reporter: Telemetry): ReturnType<typeof openAwsClients> {
  return openAwsClients({}, { onSignatureRefused: () => reporter.signatureRefused() });
}

function wireConnections(env: Environment, clients: ReturnType<typeof openAwsClients>): Connections {
  const addresses = { loopback: false, allowedHosts: hostList(env, "ALLOWED_HOSTS") };
  const sourceAddresses = { loopback: false, allowedHosts: [], onlyHosts: hostPatterns(env, "SOURCE_HOSTS") };
  return openConnections({ clients, now, addresses, sourceAddresses, transport: transportWithin(env) });
}

/** A shard cache needs a stream that reports changed entries. */
function shardCacheWithin(env: Environment): { readonly shardCacheMemory?: number } {
  const hasStream = choiceIn(env, "TABLE_STREAM", ["false", "true"]) === "true";
  return hasStream ? { shardCacheMemory: (functionMemory(env) ?? defaultMemory) / 8 } : {};
}

/** A batch has four messages. Their parsed entries take a quarter of the memory at most. */
const runsOfMemory = 16;

/** Equals syncMemory in serverless.yml. */
const defaultMemory = 512 * 2 ** 20;

function transportWithin(env: Environment): { readonly memoryBytes?: number } {
  const memoryBytes = functionMemory(env);
  return memoryBytes === undefined ? {} : { memoryBytes };
}

function functionMemory(env: Environment): number | undefined {
  const megabytes = optionalCount(env, "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "the function's memory in MB");
  return megabytes && megabytes * 2 ** 20;
}

function wireStore(env: Environment, reporter: Telemetry): Store {
  const table = openTable(tableName(env));
  const decisionTtlDays = optionalCount(env, "DECISION_TTL_DAYS", "a number of days");
  const onBrokenShard = (message: string) => reporter.warned(message);
  const memory = functionMemory(env);
  // A batch has four messages, and half of the memory is for everything else.
  const loadMemory = memory === undefined ? {} : { loadMemory: memory / 8 };
  return storeOn(table, { now, onBrokenShard, ...loadMemory, ...(decisionTtlDays && { decisionTtlDays }) });
}

function tableName(env: Environment): string {
  return requireVariable(env, "TABLE_NAME", "the name of the DynamoDB table");
}

function queueUrl(env: Environment): string {
  return requireUrl(env, "QUEUE_URL", "the URL of the slot queue");
}
