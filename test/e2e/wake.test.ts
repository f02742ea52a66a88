import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { DeleteItemCommand, GetItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { fromItem, toItem } from "../../lib/table/items/attributes";
import { hpaItemKey, stateKey } from "../../lib/table/items/keys";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { awsClients, sendWork, type AwsClients } from "./servers/aws";
import { startMinistack, type Emulator } from "./servers/emulator";
import { ebbSecret, putCluster, putQueueHpa } from "./servers/entries";
import { eventually } from "./servers/eventually";
import { grantDocumentedRoles } from "./servers/grant";
import { runOsls } from "./servers/osls";
import { deployment, deployments, specReplicas } from "./servers/workloads";

/**
 * The stack as people deploy it, on an emulator that runs its functions and its event sources, the table's stream with
 * its filter among them. The cluster's slots are an hour apart, so no slot causes what takes effect here.
 */
const stage = "wake";
const target = { kind: "Deployment", apiVersion: "apps/v1", name: "orders" };
const entry = hpaItemKey("e2e", "default/orders");
const TableName = `ebb-${stage}`;

let apiServer: ApiServer;
let ministack: Emulator;
let aws: AwsClients;
const ending: (() => unknown)[] = [];
const took: Record<string, number> = {};

const entries = () => ({ dynamo: aws.dynamo, table: TableName, cluster: "e2e" });

/** How long the change took to show in the cluster, which is asked all the time. */
async function untilReplicas(what: string, expected: number): Promise<void> {
  const startedAt = Date.now();
  while ((await specReplicas(apiServer, `${deployments}/${target.name}`)) !== expected) {
    if (Date.now() - startedAt > 60_000)
      throw new Error(`${what}: ${target.name} did not come to ${expected} replicas`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  took[what] = Date.now() - startedAt;
}

async function state(): Promise<Record<string, unknown> | undefined> {
  const { Item } = await aws.dynamo.send(
    new GetItemCommand({ TableName, Key: toItem(stateKey("e2e", "default/orders")), ConsistentRead: true }),
  );
  return Item && fromItem(Item);
}

const update = (expression: string, values: object) =>
  aws.dynamo.send(
    new UpdateItemCommand({
      TableName,
      Key: toItem(entry),
      UpdateExpression: expression,
      ExpressionAttributeValues: toItem(values),
    }),
  );

beforeAll(async () => {
  // ministack speaks plain HTTP to 127.0.0.1 for its functions, whatever they asked for; this is loopback as well.
  apiServer = await startApiServer({ host: "127.0.0.2" });
  ending.push(() => apiServer.stop());
  ministack = await startMinistack();
  ending.push(() => ministack.stop());
  aws = awsClients(ministack);
  ending.push(() => aws.destroy());
  await grantDocumentedRoles(apiServer);
  await apiServer.admin.create(deployments, deployment(target.name, 1));
  await aws.secrets.send(new CreateSecretCommand({ Name: "ebb/e2e", SecretString: ebbSecret(apiServer) }));
  await aws.sqs.send(new CreateQueueCommand({ QueueName: target.name }));
  await runOsls(ministack, ["deploy", "--stage", stage, "--param", "allowedHosts=127.0.0.2"]);
  await putCluster(entries(), apiServer, { secret: "ebb/e2e", syncPeriodSeconds: 3600 });
  await sendWork(aws, target.name, 12);
}, 300_000);

afterAll(async () => {
  console.log(`from the write of the entry to the scale, ms: ${JSON.stringify(took)}`);
  for (const end of ending.reverse()) await end();
});

test("an HPA that is created scales at once, before the cluster has had a slot, or even a shard", async () => {
  await putQueueHpa(entries(), target);
  await untilReplicas("created (functions started for it)", 3);
  await eventually("its state says who did it", async () =>
    expect(await state()).toMatchObject({ slot: 0, wake: { done: true } }),
  );
}, 90_000);

test("a changed spec takes effect at once, no matter who changed it", async () => {
  await update("SET spec.maxReplicas = :max", { ":max": 2 });
  await untilReplicas("spec changed", 2);
  await update("SET spec.maxReplicas = :max", { ":max": 10 });
  await untilReplicas("spec changed again", 3);
}, 90_000);

test("a paused HPA stays, and scales at once when it is resumed", async () => {
  await update("SET metadata = :metadata", { ":metadata": { annotations: { "ebb.dev/paused": "true" } } });
  await eventually("it is said that it is paused", async () =>
    expect(JSON.stringify((await state())?.["status"])).toContain("Paused"),
  );
  await update("SET spec.maxReplicas = :max", { ":max": 1 });
  await sendWork(aws, target.name, 1);
  await update("SET metadata = :metadata", { ":metadata": {} });
  await untilReplicas("resumed", 1);
}, 90_000);

/** Each change of the test before caused a wake, and the last wake may still be running. */
async function stateAtRest(): Promise<unknown> {
  for (let last = await state(); ;) {
    await sleep(3_000);
    const next = await state();
    if (isDeepStrictEqual(next, last)) return next;
    last = next;
  }
}

test("ebb's own writes, and labels, wake nobody", async () => {
  const before = await stateAtRest();
  await update("SET metadata = :metadata", { ":metadata": { labels: { team: "orders" } } });
  // A record that wakes comes after them in the stream: once it took effect, they did too, or never will.
  await aws.dynamo.send(
    new PutItemCommand({ TableName, Item: toItem({ ...hpaItemKey("e2e", "default/bad"), spec: "none" }) }),
  );
  await eventually("the last of them is synced", async () => {
    const key = toItem(stateKey("e2e", "default/bad"));
    const { Item } = await aws.dynamo.send(new GetItemCommand({ TableName, Key: key, ConsistentRead: true }));
    expect(Item).toBeDefined();
  });
  expect(await state()).toEqual(before);
}, 90_000);

test("an HPA that is deleted is forgotten at once", async () => {
  await aws.dynamo.send(new DeleteItemCommand({ TableName, Key: toItem(entry) }));
  await eventually("its state is gone", async () => expect(await state()).toBeUndefined());
}, 90_000);
