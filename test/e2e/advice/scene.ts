import { DeleteItemCommand, GetItemCommand, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { fromItem, toItem } from "../../../lib/table/items/attributes";
import { boundSecret } from "../../cluster/connect";
import { deployment } from "../servers/workloads";
import { syncPeriodMs, type World } from "./world";

export interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly spec: object;
}

/** A cluster entry with an HPA, a target, a queue and a user of its own, all well until something is broken. */
export interface Scene extends World {
  readonly cluster: string;
  readonly namespace: string;
  /** `ebb VERB …` on the table of the situation. */
  readonly ebb: (...words: readonly string[]) => string;
  readonly clusterEntry: (spec?: object) => Document;
  readonly hpaEntry: (spec?: object, metadata?: object) => Document;
  readonly sourceEntry: (name: string, kind: string, parameters: object) => Document;
  readonly apply: (...documents: readonly Document[]) => Promise<void>;
  /** Writes an item as nothing that checks would let pass. */
  readonly put: (item: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Types a command that opens an editor, in which the person makes the document this one. */
  readonly editTo: (command: string, document: Document) => Promise<string>;
  /** Writes ebb's secret of the cluster. */
  readonly writeSecret: (credential: object, name?: string) => Promise<void>;
  /** A token of the situation's service account, from the API server. */
  readonly token: () => Promise<string>;
  readonly deploy: (name: string, replicas?: number) => Promise<void>;
  readonly deployments: (name?: string) => string;
  /** The HPA is synced once more. */
  readonly again: (...names: readonly string[]) => Promise<void>;
  /** What the tick would have sent by now: an hour may end while a situation lasts. */
  readonly inTime: () => Promise<void>;
  /** The next slot of the cluster. */
  readonly nextSlot: () => Promise<void>;
  /** The cluster's only shard, as it is in the table. */
  readonly changeShard: (change: object) => Promise<void>;
  readonly dropShard: () => Promise<void>;
  /** One more cluster, synced just now. */
  readonly another: () => Promise<void>;
  /** Runs when the situation is over. */
  readonly after: (end: () => Promise<unknown>) => void;
  readonly end: () => Promise<void>;
}

let count = 0;

const target = { type: "AverageValue", averageValue: "5" };
export const sqs = (queue: string, labels: object = {}) => ({
  type: "External",
  external: { metric: { name: "sqs", selector: { matchLabels: { queue, ...labels } } }, target },
});
export const external = (name: string, matchLabels?: object) => ({
  type: "External",
  external: { metric: { name, ...(matchLabels && { selector: { matchLabels } }) }, target },
});

export async function setScene(world: World): Promise<Scene> {
  count += 1;
  const { apiServer, aws, table, typed, file } = world;
  const [cluster, namespace] = [`c${count}`, `n${count}`];
  const metadata = { name: "web", namespace };
  const spec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 1,
    maxReplicas: 9,
    metrics: [sqs(`orders-${count}`)],
  };
  let files = 0;
  const clusters = [cluster];
  const ending: (() => Promise<unknown>)[] = [];
  const scene: Scene = {
    ...world,
    cluster,
    namespace,
    ebb: (...words) => ["ebb", ...words, "--table", table].join(" "),
    clusterEntry: (more) => ({
      apiVersion: "ebb.dev/v1",
      kind: "Cluster",
      metadata: { name: cluster },
      spec: {
        endpoint: apiServer.endpoint,
        certificateAuthorityData: apiServer.certificateAuthorityData,
        auth: { type: "token", secret: `ebb/${cluster}` },
        options: { syncPeriodSeconds: syncPeriodMs / 1000 },
        ...more,
      },
    }),
    hpaEntry: (more, named) => ({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { ...metadata, ...named },
      spec: { ...spec, ...more },
    }),
    sourceEntry: (name, kind, parameters) => ({
      apiVersion: "ebb.dev/v1",
      kind: "MetricSource",
      metadata: { name },
      spec: { kind, parameters },
    }),
    async apply(...documents) {
      files += 1;
      const path = file(`${cluster}-${files}.yaml`, documents.map((one) => JSON.stringify(one)).join("\n---\n"));
      await typed(`${scene.ebb("apply", "-f", path)} --cluster ${cluster}`);
    },
    async put(item) {
      await aws.dynamo.send(
        new PutItemCommand({ TableName: table, Item: toItem({ pk: `CLUSTER#${cluster}`, ...item }) }),
      );
    },
    editTo(command, document) {
      files += 1;
      const path = file(`${cluster}-${files}.json`, JSON.stringify(document));
      return typed(command, { EDITOR: `cp ${path}` });
    },
    async writeSecret(credential, name = `ebb/${cluster}`) {
      const SecretString = boundSecret(apiServer, credential);
      await aws.secrets
        .send(new CreateSecretCommand({ Name: name, SecretString }))
        .catch(() => aws.secrets.send(new PutSecretValueCommand({ SecretId: name, SecretString })));
    },
    async token() {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/ebb/token`;
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      return (await apiServer.admin.create<{ status: { token: string } }>(path, request)).status.token;
    },
    async deploy(name, replicas = 1) {
      await apiServer.admin.create(scene.deployments(), deployment(name, replicas));
    },
    deployments: (name) => `/apis/apps/v1/namespaces/${namespace}/deployments${name === undefined ? "" : `/${name}`}`,
    async dropShard() {
      const { pk, sk } = await shardOf(world, cluster);
      await aws.dynamo.send(new DeleteItemCommand({ TableName: table, Key: toItem({ pk, sk }) }));
    },
    async another() {
      const [name, auth] = [`${cluster}y`, { type: "token", secret: `ebb/${cluster}y` }];
      const { spec: own } = scene.clusterEntry({ auth });
      await scene.put({ pk: `CLUSTER#${name}`, sk: "CLUSTER", spec: own });
      await scene.writeSecret({ token: await scene.token() }, `ebb/${name}`);
      ending.push(() => typed(`${scene.ebb("delete", "cluster", name)} --cascade`));
      await world.tick();
      await world.slot(name);
      clusters.push(name);
    },
    async changeShard(change) {
      const shard = await shardOf(world, cluster);
      await aws.dynamo.send(new PutItemCommand({ TableName: table, Item: toItem({ ...shard, ...change }) }));
    },
    inTime: () => world.dueSlots(clusters),
    async nextSlot() {
      await scene.changeShard({ slot: Math.floor(Date.now() / syncPeriodMs) * syncPeriodMs - syncPeriodMs });
      await world.slot(cluster);
    },
    after: (end) => void ending.push(end),
    async end() {
      for (const each of ending.reverse()) await each();
      await typed(`${scene.ebb("delete", "cluster", cluster)} --cascade`);
    },
    again: (...names) => world.wake({ cluster, namespace, names: names.length === 0 ? ["web"] : names }),
  };
  await apiServer.admin.create("/api/v1/namespaces", { metadata: { name: namespace } });
  await apiServer.admin.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "ebb" } });
  await aws.sqs.send(new CreateQueueCommand({ QueueName: `orders-${count}` }));
  await scene.deploy("web");
  await scene.writeSecret({ token: await scene.token() });
  await scene.apply(scene.clusterEntry(), scene.hpaEntry());
  await makeOld(world, cluster);
  await grant(scene);
  await world.tick();
  await world.slot(cluster);
  return scene;
}

