import { aws, type Command, inBrackets, row } from "../../model/advice";
import { describeKind, type UnreadParameter } from "../description";
import type { GivenParameters } from "../parameters";
import { billedByAws, sqsFields, checkSqsParameters, parseSqsQuery } from "./sqs-query";
import { sqs } from "./kind";
import { type FromKeda, type KedaTrigger, noteAws, onlySet } from "../keda";

export const describedSqs = describeKind(sqs, sqsFields, {
  summary: "The messages of an SQS queue, or of several; or the age of the oldest one.",
  parse: parseSqsQuery,
  check: checkSqsParameters,
  parameters: {
    queue: "A queue's name, URL or ARN. This, queues or queuePrefix is required, here or as a label.",
    queues: "Several, whose messages are summed.",
    queuePrefix: "The beginning of the names of 1 to 100 queues, whose messages are summed.",
    region: "The queue's region. Default: the function's.",
    account: "The queue's owner. Default: the function's own.",
    queueOwner: "The same as account.",
    measure: "messages (default): how many there are. age: of the oldest one, in seconds.",
    includeInFlight: "Whether to count messages that are received and not yet deleted. Default true.",
    includeDelayed: "Whether to count messages that are not yet visible. Default false.",
  },
  example: { queue: "orders" },
  advice: row<UnreadParameter>`check that the queue exists${({ parameters }) =>
    inBrackets(
      findQueue(parameters),
    )} and that ebb's roles allow sqs:GetQueueUrl, sqs:GetQueueAttributes and, for queuePrefix, sqs:ListQueues, and for measure age cloudwatch:GetMetricData; a queue of another account has to allow them too (docs/sources/sqs.md, Grants)`,
  iam: [
    {
      Sid: "ReadQueueDepths",
      Action: ["sqs:GetQueueAttributes", "sqs:GetQueueUrl"],
      Resource: "${file(infra/params.cjs):queueArns}",
    },
    { Sid: "ListQueues", Action: "sqs:ListQueues", Resource: "*" },
  ],
  billedByAws,
  keda: { "aws-sqs-queue": fromAwsSqsQueue },
});

function findQueue({ queue, region }: GivenParameters): Command | undefined {
  const name = typeof queue === "string" ? queue.split(/[/:]/).at(-1) : undefined;
  if (name === undefined || name === "") return undefined;
  return aws("sqs", "get-queue-url", "--queue-name", name, ...(typeof region === "string" ? ["--region", region] : []));
}

function fromAwsSqsQueue(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationQueueLength");
  noteAws(trigger);
  const queue = trigger.required("queueURL");
  return {
    parameters: onlySet({
      queue,
      region: trigger.text("awsRegion"),
      includeInFlight: trigger.flag("scaleOnInFlight", true) ? undefined : "false",
      includeDelayed: trigger.flag("scaleOnDelayed", false) ? "true" : undefined,
    }),
    target: trigger.text("queueLength") ?? "5",
    fitsLabels: queue !== undefined,
  };
}
