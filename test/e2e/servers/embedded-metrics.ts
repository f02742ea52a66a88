import { PutMetricDataCommand, type CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import type { Emulator } from "./emulator";

interface Embedded extends Readonly<Record<string, unknown>> {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
}

/**
 * What CloudWatch does with metrics in a log (EMF), which the emulator does not: each call publishes those that a
 * function has logged since the last one.
 */
export function embeddedMetrics(emulator: Emulator, cloudwatch: CloudWatchClient, functionName: string) {
  const published = new Set<string>();
  return async (): Promise<void> => {
    for (const message of await linesOf(emulator, `/aws/lambda/${functionName}`)) {
      if (published.has(message) || !message.includes('"_aws"')) continue;
      published.add(message);
      await publish(cloudwatch, JSON.parse(message) as Embedded);
    }
  };
}

async function publish(cloudwatch: CloudWatchClient, { _aws: { Timestamp, CloudWatchMetrics }, ...values }: Embedded) {
  for (const { Namespace, Dimensions, Metrics } of CloudWatchMetrics) {
    const MetricData = Dimensions.flatMap((names) =>
      Metrics.flatMap(({ Name }) =>
        [values[Name]].flat().map((value) => ({
          ...{ MetricName: Name, Value: Number(value), Timestamp: new Date(Timestamp) },
          Dimensions: names.map((name) => ({ Name: name, Value: String(values[name]) })),
        })),
      ),
    );
    await cloudwatch.send(new PutMetricDataCommand({ Namespace, MetricData }));
  }
}

/** All lines of a log group, the oldest first. */
export async function linesOf({ endpoint, region }: Emulator, logGroupName: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let nextToken: string | undefined; ;) {
    const answer = await fetch(endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": "Logs_20140328.FilterLogEvents",
        authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/logs/aws4_request, SignedHeaders=host, Signature=none`,
      },
      body: JSON.stringify({ logGroupName, ...(nextToken && { nextToken }) }),
    });
    if (!answer.ok) throw new Error(`FilterLogEvents ${logGroupName}: ${answer.status} ${await answer.text()}`);
    const page = (await answer.json()) as {
      readonly events: readonly { readonly message: string }[];
      readonly nextToken?: string;
    };
    lines.push(...page.events.map(({ message }) => message));
    if (page.nextToken === undefined || page.nextToken === nextToken) return lines;
    nextToken = page.nextToken;
  }
}
