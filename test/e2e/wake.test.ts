import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { CloudWatchClient, DescribeAlarmsCommand, SetAlarmStateCommand } from "@aws-sdk/client-cloudwatch";
import { GetQueueUrlCommand, PurgeQueueCommand } from "@aws-sdk/client-sqs";
import { DeleteItemCommand, GetItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { fromItem, toItem } from "../../lib/table/items/attributes";
import { hpaItemKey, stateKey } from "../../lib/table/items/keys";
import { sendWork } from "./servers/aws";
import { deployStack, entriesOf, letEbbIn, registered, startDeployable, type Deployable } from "./servers/deployable";
import { putCluster, putQueueHpa } from "./servers/entries";
import { eventually } from "./servers/eventually";
import { exampleText } from "../examples/examples";
import { openStack } from "./servers/stack";

/**
 * The stack as people deploy it, on an emulator that runs its functions and its event sources, the table's stream with
 * its filter among them. The cluster's slots are an hour apart, so no slot causes what takes effect here.
 */
const stage = "wake";
const target = { kind: "Deployment", apiVersion: "apps/v1", name: "orders" };
const entry = hpaItemKey("e2e", "default/orders");
const TableName = `ebb-${stage}`;

let among: Deployable;
const took: Record<string, number> = {};

const entries = () => entriesOf(among, stage);

/** How long the change took to show in the cluster, which is asked all the time. */
async function untilReplicas(what: string, expected: number): Promise<void> {
  const startedAt = Date.now();
  while ((await among.specReplicas()) !== expected) {
    if (Date.now() - startedAt > 60_000)
      throw new Error(`${what}: ${target.name} did not come to ${expected} replicas`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  took[what] = Date.now() - startedAt;
}

async function state(): Promise<Record<string, unknown> | undefined> {
  const { Item } = await among.aws.dynamo.send(
    new GetItemCommand({ TableName, Key: toItem(stateKey("e2e", "default/orders")), ConsistentRead: true }),
  );
  return Item && fromItem(Item);
}

const update = (expression: string, values: object) =>
  among.aws.dynamo.send(
    new UpdateItemCommand({
      TableName,
      Key: toItem(entry),
      UpdateExpression: expression,
      ExpressionAttributeValues: toItem(values),
    }),
  );

beforeAll(async () => {
  among = await startDeployable({ consumer: target.name, queue: target.name });
  await letEbbIn(among);
  await deployStack(among, stage);
  await putCluster(entries(), among.apiServer, { secret: registered.secret, syncPeriodSeconds: 3600 });
  await sendWork(among.aws, target.name, 12);
}, 300_000);

afterAll(async () => {
  console.log(`from the write of the entry to the scale, ms: ${JSON.stringify(took)}`);
  await among.stop();
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
  await sendWork(among.aws, target.name, 1);
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
  await among.aws.dynamo.send(
    new PutItemCommand({ TableName, Item: toItem({ ...hpaItemKey("e2e", "default/bad"), spec: "none" }) }),
  );
  await eventually("the last of them is synced", async () => {
    const key = toItem(stateKey("e2e", "default/bad"));
    const { Item } = await among.aws.dynamo.send(new GetItemCommand({ TableName, Key: key, ConsistentRead: true }));
    expect(Item).toBeDefined();
  });
  expect(await state()).toEqual(before);
}, 90_000);

test("an alarm of its queue wakes an HPA, as examples/wake/alarm.yaml sets it up", async () => {
  const stack = openStack(among.ministack, "ebb-wake-orders");
  await stack.create(exampleText("wake/alarm.yaml"), { Queue: target.name, WakeFunction: `ebb-${stage}-wake` });
  await stateAtRest();
  const { QueueUrl } = await among.aws.sqs.send(new GetQueueUrlCommand({ QueueName: target.name }));
  await among.aws.sqs.send(new PurgeQueueCommand({ QueueUrl }));
  await update("SET spec.maxReplicas = :max", { ":max": 10 });
  await stateAtRest();
  const before = (await among.specReplicas()) ?? 0;
  await sendWork(among.aws, target.name, 5 * (before + 3));
  const cloudwatch = new CloudWatchClient({
    endpoint: among.ministack.endpoint,
    region: among.ministack.region,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  try {
    const { MetricAlarms: [alarm] = [] } = await cloudwatch.send(
      new DescribeAlarmsCommand({ AlarmNamePrefix: "ebb-wake-orders" }),
    );
    const AlarmName = alarm?.AlarmName;
    await cloudwatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: "ALARM", StateReason: "messages wait" }));
    await untilReplicas("alarm", before + 3);
  } finally {
    cloudwatch.destroy();
  }
}, 120_000);

test("an HPA that is deleted is forgotten at once", async () => {
  await among.aws.dynamo.send(new DeleteItemCommand({ TableName, Key: toItem(entry) }));
  await eventually("its state is gone", async () => expect(await state()).toBeUndefined());
}, 90_000);
