import { dynamoCall } from "../../infra/dynamo-call";
import type { Call } from "../../infra/iam";
import type { RecordedCall } from "./recording-proxy";

/** Where the calls of a suite go. moto's account. */
export const partition = { partition: "aws", region: "eu-central-1", account: "123456789012" } as const;

const arn = (service: string, resource: string) =>
  `arn:aws:${service}:${partition.region}:${partition.account}:${resource}`;
export const tableArn = (table: string) => arn("dynamodb", `table/${table}`);
export const queueArn = (queue: string) => arn("sqs", queue);

/** A recorded request as IAM sees it. A batch needs the right of its single action. */
export function awsCall({ region, service, action, input }: RecordedCall): Call {
  const text = (name: string) => String(input[name]);
  switch (service) {
    case "dynamodb":
      return dynamoCall(action, input, tableArn);
    case "sqs": {
      if (action === "ListQueues") return { action: "sqs:ListQueues", resource: "*" };
      // A queue's URL ends with its account and its name.
      const { QueueUrl = "", QueueOwnerAWSAccountId = partition.account } = input as Readonly<Record<string, string>>;
      const url = QueueUrl.split("/");
      const [name, account] =
        action === "GetQueueUrl" ? [text("QueueName"), QueueOwnerAWSAccountId] : [url.at(-1), url.at(-2)];
      const resource = `arn:aws:sqs:${region}:${account}:${name}`;
      return { action: `sqs:${action.replace(/Batch$/, "")}`, resource };
    }
    case "monitoring":
      return { action: `cloudwatch:${action}`, resource: "*" };
    case "secretsmanager":
      return { action: `secretsmanager:${action}`, resource: arn(service, `secret:${text("SecretId")}-AbCdEf`) };
    case "ssm":
      return { action: `ssm:${action}`, resource: arn(service, `parameter${text("Name")}`) };
    case "eks":
      // REST: the path names the cluster.
      return { action: "eks:DescribeCluster", resource: arn(service, `cluster/${action.split("/").at(-1)}`) };
    case "sts":
      return {
        action: `sts:${action}`,
        resource: text("RoleArn"),
        context: { "sts:ExternalId": text("ExternalId") },
      };
    default:
      throw new Error(`expected a service that ebb calls, got ${service} ${action}`);
  }
}
