import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { openCloudWatchSource } from "./cloudwatch/cloudwatch";
import type { MetricSource } from "../model/ports";
import { openSqsSource } from "./sqs/sqs";

/** The client of a region; of the default region (AWS_REGION, the profile's) without one. */
export interface MetricClients {
  readonly sqs: (region?: string) => SQSClient;
  readonly cloudwatch: (region?: string) => CloudWatchClient;
}

/** The metric sources that External metrics may name without an entry in the table. */
export function openMetricSources(clients: MetricClients): {
  readonly sqs: MetricSource;
  readonly cloudwatch: MetricSource;
} {
  return { sqs: openSqsSource(clients.sqs), cloudwatch: openCloudWatchSource(clients.cloudwatch) };
}
