import { openSqsClients } from "../../../../lib/aws/clients";
import { openCloudWatchClients } from "../../../../lib/aws/sdk/cloudwatch-clients";
import { assumeRole } from "../../../../lib/cluster/auth/assume-role";
import { describeEks } from "../../../../lib/cluster/auth/eks-cluster";
import { openSecrets } from "../../../../lib/secrets/secrets";
import type { SourceReader } from "../../../../lib/model/ports/sources";
import { openCloudWatchSource } from "../../../../lib/sources/cloudwatch/cloudwatch";
import { openSqsSource } from "../../../../lib/sources/sqs/sqs";
import { contextOf } from "../../../sources/read-context";
import { answerQuestions } from "../../../small-heap/answer-questions";

export interface Job {
  /** With each client, at once. */
  readonly calls: number;
  readonly limitMs: number;
  /** With the addresses of the services. */
  readonly env: Readonly<Record<string, string>>;
}

/** By client: the distinct outcomes of its calls. */
export type Outcomes = Readonly<Record<string, readonly string[]>>;

/** Asks a lying service with each of our clients, many calls at once. */
answerQuestions(async ({ calls, limitMs, env }: Job) => {
  process.env = { ...env };
  const credentials = { accessKeyId: "AKID", secretAccessKey: "s3cr3t" };
  const config = { credentials, region: "eu-west-1" };
  const signal = new AbortController().signal;
  const turn = contextOf({ signal });
  const sqs = openSqsSource(openSqsClients(config), { limitMs }).open(turn);
  const cloudwatch = openCloudWatchSource(openCloudWatchClients(config), { limitMs }).open(turn);
  const secrets = openSecrets({ region: "eu-west-1" });
  const role = { roleArn: "arn:aws:iam::1:role/a", region: "eu-west-1", externalId: "ebb/a" };
  const eks = { clusterName: "prod", region: "eu-west-1" };
  const url = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";

  const asked: Readonly<Record<string, (index: number) => Promise<unknown>>> = {
    sqs: (index) => read(sqs, { queue: `${url}-${index}` }),
    // Each period is a call of its own.
    cloudwatch: (index) => read(cloudwatch, { namespace: "N", metricName: "M", period: String(60 * (index + 1)) }),
    secret: (index) => secrets(`ebb/prod-${index}`, signal),
    parameter: (index) => secrets(`ssm:ebb/prod-${index}`, signal),
    eks: () => describeEks(eks, credentials, signal),
    sts: () => assumeRole(role, () => Promise.resolve(credentials))(),
  };
  const outcomes: Outcomes = Object.fromEntries(
    await Promise.all(
      Object.entries(asked).map(async ([client, ask]) => {
        const settled = await Promise.all(Array.from({ length: calls }, (_, index) => ask(index).catch(textOf)));
        return [client, [...new Set(settled.map((text) => String(text).replace(/\d+ s:|-\d+/g, "")))]] as const;
      }),
    ),
  );
  return { outcomes };
});

async function read(reader: SourceReader, parameters: Readonly<Record<string, string>>): Promise<string> {
  const reading = await reader.read({ metricName: "m", parameters });
  return "error" in reading ? reading.error : `read ${JSON.stringify(reading.items)}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
