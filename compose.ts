import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import type { AwsAccess } from "./lib/aws/access";
import { openSqsClients } from "./lib/aws/clients";
import { openSlotQueue } from "./lib/aws/slot-queue";
import type { AwsCredentialProvider } from "./lib/aws/credentials";
import type { GivenKubeconfig } from "./lib/cluster/auth/given-kubeconfig";
import { present } from "./lib/k8s/map";
import { openSecrets, type ReadSecret } from "./lib/secrets/secrets";
import type { ReadVariable } from "./lib/secrets/variable";
import { openClusters, type TransportOptions } from "./lib/cluster/clusters";
import type { AddressRules } from "./lib/net/address";
import { openMemory } from "./lib/net/memory";
import type { EpochMs } from "./lib/k8s/time";
import type { Reporter } from "./lib/model/report";
import type { SlotQueue } from "./lib/model/ports/slot-queue";
import type { MetricSources } from "./lib/model/ports/sources";
import type { HistoryReader, HistoryWriter } from "./lib/model/ports/history";
import type { NotifiedStore } from "./lib/model/ports/notified";
import type { Publisher } from "./lib/model/ports/publisher";
import type { Store } from "./lib/model/ports/store";
import type { MetricClients } from "./lib/sources/kind";
import { openMetricSources, priceOfReading } from "./lib/sources/registry";
import { openEventMirror } from "./lib/sync/events/event-mirror";
import { openEventRecorder } from "./lib/sync/events/event-recorder";
import { prices } from "./lib/model/prices";
import type { SyncPorts } from "./lib/sync/ports";
import type { FailingLimits } from "./lib/sync/slot/count-failing";
import { openShardCache } from "./lib/sync/slot/shard-cache";
import type { PollerPrices } from "./lib/poller/pace";
import type { PollerPorts } from "./lib/poller/ports";
import type { PollerSettings } from "./lib/sync/slot/idle-hpas";
import { dynamoClient } from "./lib/table/client";
import { openHistory } from "./lib/table/history";
import { openLastMinutes } from "./lib/table/last-minutes";
import { openNotifiedStore } from "./lib/table/notified";
import type { Table } from "./lib/table/reads";
import { openStore, type StoreDeps, type TableStore } from "./lib/table/store";

/** The one place where ports meet adapters. A bundle contains only the calls that it makes. */

export type { AwsAccess };

export function openTable(name: string, access: Parameters<typeof dynamoClient>[0] = {}): Table {
  return { client: dynamoClient(access), name };
}

export type StoreOptions = Omit<StoreDeps, "client" | "table">;

export function storeOn({ client, name }: Table, options: StoreOptions): TableStore {
  return openStore({ client, table: name, ...options });
}

export function openHistoryReader(table: Table, now: () => EpochMs): HistoryReader {
  return { ...openHistory(table, { now, days: 0 }), lastMinutes: openLastMinutes(table) };
}

/** SQS may have its own access, say to simulated queues. */
export function openAwsClients(
  access: AwsAccess = {},
  sqs: Parameters<typeof openSqsClients>[0] = access,
): MetricClients {
  return { sqs: openSqsClients(sqs), cloudwatch: access };
}

export async function openCloudWatch({ cloudwatch }: Pick<MetricClients, "cloudwatch">): Promise<CloudWatchClient> {
  const { openCloudWatchClients } = await import("./lib/aws/sdk/cloudwatch-clients");
  return openCloudWatchClients(cloudwatch)();
}

export function openNotified(table: Table, now: () => EpochMs): NotifiedStore {
  return openNotifiedStore(table, now);
}

export async function openPublisher(arn: string): Promise<Publisher> {
  return (await import("./lib/aws/notifications/publishers")).publisherTo(arn);
}

export function openSecretReader(): ReadSecret {
  return openSecrets();
}

export interface NetworkOptions {
  readonly now: () => EpochMs;
  readonly addresses: AddressRules;
  /** Default 1 GB, of which all sources' answers take at most an eighth. */
  readonly memoryBytes?: number;
  readonly secrets?: ReadSecret;
  readonly variables?: ReadVariable;
  /** For signed requests; default: the credentials of the clients. */
  readonly awsCredentials?: AwsCredentialProvider;
}

