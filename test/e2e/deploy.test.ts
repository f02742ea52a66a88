import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand, ListQueuesCommand } from "@aws-sdk/client-sqs";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { awsClients, sendWork, type AwsClients } from "./servers/aws";
import { startControllerManager } from "./servers/controller-manager";
import { startMinistack, type Emulator } from "./servers/emulator";
import { ebbSecret, putCluster, putQueueHpa } from "./servers/entries";
import { eventually } from "./servers/eventually";
import { grantDocumentedRoles } from "./servers/grant";
import { runOsls } from "./servers/osls";
import { deployment, deployments, specReplicas } from "./servers/workloads";

/**
 * The stack as people deploy it, on an emulator that runs it: the schedule fires, tick sends slots, and sync receives
 * them.
 */
const stage = "e2e";
const target = { kind: "Deployment", apiVersion: "apps/v1", name: "orders" };

/** The first minute of the schedule, and the slots of the minute after it. */
const firstSyncMs = 240_000;

let apiServer: ApiServer;
let ministack: Emulator;
let aws: AwsClients;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  // ministack speaks plain HTTP to 127.0.0.1 for its functions, whatever they asked for; this is loopback as well.
  apiServer = await startApiServer({ host: "127.0.0.2" });
  ending.push(() => apiServer.stop());
  const controllers = await startControllerManager(apiServer, {
    controllers: ["deployment-controller", "replicaset-controller"],
  });
  ending.push(() => controllers.stop());
  ministack = await startMinistack();
  ending.push(() => ministack.stop());
  aws = awsClients(ministack);
  ending.push(() => aws.destroy());
  await grantDocumentedRoles(apiServer);
  await apiServer.admin.create(deployments, deployment(target.name, 1));
  await aws.secrets.send(new CreateSecretCommand({ Name: "ebb/e2e", SecretString: ebbSecret(apiServer) }));
  await aws.sqs.send(new CreateQueueCommand({ QueueName: target.name }));
});

afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

test("osls deploys the stack", async () => {
  await runOsls(ministack, ["deploy", "--stage", stage, "--param", "allowedHosts=127.0.0.2"]);
  expect((await aws.dynamo.send(new ListTablesCommand({}))).TableNames).toEqual([`ebb-${stage}`]);
}, 200_000);

test("the deployed functions scale to zero and back by themselves", async () => {
  const entries = { dynamo: aws.dynamo, table: `ebb-${stage}`, cluster: "e2e" };
  await putQueueHpa(entries, target);
  await putCluster(entries, apiServer, { secret: "ebb/e2e", syncPeriodSeconds: 3 });
  const untilReplicas = (expected: number, withinMs?: number) =>
    eventually(
      `${target.name} has ${expected} replicas`,
      async () => expect(await specReplicas(apiServer, `${deployments}/${target.name}`)).toBe(expected),
      withinMs,
    );
  await untilReplicas(0, firstSyncMs);
  await sendWork(aws, target.name, 12);
  await untilReplicas(3, firstSyncMs);
}, 600_000);

test("osls removes the stack", async () => {
  await runOsls(ministack, ["remove", "--stage", stage]);
  expect((await aws.dynamo.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  const { QueueUrls = [] } = await aws.sqs.send(new ListQueuesCommand({}));
  expect(QueueUrls.map((url) => url.split("/").at(-1))).toEqual([target.name]);
}, 200_000);