/** Registered two periods ago: what is young is not yet checked. */
async function makeOld({ aws, table }: World, cluster: string): Promise<void> {
  const Key = toItem({ pk: `CLUSTER#${cluster}`, sk: "CLUSTER" });
  const { Item = {} } = await aws.dynamo.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }));
  const { metadata, ...entry } = fromItem(Item);
  const creationTimestamp = `${new Date(Date.now() - 2 * syncPeriodMs).toISOString().slice(0, 19)}Z`;
  const old = { ...entry, metadata: { ...(metadata as object), creationTimestamp } };
  await aws.dynamo.send(new PutItemCommand({ TableName: table, Item: toItem(old) }));
}

async function shardOf({ aws, table }: World, cluster: string): Promise<Readonly<Record<string, unknown>>> {
  const { Items = [] } = await aws.dynamo.send(new ScanCommand({ TableName: table, ConsistentRead: true }));
  const shard = Items.map((item) => fromItem(item)).find((one) => one["pk"] === "SHARD" && one["cluster"] === cluster);
  if (shard === undefined) throw new Error(`cluster ${cluster} has no shard`);
  return shard;
}

/** What ebb rbac prints is granted: by kubectl, with the admin's context. */
export async function grant({ ebb, cluster, typed }: Pick<Scene, "ebb" | "cluster" | "typed">): Promise<void> {
  await typed(`${ebb("rbac", cluster)} | kubectl --context 'admin of e2e' apply -f -`);
}
