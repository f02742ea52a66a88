import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";

/**
 * Each wait ends: 3 attempts of at most 1.5 s to connect and 4 s to answer. Connections are kept for the next
 * invocation.
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
 * The client for `openStore`. `endpoint` is for tables that are not AWS's; region and credentials are else the
 * environment's.
 */
export function dynamoClient(
  options: Pick<DynamoDBClientConfig, "endpoint" | "region" | "credentials" | "profile"> = {},
): DynamoDBClient {
  return new DynamoDBClient({ ...limits, ...options });
}
