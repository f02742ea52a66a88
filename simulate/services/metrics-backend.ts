import { CloudWatchClient, type CloudWatchClientConfig, GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import { openCloudWatchClients } from "../../lib/aws/sdk/cloudwatch-clients";
import { onAbort } from "../../lib/async/within-time";
import { cpu } from "./assumptions";
import type { Backends } from "./backends";
import type { Instance } from "./instance";
import { limits } from "./limits";
import { depthOf } from "../load";

/** The SDK's client of CloudWatch for one function: requests take time, the account's quota and the function's CPU. */
export function metricsOver(
  { load, now }: Pick<Backends, "load" | "now">,
  instance: Instance,
  access: CloudWatchClientConfig,
): (region?: string) => CloudWatchClient {
  return openCloudWatchClients({ ...access, requestHandler: { handle, destroy: () => undefined } as never });

  function handle({ body }: { readonly body: Uint8Array }, { abortSignal }: { readonly abortSignal: AbortSignal }) {
    return new Promise((resolve, reject) => {
      const request = JSON.parse(new TextDecoder().decode(body)) as MetricsRequest;
      const unlisten = onAbort(abortSignal, () => reject(Object.assign(new Error("aborted"), { name: "AbortError" })));
      instance.request(
        "metricData",
        () => askOf(request),
        (how) => {
          unlisten();
          resolve(how === "answered" ? answered(200, answerOf(request)) : answered(400, throttling));
        },
      );
    });
  }

  function answerOf({ MetricDataQueries, EndTime }: MetricsRequest): object {
    const newest = ({ MetricStat }: MetricQuery) => EndTime - MetricStat.Period;
    return {
      MetricDataResults: MetricDataQueries.map((query) => ({
        ...{ Id: query.Id, StatusCode: "Complete", Timestamps: [newest(query)] },
        Values: [depthOf(load, indexOf(query), now())],
      })),
    };
  }
}

interface MetricQuery {
  readonly Id: string;
  readonly MetricStat: {
    readonly Metric: { readonly Dimensions: readonly { readonly Value: string }[] };
    readonly Period: number;
  };
}

/** In AWS JSON 1.0: times are seconds since the epoch. */
interface MetricsRequest {
  readonly MetricDataQueries: readonly MetricQuery[];
  readonly StartTime: number;
  readonly EndTime: number;
}

function askOf({ MetricDataQueries: queries, StartTime, EndTime }: MetricsRequest) {
  const metrics = queries.length;
  if (metrics > limits.cloudwatch.metricsPerCall)
    throw new Error(`GetMetricData: expected at most ${limits.cloudwatch.metricsPerCall} metrics, got ${metrics}`);
  const datapoints = queries.reduce((sum, { MetricStat }) => sum + (EndTime - StartTime) / MetricStat.Period, 0);
  const cpuMs = cpu.metricData + metrics * cpu.metric;
  return { operation: "cloudwatch GetMetricData", cpuMs, metrics: { metrics, datapoints } };
}

const indexOf = ({ MetricStat }: MetricQuery) => Number(/\d+$/.exec(MetricStat.Metric.Dimensions[0]?.Value ?? "")?.[0]);

const throttling = { __type: "com.amazonaws.cloudwatch#Throttling", message: "Rate exceeded" };

function answered(statusCode: number, body: object) {
  const headers = { "content-type": "application/x-amz-json-1.0" };
  return { response: { statusCode, headers, body: Buffer.from(JSON.stringify(body)) } };
}

const credentials = { accessKeyId: "simulated", secretAccessKey: "simulated" };

/**
 * The SDK reads its files of settings with the first request of a process, and keeps them. Virtual time cannot wait for
 * a disk, so this happens before it begins.
 */
export async function readSdkSettings(): Promise<void> {
  const handle = () => Promise.resolve(answered(200, { MetricDataResults: [] }));
  const client = new CloudWatchClient({
    region: "us-east-1",
    credentials,
    requestHandler: { handle, destroy: () => undefined } as never,
  });
  await client.send(new GetMetricDataCommand({ MetricDataQueries: [], StartTime: new Date(0), EndTime: new Date(1) }));
}
