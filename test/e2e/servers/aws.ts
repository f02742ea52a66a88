import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import {
  DeleteMessageCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { DynamoClient } from "../../../lib/aws/http/dynamodb-commands";
import { dynamoClient } from "../../../lib/table/client";
import type { Emulator } from "./emulator";

export interface AwsClients {
  readonly dynamo: DynamoDBClient;
  /** As ebb asks. */
  readonly table: DynamoClient;
  readonly sqs: SQSClient;
  readonly secrets: SecretsManagerClient;
  destroy(): void;
}

export function awsClients({ endpoint, region }: Emulator): AwsClients {
  const options = { endpoint, region, credentials: { accessKeyId: "test", secretAccessKey: "test" } };
  const clients = {
    dynamo: new DynamoDBClient(options),
    table: dynamoClient(options),
    sqs: new SQSClient(options),
    secrets: new SecretsManagerClient(options),
  };
  const destroy = () => Object.values(clients).forEach((client) => client.destroy());
  return { ...clients, destroy };
}

export async function sendWork({ sqs }: Pick<AwsClients, "sqs">, queue: string, count: number): Promise<void> {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: queue }));
  for (let sent = 0; sent < count; sent++) {
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: `work ${sent}` }));
  }
}

/** Handles the waiting messages as a consumer does: receives them (they are in flight), then deletes them. */
export async function drainWork({ sqs }: Pick<AwsClients, "sqs">, queue: string): Promise<void> {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: queue }));
  for (;;) {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return;
    for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
}
