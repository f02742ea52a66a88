import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { DeleteItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import * as eventbridge from "@aws-sdk/client-eventbridge";
import * as sns from "@aws-sdk/client-sns";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import { publisherTo } from "../../lib/aws/notifications/publishers";
import { problemsOf } from "../../lib/model/check/check-schema";
import type { Schema } from "../../lib/model/check/schema-data";
import type { HpaNotification } from "../../lib/model/ports/publisher";
import { toItem } from "../../lib/table/items/attributes";
import { hpaItemKey } from "../../lib/table/items/keys";
import { examplePath, exampleText } from "../examples/examples";
import { readYaml } from "../infra/read-template";
import { sendWork } from "./servers/aws";
import { type Deployable, deployStack, entriesOf, letEbbIn, registered, startDeployable } from "./servers/deployable";
import { putCluster, putQueueHpa } from "./servers/entries";
import { eventually } from "./servers/eventually";
import { installed } from "./servers/installed";
import { openStack } from "./servers/stack";

/**
 * The function notify on an emulator that runs the stack, with the table's stream. The emulator's CloudFormation knows
 * no connection and no API destination, so those of the examples are made by EventBridge's own API. It does not send
 * e-mail, and its scheduler's minute is not waited for.
 */
const stage = "notify";
const target = { kind: "Deployment", apiVersion: "apps/v1", name: "orders" };
const entry = toItem(hpaItemKey("e2e", "default/orders"));

let among: Deployable;
const config = () => ({
  ...{ endpoint: among.ministack.endpoint, region: among.ministack.region },
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
});

beforeAll(async () => {
  among = await startDeployable({ consumer: target.name, queue: target.name });
}, 120_000);
afterAll(() => among.stop());

const update = (expression: string, values: object) =>
  among.aws.dynamo.send(
    new UpdateItemCommand({
      ...{ TableName: `ebb-${stage}`, Key: entry, UpdateExpression: expression },
      ExpressionAttributeValues: toItem(values),
    }),
  );

test("what happens to an HPA is announced on the topic of the example, each valid by its schema", async () => {
  await letEbbIn(among);
  await openStack(among.ministack, "ebb-mail").create(exampleText("notifications/email.yaml"), {
    Address: "a@example.com",
  });
  const client = new sns.SNSClient(config());
  const { Topics: [{ TopicArn = "" } = {}] = [] } = await client.send(new sns.ListTopicsCommand({}));
  const { Subscriptions = [] } = await client.send(new sns.ListSubscriptionsByTopicCommand({ TopicArn }));
  expect(Subscriptions).toMatchObject([{ Protocol: "email", Endpoint: "a@example.com" }]);
  const { QueueUrl } = await among.aws.sqs.send(new CreateQueueCommand({ QueueName: "told" }));
  const { Attributes } = await among.aws.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }),
  );
  await client.send(new sns.SubscribeCommand({ TopicArn, Protocol: "sqs", Endpoint: Attributes?.["QueueArn"] }));
  client.destroy();

  const told: HpaNotification[] = [];
  const untilTold = (type: string) =>
    eventually(`${type} is announced`, async () => {
      const { Messages = [] } = await among.aws.sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
      );
      for (const { Body = "", ReceiptHandle } of Messages) {
        told.push(JSON.parse((JSON.parse(Body) as { readonly Message: string }).Message) as HpaNotification);
        await among.aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
      expect(told.map((event) => event.type)).toContain(`dev.ebb.hpa.${type}`);
    });

  await deployStack(among, stage, { notifyArn: TopicArn, notifyFailingMinutes: "0", notifyMinutes: "0" });
  const entries = entriesOf(among, stage);
  await putCluster(entries, among.apiServer, { secret: registered.secret, syncPeriodSeconds: 3600 });
  await putQueueHpa(entries, target);
  await untilTold("scaled-to-zero");
  await sendWork(among.aws, target.name, 12);
  await update("SET spec.maxReplicas = :max", { ":max": 2 });
  await untilTold("scaled-from-zero");
  await update("SET spec.maxReplicas = :max", { ":max": 1 });
  await untilTold("at-max");
  await update("SET spec.scaleTargetRef = :target", { ":target": { ...target, name: "nothing" } });
  await untilTold("failing");
  await update("SET spec.scaleTargetRef = :target", { ":target": target });
  await untilTold("recovered");
  expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  for (const event of told) {
    const schema = readFileSync(`docs/schema/notifications/${event.type.split(".").at(-1)}.json`, "utf8");
    expect(problemsOf(JSON.parse(schema) as Schema, event)).toEqual([]);
    expect(event).toMatchObject({ source: "/ebb-notify/clusters/e2e", subject: "default/orders" });
  }
  await among.aws.dynamo.send(new DeleteItemCommand({ TableName: `ebb-${stage}`, Key: entry }));
}, 240_000);

