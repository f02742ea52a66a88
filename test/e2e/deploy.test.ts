import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { ListQueuesCommand } from "@aws-sdk/client-sqs";
import { sendWork } from "./servers/aws";
import { deployStack, entriesOf, letEbbIn, registered, startDeployable, type Deployable } from "./servers/deployable";
import { putCluster, putQueueHpa } from "./servers/entries";
import { runOsls } from "./servers/osls";

/**
 * The stack as people deploy it, on an emulator that runs it: the schedule fires, tick sends slots, and sync receives
 * them.
 */
const stage = "e2e";
const target = { kind: "Deployment", apiVersion: "apps/v1", name: "orders" };

/** The first minute of the schedule, and the slots of the minute after it. */
const firstSyncMs = 240_000;

let among: Deployable;

beforeAll(async () => {
  among = await startDeployable({ consumer: target.name, queue: target.name }, [
    "deployment-controller",
    "replicaset-controller",
  ]);
  await letEbbIn(among);
});

afterAll(() => among.stop());

test("osls deploys the stack", async () => {
  await deployStack(among, stage);
  expect((await among.aws.dynamo.send(new ListTablesCommand({}))).TableNames).toEqual([`ebb-${stage}`]);
}, 200_000);

test("the deployed functions scale to zero and back by themselves", async () => {
  const entries = entriesOf(among, stage);
  await putQueueHpa(entries, target);
  await putCluster(entries, among.apiServer, { secret: registered.secret, syncPeriodSeconds: 3 });
  await among.untilReplicas(0, firstSyncMs);
  await sendWork(among.aws, target.name, 12);
  await among.untilReplicas(3, firstSyncMs);
}, 600_000);

test("osls removes the stack", async () => {
  await runOsls(among.ministack, ["remove", "--stage", stage]);
  expect((await among.aws.dynamo.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  const { QueueUrls = [] } = await among.aws.sqs.send(new ListQueuesCommand({}));
  expect(QueueUrls.map((url) => url.split("/").at(-1))).toEqual([target.name]);
}, 200_000);
