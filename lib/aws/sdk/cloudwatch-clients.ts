import { CloudWatchClient, type CloudWatchClientConfig } from "@aws-sdk/client-cloudwatch";
import { answerBytes, withBoundedAnswers, ownConnections, perRegion } from "./bounded-answers";

export { GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";

/** Like SQS (clients.ts): two attempts of at most 3 s each. One request reads 500 metrics. */
const transport = {
  maxAttempts: 2,
  requestHandler: {
    connectionTimeout: 3_000,
    requestTimeout: 3_000,
    throwOnRequestTimeout: true,
    socketTimeout: 3_000,
    ...ownConnections(Infinity),
  },
};

/** The SDK reads AWS_ENDPOINT_URL_CLOUDWATCH by itself. */
export function openCloudWatchClients(config: CloudWatchClientConfig = {}): (region?: string) => CloudWatchClient {
  return perRegion((region) => {
    const client = new CloudWatchClient({ ...transport, ...config, ...(region && { region }) });
    return withBoundedAnswers(client, answerBytes.cloudwatch);
  });
}
