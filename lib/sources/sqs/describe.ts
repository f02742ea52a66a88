import { describeKind } from "../description";
import { sqsFields } from "./fields";
import { fromAwsSqsQueue } from "./keda";
import { sqs } from "./kind";
import { parseSqsQuery } from "./sqs-query";

export const describedSqs = describeKind(sqs, sqsFields, {
  summary: "The messages of an SQS queue.",
  parse: parseSqsQuery,
  parameters: {
    queue: "Which queue. A URL or an ARN also gives region and account. Required, here or as a label.",
    region: "The queue's region. Default: the function's.",
    account: "The queue's owner, if it is another account. Default: the function's own.",
    queueOwner: "The same as account.",
    includeInFlight: "Whether to count messages that a consumer has received and not yet deleted. Default true.",
    includeDelayed: "Whether to count messages that are not yet visible. Default false.",
  },
  example: { queue: "orders" },
  advice:
    "check that the queue exists (aws sqs get-queue-url --queue-name <queue>) and that the role allows sqs:GetQueueUrl and sqs:GetQueueAttributes",
  iam: [
    {
      Sid: "ReadQueueDepths",
      Action: ["sqs:GetQueueAttributes", "sqs:GetQueueUrl"],
      Resource: "${file(infra/params.cjs):queueArns}",
    },
  ],
  keda: { "aws-sqs-queue": fromAwsSqsQueue },
});
