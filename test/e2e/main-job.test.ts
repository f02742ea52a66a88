import { CreateTableCommand, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { tableDefinition } from "../../lib/table/schema";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { awsClients, drainWork, sendWork, type AwsClients } from "./servers/aws";
import { startControllerManager } from "./servers/controller-manager";
import { startMoto, type Emulator } from "./servers/emulator";
import { putCluster, putQueueHpa } from "./servers/entries";
import { startEventPlatform } from "./servers/event-platform";
import { eventually } from "./servers/eventually";
import { startFunction, type PackagedFunction } from "./servers/functions";
import { grantDocumentedRoles, grantScaling } from "./servers/grant";
import {
  actOnConsumer,
  consumer,
  consumers,
  defineConsumers,
  deployment,
  deployments,
  specReplicas,
  statefulSet,
  statefulSets,
} from "./servers/workloads";

/**
 * The main job on real input: the packaged functions, called with the events of EventBridge and SQS, take real workloads on a real
 * API server to N and back to zero as real messages come and go in a queue. To the API server they are a user who has the roles of
 * infra/kubernetes/rbac.yaml and nothing else.
 */
const table = "ebb-e2e";

const targets = [
  { kind: "Deployment", apiVersion: "apps/v1", name: "orders" },
  { kind: "StatefulSet", apiVersion: "apps/v1", name: "mails" },
  { kind: "Consumer", apiVersion: "example.com/v1", name: "reports" },
];
const paths = [`${deployments}/orders`, `${statefulSets}/mails`, `${consumers}/reports`];

let apiServer: ApiServer;
let moto: Emulator;
let aws: AwsClients;
let sync: PackagedFunction;
let platform: ReturnType<typeof startEventPlatform>;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  apiServer = await startApiServer();
  ending.push(() => apiServer.stop());
  moto = await startMoto();
  ending.push(() => moto.stop());
  const controllers = await startControllerManager(apiServer, {
    controllers: ["deployment-controller", "replicaset-controller", "statefulset-controller"],
  });
  ending.push(() => controllers.stop());
  aws = awsClients(moto);
  ending.push(() => aws.destroy());
  await createWorkloads();
  const queueUrl = await createQueuesAndTable();
  const entries = { dynamo: aws.dynamo, table, cluster: "e2e" };
  await putCluster(entries, apiServer, { secret: "ebb/e2e", syncPeriodSeconds: 3 });
  for (const target of targets) await putQueueHpa(entries, target);
  startFunctions(queueUrl);
});

afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

async function createWorkloads(): Promise<void> {
  await defineConsumers(apiServer);
  await grantDocumentedRoles(apiServer);
  await grantScaling(apiServer, "example.com", "consumers");
  await apiServer.admin.create(deployments, deployment("orders", 1));
  await apiServer.admin.create(statefulSets, statefulSet("mails", 1));
  await apiServer.admin.create(consumers, consumer("reports", 1));
}

/** @returns the URL of the slot queue */
async function createQueuesAndTable(): Promise<string> {
  await aws.dynamo.send(new CreateTableCommand(tableDefinition(table)));
  await aws.secrets.send(new CreateSecretCommand({ Name: "ebb/e2e", SecretString: apiServer.restrictedToken }));
  for (const { name } of targets) await aws.sqs.send(new CreateQueueCommand({ QueueName: name }));
  const { QueueUrl } = await aws.sqs.send(new CreateQueueCommand({ QueueName: "ebb-e2e-slots" }));
  return QueueUrl ?? "";
}

function startFunctions(queueUrl: string): void {
  const env = { ...moto.env, TABLE_NAME: table, QUEUE_URL: queueUrl, POWERTOOLS_METRICS_NAMESPACE: "ebb" };
  const tick = startFunction("tick", env);
  ending.push(() => tick.stop());
  sync = startFunction("sync", env);
  ending.push(() => sync.stop());
  platform = startEventPlatform({ tick, sync, sqs: aws.sqs, queueUrl, region: moto.region });
}

/** Waits until every workload has these replicas; the custom resource's operator is played meanwhile. */
function untilReplicas(expected: number): Promise<void> {
  return eventually(`every workload has ${expected} replicas`, async () => {
    await actOnConsumer(apiServer, "reports");
    const found = await Promise.all(paths.map((path) => specReplicas(apiServer, path)));
    expect(found).toEqual(paths.map(() => expected));
  });
}

test("workloads go to zero, to as many as the messages ask for, and back to zero", async () => {
  await untilReplicas(0);
  for (const { name } of targets) await sendWork(aws, name, 12);
  await untilReplicas(3); // 12 messages, 5 for each
  for (const { name } of targets) await sendWork(aws, name, 18);
  await untilReplicas(6);
  for (const { name } of targets) await drainWork(aws, name);
  await untilReplicas(0);
  await platform.stop();
});

test("each scaling was told once, and nothing failed", () => {
  const scalings = sync.lines.filter(({ from }) => from !== undefined);
  for (const { name } of targets) {
    const told = scalings.filter(({ hpa }) => hpa === `default/${name}`);
    expect(told.map(({ from }) => from)).toEqual([1, ...told.slice(0, -1).map(({ to }) => to)]);
    expect(told.slice(0, 2).map(({ to }) => to)).toEqual([0, 3]);
    expect(told.at(-1)).toMatchObject({ to: 0, reason: "SuccessfulRescale" });
  }
  expect(sync.lines.filter(({ level }) => level === "WARN" || level === "ERROR")).toEqual([]);
});

test("the table says who owns the zero", async () => {
  const key = { pk: { S: "CLUSTER#e2e" }, sk: { S: "STATE#default/orders" } };
  const { Item } = await aws.dynamo.send(new GetItemCommand({ TableName: table, Key: key }));
  expect(JSON.stringify(Item)).toContain("the HPA controller scaled the workload to zero");
});
