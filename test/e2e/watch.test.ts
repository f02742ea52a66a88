import { setTimeout as sleep } from "node:timers/promises";
import { GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { fromItem, toItem } from "../../lib/table/items/attributes";
import { hpaItemKey, idleKey, leaseKey, stateKey } from "../../lib/table/items/keys";
import { sendWork } from "./servers/aws";
import { deployStack, entriesOf, letEbbIn, registered, startDeployable, type Deployable } from "./servers/deployable";
import { putCluster, putQueueHpa } from "./servers/entries";
import { eventually } from "./servers/eventually";

/**
 * The zero-scale poller as people deploy it: the schedule starts it, and it wakes an HPA at zero long before the next
 * slot, which a minute brings.
 */
const stage = "watch";
const target = { kind: "Deployment", apiVersion: "apps/v1", name: "orders" };
const TableName = `ebb-${stage}`;
const minuteMs = 60_000;

let among: Deployable;

async function item(key: object): Promise<Record<string, unknown> | undefined> {
  const { Item } = await among.aws.dynamo.send(
    new GetItemCommand({ TableName, Key: toItem(key), ConsistentRead: true }),
  );
  return Item && fromItem(Item);
}

beforeAll(async () => {
  among = await startDeployable({ consumer: target.name, queue: target.name }, [
    "deployment-controller",
    "replicaset-controller",
  ]);
  await letEbbIn(among);
  await deployStack(among, stage);
  await putQueueHpa(entriesOf(among, stage), target);
  await among.aws.dynamo.send(
    new UpdateItemCommand({
      TableName,
      Key: toItem(hpaItemKey(registered.cluster, "default/orders")),
      UpdateExpression: "SET metadata = :metadata",
      ExpressionAttributeValues: toItem({ ":metadata": { annotations: { "ebb.dev/wake": "fast" } } }),
    }),
  );
  await putCluster(entriesOf(among, stage), among.apiServer, { secret: registered.secret, syncPeriodSeconds: 60 });
}, 300_000);

afterAll(() => among.stop());

test("with an empty queue it goes to zero, and a poller begins to read", async () => {
  await among.untilReplicas(0, 240_000);
  await eventually("its shard's slot shows the zero", async () =>
    expect(await item(idleKey({ cluster: registered.cluster, from: "" }))).toBeDefined(),
  );
  await eventually(
    "a poller has the lease",
    async () => expect(Number((await item(leaseKey))?.["until"])).toBeGreaterThan(Date.now()),
    150_000,
  );
}, 480_000);

test("its first message wakes it, and not the next slot", async () => {
  // Early in a minute: whatever happens within half of it, no slot does.
  const intoMinute = Date.now() % minuteMs;
  if (intoMinute < 10_000 || intoMinute > 25_000) await sleep((minuteMs + 10_000 - intoMinute) % minuteMs);
  const sentAt = Date.now();
  await sendWork(among.aws, target.name, 12);
  await among.untilReplicas(3, 25_000);
  console.log(`first message to scale: ${Date.now() - sentAt} ms`);
  await eventually("its state says who did it", async () =>
    expect(await item(stateKey(registered.cluster, "default/orders"))).toMatchObject({ wake: { done: true } }),
  );
}, 180_000);
