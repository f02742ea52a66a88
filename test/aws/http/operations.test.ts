import { buffer } from "node:stream/consumers";
import * as sdkDynamo from "@aws-sdk/client-dynamodb";
import * as sdkSqs from "@aws-sdk/client-sqs";
import { openSqsClients } from "../../../lib/aws/clients";
import * as lightDynamo from "../../../lib/aws/http/dynamodb-commands";
import * as lightSqs from "../../../lib/aws/http/sqs-commands";
import type { LightCommand } from "../../../lib/aws/http/json-client";
import { dynamoClient } from "../../../lib/table/client";
import { tableDefinition } from "../../../lib/table/items/keys";
import { loopbackServers } from "../../backends/loopback";

/** Each operation of the light clients goes over the wire as the SDK sends it. */
const servers = loopbackServers();
const access = { region: "eu-west-1", credentials: { accessKeyId: "AKID", secretAccessKey: "s3cr3t" } };

const QueueUrl = "https://sqs.eu-west-1.amazonaws.com/123456789012/slots";
const TableName = "ebb-dev";
const Key = { pk: { S: "CLUSTER#prod" }, sk: { S: "HPA#shop/web" } };
const Item = {
  ...Key,
  bytes: { B: new Uint8Array([0, 255]) },
  size: { N: "3" },
  none: { NULL: true },
  list: { L: [] },
};

const inputs: Readonly<Record<string, object>> = {
  GetQueueAttributes: { QueueUrl, AttributeNames: ["ApproximateNumberOfMessages", "QueueArn"] },
  GetQueueUrl: { QueueName: "orders", QueueOwnerAWSAccountId: "111122223333" },
  ListQueues: { QueueNamePrefix: "orders-", MaxResults: 1000, NextToken: "next" },
  SendMessageBatch: { QueueUrl, Entries: [{ Id: "0", MessageBody: '{"cluster":"prod"}', DelaySeconds: 15 }] },
  ChangeMessageVisibilityBatch: { QueueUrl, Entries: [{ Id: "0", ReceiptHandle: "handle", VisibilityTimeout: 3 }] },
  PutItem: {
    ...{ TableName, Item, ConditionExpression: "attribute_not_exists(#pk) OR #version = :before" },
    ...{ ExpressionAttributeNames: { "#pk": "pk", "#version": "version" } },
    ...{ ExpressionAttributeValues: { ":before": { N: "1" } }, ReturnValuesOnConditionCheckFailure: "ALL_OLD" },
  },
  GetItem: { TableName, Key, ConsistentRead: true },
  DeleteItem: { TableName, Key, ReturnValues: "ALL_OLD" },
  Query: {
    ...{ TableName, IndexName: "by-kind", KeyConditionExpression: "sk = :sk", ExclusiveStartKey: Key, Limit: 10 },
    ...{ ExpressionAttributeValues: { ":sk": { S: "CLUSTER" } } },
  },
  BatchGetItem: { RequestItems: { [TableName]: { Keys: [Key], ConsistentRead: true } } },
  BatchWriteItem: { RequestItems: { [TableName]: [{ PutRequest: { Item } }, { DeleteRequest: { Key } }] } },
  Scan: { TableName, Segment: 0, TotalSegments: 4 },
  CreateTable: tableDefinition(TableName),
  DescribeTable: { TableName },
  DescribeTimeToLive: { TableName },
  DescribeContinuousBackups: { TableName },
};

type Command = new (input: object) => object;
const commandsOf = (module: object) =>
  Object.entries(module).filter((entry): entry is [string, Command] => entry[0].endsWith("Command"));

const clients = {
  sqs: (endpoint: string) => ({
    light: openSqsClients({ ...access, endpoint })(),
    sdk: new sdkSqs.SQSClient({ ...access, endpoint, useQueueUrlAsEndpoint: false }),
  }),
  dynamodb: (endpoint: string) => ({
    light: dynamoClient({ ...access, endpoint }),
    sdk: new sdkDynamo.DynamoDBClient({ ...access, endpoint }),
  }),
};

const operations = [
  ...commandsOf(lightSqs).map(([name, light]) => ({ name, service: "sqs" as const, light, sdk: sdkSqs })),
  ...commandsOf(lightDynamo).map(([name, light]) => ({ name, service: "dynamodb" as const, light, sdk: sdkDynamo })),
].map(({ sdk, ...operation }) => ({ ...operation, sdk: (sdk as unknown as Record<string, Command>)[operation.name] }));

test("every operation has an input", () => {
  expect(operations.map(({ name }) => name.replace(/Command$/, "")).sort()).toEqual(Object.keys(inputs).sort());
});

test.each(operations)("$name", async ({ name, service, light, sdk: Sdk }) => {
  const sent: object[] = [];
  const { url } = await servers.start((request, response) => {
    void buffer(request).then((body) => {
      const { method, url: path, headers } = request;
      const { "x-amz-target": target, "content-type": type, "x-amzn-query-mode": mode } = headers;
      sent.push({ method, path, target, type, mode, body: JSON.parse(body.toString("utf8")) as unknown });
      response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end("{}");
    });
  });
  const input = inputs[name.replace(/Command$/, "")] ?? {};
  const opened = clients[service](url);
  try {
    if (Sdk === undefined) throw new Error(`the SDK has no ${name}`);
    await opened.light.send(new light(input) as LightCommand<object, unknown>);
    // Some answers lack what the SDK needs: only the request matters here.
    await (opened.sdk as { send(command: object): Promise<unknown> }).send(new Sdk(input)).catch(() => undefined);
    expect(sent).toHaveLength(2);
    expect(sent[0]).toEqual(sent[1]);
  } finally {
    opened.light.destroy();
    opened.sdk.destroy();
  }
});