test.each(["email", "slack", "pagerduty"])("cfn-lint has nothing to say about %s", async (name) => {
  await promisify(execFile)(installed().cfnLint, [examplePath(`notifications/${name}.yaml`)]);
});

describe("an API destination", () => {
  const posts: { readonly path: string; readonly body: unknown }[] = [];
  let server: Server;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        posts.push({ path: request.url ?? "", body: JSON.parse(Buffer.concat(parts).toString()) as unknown });
        response.end("ok");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => void server.close());

  const event = (type: "failing" | "recovered"): HpaNotification => ({
    ...{ specversion: "1.0", id: `${type}.7.x`, source: "/ebb-prod/clusters/prod", type: `dev.ebb.hpa.${type}` },
    ...{ subject: "shop/orders", time: "2026-03-01T12:00:00.000Z", datacontenttype: "application/json" },
    data: {
      ...{ cluster: "prod", namespace: "shop", name: "orders", group: "g1", states: ["failing"], command: [] },
      summary: 'prod: shop/orders is failing since "noon" \\ 2026',
    },
  });

  test.each([
    [
      "slack",
      { Webhook: "/services/T0/B0" },
      [{ path: "/services/T0/B0", body: { text: event("failing").data.summary } }],
    ],
    [
      "pagerduty",
      { Endpoint: "/v2/enqueue", RoutingKey: "key" },
      [
        {
          path: "/v2/enqueue",
          body: {
            ...{ routing_key: "key", event_action: "trigger", dedup_key: "g1" },
            payload: { summary: event("failing").data.summary, source: "prod", severity: "error" },
          },
        },
        {
          path: "/v2/enqueue",
          body: { routing_key: "key", event_action: "resolve", dedup_key: "g1" },
        },
      ],
    ],
  ])(
    "of the example %s gets what its server reads",
    async (name, parameters, expected) => {
      posts.length = 0;
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const bus = await deployByApi(name, { ...parameters, address });
      const { signal } = new AbortController();
      const publisher = publisherTo(bus, config());
      for (const type of ["failing", "recovered"] as const) {
        expect(await publisher.publish([event(type)], signal)).toEqual(new Map());
        if (name === "slack") break;
      }
      await eventually("all are posted", () => {
        expect(posts).toEqual(expected);
        return Promise.resolve();
      });
    },
    60_000,
  );
});

type Resources = Readonly<
  Record<string, { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }>
>;

/** The resources of an example, as CloudFormation would make them. */
async function deployByApi(name: string, { address, ...given }: Readonly<Record<string, string>>): Promise<string> {
  const { Resources } = readYaml<{ readonly Resources: Resources }>(`examples/notifications/${name}.yaml`);
  const client = new eventbridge.EventBridgeClient(config());
  const { EventBusArn = "" } = await client.send(new eventbridge.CreateEventBusCommand({ Name: `ebb-${name}` }));
  const attributes: Record<string, string> = { Bus: `ebb-${name}`, "Role.Arn": "arn:aws:iam::000000000000:role/r" };
  const of = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(of);
    if (typeof value !== "object" || value === null) return value;
    const { Ref, "Fn::GetAtt": attribute } = value as Readonly<Record<string, string | undefined>>;
    if (Ref !== undefined)
      return attributes[Ref] ?? (Ref === "RoutingKey" ? given[Ref] : `${address}${given[Ref] ?? ""}`);
    if (attribute !== undefined) return attributes[attribute];
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, of(member)]));
  };
  for (const [id, { Type, Properties }] of Object.entries(Resources)) {
    const input = of(Properties) as never;
    const named = { Name: `ebb-${name}-${id}`, ...(input as object) } as never;
    if (Type === "AWS::Events::Connection") {
      const { ConnectionArn = "" } = await client.send(new eventbridge.CreateConnectionCommand(named));
      attributes[`${id}.Arn`] = ConnectionArn;
    } else if (Type === "AWS::Events::ApiDestination") {
      const { ApiDestinationArn = "" } = await client.send(new eventbridge.CreateApiDestinationCommand(named));
      attributes[`${id}.Arn`] = ApiDestinationArn;
    } else if (Type === "AWS::Events::Rule") {
      const { EventPattern, Targets, EventBusName } = input as {
        EventPattern: object;
        Targets: [];
        EventBusName: string;
      };
      const rule = { Name: `ebb-${name}-${id}`, EventBusName };
      await client.send(new eventbridge.PutRuleCommand({ ...rule, EventPattern: JSON.stringify(EventPattern) }));
      await client.send(new eventbridge.PutTargetsCommand({ Rule: rule.Name, EventBusName, Targets }));
    }
  }
  client.destroy();
  return EventBusArn;
}
