import { answerBytes, withBoundedAnswers } from "../aws/bounded-answers";
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";

/**
 * Every wait has an end: 3 attempts, each with at most 1.5 s to connect and 4 s to answer. Connections stay open for
 * the next invocation.
 */
const limits = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1500,
    requestTimeout: 4000,
    throwOnRequestTimeout: true,
    httpAgent: { keepAlive: true, maxSockets: 50 },
    httpsAgent: { keepAlive: true, maxSockets: 50 },
  },
} as const satisfies DynamoDBClientConfig;

/**
 * The client for `openStore`. `endpoint` is for tables outside AWS. By default, region and credentials come from the
 * environment.
 */
export function dynamoClient(
  options: Pick<DynamoDBClientConfig, "endpoint" | "region" | "credentials" | "profile"> = {},
): DynamoDBClient {
  return withBoundedAnswers(new DynamoDBClient({ ...limits, ...options }), answerBytes.table);
}
