import type { AwsAccess } from "../aws/access";
import { answerBytes } from "../aws/sdk/bounded-answers";
import { type DynamoClient, dynamoJson } from "../aws/http/dynamodb-commands";
import { type JsonClientConfig, type JsonService, openJsonClient } from "../aws/http/json-client";

/** Every wait has an end: 3 attempts, each with at most 1.5 s to connect and 4 s to answer. */
const dynamodb: JsonService = {
  service: "dynamodb",
  target: "DynamoDB_20120810",
  maxAttempts: 3,
  limits: { connectMs: 1_500, answerMs: 4_000, maxBytes: answerBytes.table, maxSockets: 50 },
  codec: dynamoJson,
};

/** `endpoint` is for tables outside AWS. */
export function dynamoClient(options: AwsAccess & Pick<JsonClientConfig, "post" | "maxAttempts"> = {}): DynamoClient {
  return openJsonClient(dynamodb, options);
}