export function sourcesOver(
  clients: MetricClients,
  { now, addresses, memoryBytes = 2 ** 30, ...options }: NetworkOptions,
): MetricSources {
  const network = {
    now,
    addresses,
    secrets: options.secrets ?? openSecrets(),
    ...present({ variables: options.variables }),
    // The SDK resolves its credential chain within a client.
    awsCredentials: options.awsCredentials ?? (() => clients.sqs().config.credentials()),
    memory: openMemory(memoryBytes / 2),
  };
  return openMetricSources({ ...clients, network });
}

export function openQueue(queueUrl: string): SlotQueue {
  return openSlotQueue({ client: openSqsClients()(), queueUrl });
}

export interface Connections {
  readonly clusters: Pick<ReturnType<typeof openClusters>, "connect">;
  readonly sources: MetricSources;
  readonly close: () => void;
}

export interface ConnectionsOptions {
  readonly now: () => EpochMs;
  readonly addresses: AddressRules;
  /** Default: the addresses that clusters may have. */
  readonly sourceAddresses?: AddressRules;
  readonly clients?: MetricClients;
  readonly sources?: MetricSources;
  /** For EKS tokens; default: the credentials of `clients`. */
  readonly credentials?: AwsCredentialProvider;
  readonly region?: string;
  readonly variables?: ReadVariable;
  readonly transport?: Partial<TransportOptions>;
  readonly kubeconfigs?: readonly GivenKubeconfig[];
}

export function openConnections({ clients = openAwsClients(), ...options }: ConnectionsOptions): Connections {
  const { now, addresses, region, transport, kubeconfigs = [] } = options;
  const awsCredentials = options.credentials ?? clients.sqs().config.credentials;
  const secrets = openSecrets(region === undefined ? {} : { region });
  const sourceNetwork = {
    now,
    secrets,
    addresses: options.sourceAddresses ?? addresses,
    awsCredentials,
    ...present({ variables: options.variables }),
    ...(transport?.memoryBytes !== undefined && { memoryBytes: transport.memoryBytes }),
  };
  const sources = options.sources ?? sourcesOver(clients, sourceNetwork);
  const deps = { secrets, awsCredentials, now, addresses, kubeconfigs };
  const clusters = openClusters({ ...deps, ...present({ transport }) });
  return { clusters, sources, close: () => clusters.close() };
}

/** A run on this machine is free. */
export function pollerPrices(memoryBytes: number): PollerPrices {
  const { lambda, dynamodb } = prices;
  return { perSecond: (memoryBytes / 2 ** 30) * lambda.gbSecond, tableRead: dynamodb.read };
}

export interface PollerDeps extends Pick<SyncDeps, "store" | "connections" | "reporter"> {
  readonly queue: SlotQueue;
}

export function pollerPorts({ store, queue, connections, reporter }: PollerDeps): PollerPorts {
  return {
    store,
    queue,
    reporter,
    clusters: connections.clusters,
    sources: connections.sources,
    priceOf: priceOfReading,
  };
}

export interface SyncDeps {
  readonly store: Store;
  readonly connections: Pick<Connections, "clusters" | "sources">;
  readonly reporter: Reporter;
  /** For shard caches, in bytes. Absent: none. Only for a table whose stream wakes HPAs. */
  readonly shardCacheMemory?: number;
  /** For a run's parsed entries, in bytes. Absent: no limit. */
  readonly runMemory?: number;
  /** Absent: no polling of HPAs at zero. */
  readonly poller?: PollerSettings;
  readonly failing?: FailingLimits;
  /** Absent: none. */
  readonly history?: HistoryWriter;
}

export function syncPorts({
  store,
  connections,
  reporter,
  shardCacheMemory,
  runMemory,
  poller,
  failing,
  history,
}: SyncDeps): SyncPorts {
  const { clusters, sources } = connections;
  const mirror = openEventMirror({ clusters, reporter });
  const events = openEventRecorder({ store, reporter, mirror });
  const caching = shardCacheMemory === undefined ? {} : { shardCache: openShardCache(shardCacheMemory) };
  return {
    ...{ store, clusters, sources, reporter, events, ...caching },
    ...present({ runMemory, poller, failing, history }),
  };
}
