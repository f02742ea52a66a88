import { CloudWatchClient, DescribeAlarmsCommand, PutMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import { CreateQueueCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { exampleText } from "../examples/examples";
import { deployStack, entriesOf, letEbbIn, registered, startDeployable, type Deployable } from "./servers/deployable";
import { embeddedMetrics, linesOf } from "./servers/embedded-metrics";
import { putCluster, putQueueHpa } from "./servers/entries";
import { eventually } from "./servers/eventually";
import { openStack } from "./servers/stack";
import { deployment, deployments } from "./servers/workloads";

/**
 * The alarm for failing HPAs, from an HPA whose target is not there to the message on the alarm's topic, and back. The
 * emulator evaluates its alarms. It does not read metrics from logs, as CloudWatch does, so the suite publishes them.
 */
const stage = "failing";
const target = { kind: "Deployment", apiVersion: "apps/v1", name: "orders" };
const AlarmName = `ebb-${stage}-failing-hpas`;
const syncLog = `/aws/lambda/ebb-${stage}-sync`;

/** The next ticks, the minute that an HPA has to fail, and a minute of the alarm. */
const minutesMs = 300_000;

const topicAndQueue = `
Resources:
  Queue: { Type: AWS::SQS::Queue, Properties: { QueueName: on-call } }
  Topic: { Type: AWS::SNS::Topic, Properties: { TopicName: on-call } }
  Subscription:
    Type: AWS::SNS::Subscription
    Properties: { TopicArn: !Ref Topic, Protocol: sqs, Endpoint: !GetAtt Queue.Arn, RawMessageDelivery: true }
`;

let among: Deployable;
let cloudwatch: CloudWatchClient;
let publish: () => Promise<void>;
const topic = () => `arn:aws:sns:${among.ministack.region}:000000000000:on-call`;

beforeAll(async () => {
  among = await startDeployable({ consumer: target.name, queue: target.name });
  await letEbbIn(among);
  const { endpoint, region } = among.ministack;
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  cloudwatch = new CloudWatchClient({ endpoint, region, credentials });
  publish = embeddedMetrics(among.ministack, cloudwatch, `ebb-${stage}-tick`);
  await openStack(among.ministack, "on-call").create(topicAndQueue, {});
  await deployStack(among, stage, { alarmTopicArn: topic(), failingMinutes: "1" });
  await putCluster(entriesOf(among, stage), among.apiServer, { secret: registered.secret, syncPeriodSeconds: 3 });
}, 300_000);

afterAll(async () => {
  cloudwatch.destroy();
  await among.stop();
});

async function alarmState(name = AlarmName): Promise<string | undefined> {
  const { MetricAlarms = [] } = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: [name] }));
  return MetricAlarms[0]?.StateValue;
}

const untilAlarmIs = (expected: string) =>
  eventually(
    `the alarm is ${expected}`,
    async () => {
      await publish();
      expect(await alarmState()).toBe(expected);
    },
    minutesMs,
  );

/** "ebb-failing-failing-hpas ALARM": what the topic has heard so far. */
const heard: string[] = [];
async function untilHeard(name: string, state: string): Promise<void> {
  const { QueueUrl } = await among.aws.sqs.send(new CreateQueueCommand({ QueueName: "on-call" }));
  await eventually("the topic has heard", async () => {
    const { Messages = [] } = await among.aws.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }),
    );
    for (const { Body = "" } of Messages) {
      const notice = JSON.parse(Body) as { readonly AlarmName: string; readonly NewStateValue: string };
      heard.push(`${notice.AlarmName} ${notice.NewStateValue}`);
    }
    expect(heard.filter((one) => one.startsWith(name)).at(-1)).toMatch(new RegExp(`^${name}\\S* ${state}$`));
  });
}

test("an HPA that fails raises the alarm, and its topic hears of it", async () => {
  await putQueueHpa(entriesOf(among, stage), target);
  await putQueueHpa(entriesOf(among, stage), { ...target, name: "gone" });
  await untilAlarmIs("ALARM");
  await untilHeard(AlarmName, "ALARM");
}, 400_000);

test("one team hears of its own HPA, by the example's alarm", async () => {
  const stack = openStack(among.ministack, "ebb-alarm-default");
  await stack.create(exampleText("alarms/team.yaml"), {
    ...{ Cluster: registered.cluster, Namespace: "default", LogGroup: syncLog, Topic: topic() },
  });
  const lines = (await linesOf(among.ministack, syncLog)).filter((line) => line.includes("failingSince"));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: "WARN", cluster: registered.cluster, hpa: "default/gone", reason: "FailedGetScale" },
  ]);
  const { MetricAlarms: [alarm] = [] } = await cloudwatch.send(
    new DescribeAlarmsCommand({ AlarmNamePrefix: "ebb-alarm-default" }),
  );
  // What the metric filter makes of the line.
  const { Namespace, MetricName, AlarmName: name } = alarm ?? {};
  await cloudwatch.send(new PutMetricDataCommand({ Namespace, MetricData: [{ MetricName, Value: 1 }] }));
  expect(await alarmState(name)).toBe("ALARM");
  await untilHeard("ebb-alarm-default", "ALARM");
}, 120_000);

test("what it needs is there: the alarm ends, and its topic hears of it", async () => {
  await among.aws.sqs.send(new CreateQueueCommand({ QueueName: "gone" }));
  await among.apiServer.admin.create(deployments, deployment("gone", 1));
  await untilAlarmIs("OK");
  await untilHeard(AlarmName, "OK");
  const lines = await linesOf(among.ministack, syncLog);
  expect(lines.filter((line) => line.includes("default/gone: recovered"))).toHaveLength(1);
}, 400_000);
