import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { callAws } from "../../../lib/aws/call";
import { failure } from "../../shell/failure";
import { costOfReads } from "./bill";
import { type Line, number, pollerKnob } from "./line";
import { decisionsOf, type Plan, sumOf } from "./plan";
import { prices } from "../../../lib/model/prices";
import { monthlyReads } from "./plan";

/** Since the month began (UTC). */
export interface Counted extends CloudWatchCounts {
  /** The zero-scale poller's spending in $, from its lease item. */
  readonly watched: number;
}

interface CloudWatchCounts {
  readonly synced: number;
  readonly syncMs: number;
  readonly messages: number;
  readonly reads: number;
  readonly writes: number;
}

const daySeconds = 86_400;

/** Sums. The table has the deployment's name, and so does the dimension `service`. */
const metricsOf = (deployment: string) =>
  ({
    synced: ["ebb", "HpasSynced", "service", deployment],
    syncMs: ["ebb", "SyncDuration", "service", deployment],
    messages: ["ebb", "Messages", "service", deployment],
    reads: ["AWS/DynamoDB", "ConsumedReadCapacityUnits", "TableName", deployment],
    writes: ["AWS/DynamoDB", "ConsumedWriteCapacityUnits", "TableName", deployment],
  }) as const satisfies Readonly<Record<keyof CloudWatchCounts, readonly string[]>>;

/** @throws Failure when nothing was counted; rejects with a Fault when CloudWatch refuses */
export async function countedThisMonth(
  client: Pick<CloudWatchClient, "send">,
  { deployment, now, signal }: { readonly deployment: string; readonly now: number; readonly signal: AbortSignal },
): Promise<CloudWatchCounts> {
  const at = new Date(now);
  const metrics = metricsOf(deployment);
  const input = {
    StartTime: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth())),
    EndTime: at,
    MetricDataQueries: Object.entries(metrics).map(([id, [Namespace, MetricName, Name, Value]]) => ({
      Id: id.toLowerCase(),
      MetricStat: {
        Metric: { Namespace, MetricName, Dimensions: [{ Name, Value }] },
        Period: daySeconds,
        Stat: "Sum",
      },
    })),
  };
  const { GetMetricDataCommand } = await import("../../../lib/aws/sdk/cloudwatch-clients");
  const { MetricDataResults: results = [] } = await callAws(
    { action: "cloudwatch:GetMetricData", description: `the counts of ${deployment}`, signal },
    (abortSignal) => client.send(new GetMetricDataCommand(input), { abortSignal }),
  );
  const sumOf = (id: string) => {
    const { Values: values = [] } = results.find((result) => result.Id === id.toLowerCase()) ?? {};
    return values.reduce((sum, value) => sum + value, 0);
  };
  const counted: CloudWatchCounts = {
    synced: sumOf("synced"),
    syncMs: sumOf("syncMs"),
    messages: sumOf("messages"),
    reads: sumOf("reads"),
    writes: sumOf("writes"),
  };
  if (counted.synced === 0)
    throw failure(
      `CloudWatch has no syncs of "${deployment}" this month: expected metrics in the namespace ebb with service=${deployment}; ` +
        "check --table and --region, or whether the deployment is new (ebb doctor)",
    );
  return counted;
}

interface Spent extends Pick<Line, "what" | "arithmetic" | "knob" | "readsSources"> {
  readonly amount: number;
}

export function billOfCounts(
  { synced, syncMs, messages, reads, writes, watched }: Counted,
  plan: Plan,
): readonly Line[] {
  const { syncMemory } = plan;
  const gbSeconds = (syncMs / 1000) * (syncMemory / 1024);
  const lines: readonly Spent[] = [
    ...readsFor(synced, plan),
    {
      what: "run sync",
      amount: gbSeconds * prices.lambda.gbSecond + messages * prices.lambda.request,
      arithmetic: `${number(gbSeconds)} GB-seconds at ${syncMemory} MB, as if each shard had an invocation of its own`,
      knob: "a longer syncPeriodSeconds of the cluster",
    },
    {
      what: "messages of slots",
      amount: messages * 2.1 * prices.sqs.request,
      arithmetic: `${number(messages)} messages × 2.1 requests`,
      knob: "a longer syncPeriodSeconds of the cluster",
    },
    {
      what: "reads of the table",
      amount: reads * prices.dynamodb.read,
      arithmetic: `${number(reads)} read units`,
      knob: "a longer syncPeriodSeconds of the cluster",
    },
    {
      what: "writes of the table",
      amount: writes * prices.dynamodb.write,
      arithmetic: `${number(writes)} write units`,
      knob: "a syncPeriodSeconds above 60, if the values of metrics move all the time",
    },
    {
      what: "watch HPAs at zero",
      amount: watched,
      arithmetic: "what the poller counted: its running, and its reads of sources and of the table",
      knob: pollerKnob,
    },
  ];
  return lines
    .map(({ amount, ...line }) => ({ ...line, atRest: amount, moving: amount }))
    .filter(({ moving }) => moving > 0)
    .toSorted((a, b) => b.moving - a.moving);
}

function readsFor(synced: number, plan: Plan): readonly Spent[] {
  const inMonth = sumOf(plan, decisionsOf);
  return monthlyReads(plan).map((read) => {
    const perSync = inMonth === 0 ? 0 : read.times / inMonth;
    const { arithmetic, ...line } = costOfReads(read, synced * perSync);
    const syncs = `${number(synced)} syncs of an HPA × ${perSync.toFixed(2)} ${read.what}s`;
    return { what: `read ${read.source}: ${read.what}s`, arithmetic: `${arithmetic}: ${syncs}`, ...line };
  });
}
