import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { awsClients, drainWork, sendWork, type AwsClients } from "./servers/aws";
import { startControllerManager } from "./servers/controller-manager";
import { startEbb, type RunningEbb } from "./servers/ebb";
import { startMoto } from "./servers/emulator";
import { putQueueHpa } from "./servers/entries";
import { eventually } from "./servers/eventually";
import type { LogLine } from "./servers/functions";
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
 * The main job on real input: the packaged functions, called with the events of EventBridge and SQS, take real
 * workloads on a real API server to N and back to zero as real messages come and go in a queue. Every slot message is
 * delivered twice at the same moment, to two instances of sync, which must change nothing. To the API server they are a
 * user who has the roles of infra/kubernetes/rbac.yaml and nothing else.
 */
const targets = [
  { kind: "Deployment", apiVersion: "apps/v1", name: "orders" },
  { kind: "StatefulSet", apiVersion: "apps/v1", name: "mails" },
  { kind: "Consumer", apiVersion: "example.com/v1", name: "reports" },
];
const paths = [`${deployments}/orders`, `${statefulSets}/mails`, `${consumers}/reports`];

let apiServer: ApiServer;
let aws: AwsClients;
let ebb: RunningEbb;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  apiServer = await startApiServer();
  ending.push(() => apiServer.stop());
  const moto = await startMoto();
  ending.push(() => moto.stop());
  const controllers = await startControllerManager(apiServer, {
    controllers: ["deployment-controller", "replicaset-controller", "statefulset-controller"],
  });
  ending.push(() => controllers.stop());
  aws = awsClients(moto);
  ending.push(() => aws.destroy());
  await createWorkloads();
  for (const { name } of targets) await aws.sqs.send(new CreateQueueCommand({ QueueName: name }));
  ebb = await startEbb({ emulator: moto, aws }, apiServer, { syncPeriodSeconds: 3, deliveries: 2 });
  ending.push(() => ebb.stop());
  for (const target of targets) await putQueueHpa(ebb.entries, target);
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

/** Waits until every workload has these replicas; the custom resource's operator is played meanwhile. */
function untilReplicas(expected: number): Promise<void> {
  return eventually(`every workload has ${expected} replicas`, async () => {
    await actOnConsumer(apiServer, "reports");
    const found = await Promise.all(paths.map((path) => specReplicas(apiServer, path)));
    expect(found).toEqual(paths.map(() => expected));
  });
}

/** As reported so far, oldest first. */
function scalingsOf(name: string): readonly LogLine[] {
  return ebb
    .lines()
    .filter(({ from, hpa }) => from !== undefined && hpa === `default/${name}`)
    .sort((one, other) => String(one.timestamp).localeCompare(String(other.timestamp)));
}

test("workloads go to zero, to as many as the messages ask for, and back to zero", async () => {
  await untilReplicas(0);
  for (const { name } of targets) await sendWork(aws, name, 12);
  await untilReplicas(3); // 12 messages, 5 for each
  for (const { name } of targets) await sendWork(aws, name, 18);
  await untilReplicas(6);
  for (const { name } of targets) await drainWork(aws, name);
  await untilReplicas(0);
  // Of two runs in one slot, the one that scaled may lose the outcome's write to the other: the next slot reports it.
  await eventually("the last scaling of each workload is reported", () => {
    for (const { name } of targets)
      expect(
        scalingsOf(name)
          .map(({ to }) => to)
          .at(-1),
      ).toBe(0);
    for (const { name } of targets) expect(scalingsOf(name).length).toBeGreaterThan(2);
  });
  await ebb.settle();
});

test("each scaling was reported once, and nothing failed", () => {
  for (const { name } of targets) {
    const reported = scalingsOf(name);
    expect(reported.map(({ from }) => from)).toEqual([1, ...reported.slice(0, -1).map(({ to }) => to)]);
    expect(reported.slice(0, 2).map(({ to }) => to)).toEqual([0, 3]);
    expect(reported.at(-1)).toMatchObject({ to: 0, reason: "SuccessfulRescale" });
  }
  expect(ebb.lines().filter(({ level }) => level === "WARN" || level === "ERROR")).toEqual([]);
});

test("the table says who owns the zero", async () => {
  const key = { pk: { S: "CLUSTER#e2e" }, sk: { S: "STATE#default/orders" } };
  const { Item } = await aws.dynamo.send(new GetItemCommand({ TableName: ebb.entries.table, Key: key }));
  expect(JSON.stringify(Item)).toContain("the HPA controller scaled the workload to zero");
});

test("the shard knows how long its syncs work", async () => {
  const key = { pk: { S: "SHARD" }, sk: { S: "e2e#" } };
  const { Item } = await aws.dynamo.send(new GetItemCommand({ TableName: ebb.entries.table, Key: key }));
  const workedMs = Number(Item?.["workedMs"]?.N);
  expect(workedMs).toBeGreaterThan(0);
  expect(workedMs).toBeLessThan(3_000);
});
