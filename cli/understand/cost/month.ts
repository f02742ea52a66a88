import type { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { callAws } from "../../../lib/aws/call";
import { dayMs } from "../../../lib/k8s/time";
import { failure } from "../../shell/failure";
import { costOfReads } from "./bill";
import { dearestFirst, type Line, number, pollerKnob, same, slower } from "./line";
import { decisionsOf, monthlyReads, type Plan, sumOf } from "./plan";
import { prices } from "../../../lib/model/prices";

/** Since the month began (UTC). */
export interface Counted extends CloudWatchCounts {
  /** The zero-scale poller's spending in $, from its lease item. */
  readonly watched: number;
}

const ofEbb = (name: string) => ["ebb", name, "service"] as const;
const ofTable = (name: string) => ["AWS/DynamoDB", name, "TableName"] as const;

/** The table has the deployment's name, and so does the dimension `service`. */
const metrics = {
  synced: ofEbb("HpasSynced"),
  syncMs: ofEbb("SyncDuration"),
  messages: ofEbb("Messages"),
  reads: ofTable("ConsumedReadCapacityUnits"),
  writes: ofTable("ConsumedWriteCapacityUnits"),
} as const;

type CloudWatchCounts = Readonly<Record<keyof typeof metrics, number>>;

/** @throws Failure when nothing was counted; rejects with a Fault when CloudWatch refuses */
export async function countedThisMonth(
  client: Pick<CloudWatchClient, "send">,
  { deployment, now, signal }: { readonly deployment: string; readonly now: number; readonly signal: AbortSignal },
): Promise<CloudWatchCounts> {
  const at = new Date(now);
  const input = {
    StartTime: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth())),
    EndTime: at,
    MetricDataQueries: Object.entries(metrics).map(([id, [Namespace, MetricName, Name]]) => ({
      Id: id.toLowerCase(),
      MetricStat: {
        Metric: { Namespace, MetricName, Dimensions: [{ Name, Value: deployment }] },
        Period: dayMs / 1_000,
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
  const counted = Object.fromEntries(Object.keys(metrics).map((id) => [id, sumOf(id)])) as CloudWatchCounts;
  if (counted.synced === 0)
    throw failure(
      `CloudWatch has no syncs of "${deployment}" this month: expected metrics in the namespace ebb with service=${deployment}; ` +
        "check --table and --region, or whether the deployment is new (ebb doctor)",
    );
  return counted;
}

export function billOfCounts(counted: Counted, plan: Plan): readonly Line[] {
  const { synced, syncMs, messages, reads, writes, watched } = counted;
  const { lambda, sqs, dynamodb } = prices;
  const { syncMemory } = plan;
  const gbSeconds = (syncMs / 1000) * (syncMemory / 1024);
  const run = same(
    gbSeconds * lambda.gbSecond + messages * lambda.request,
    `${number(gbSeconds)} GB-seconds at ${syncMemory} MB, as if each shard had an invocation of its own`,
  );
  const sent = same(messages * 2.1 * sqs.request, `${number(messages)} messages × 2.1 requests`);
  const written = same(writes * dynamodb.write, `${number(writes)} write units`);
  const polled = same(watched, "what the poller counted: its running, and its reads of sources and of the table");
  return dearestFirst([
    ...readsFor(synced, plan),
    { what: "run sync", ...run, knob: slower },
    { what: "messages of slots", ...sent, knob: slower },
    { what: "reads of the table", ...same(reads * dynamodb.read, `${number(reads)} read units`), knob: slower },
    {
      what: "writes of the table",
      ...written,
      knob: "a syncPeriodSeconds above 60, if the values of metrics move all the time",
    },
    { what: "watch HPAs at zero", ...polled, knob: pollerKnob },
  ]);
}

function readsFor(synced: number, plan: Plan): readonly Line[] {
  const inMonth = sumOf(plan, decisionsOf);
  return monthlyReads(plan).map((read) => {
    const perSync = inMonth === 0 ? 0 : read.times / inMonth;
    const cost = costOfReads(read, synced * perSync);
    const syncs = `${number(synced)} syncs of an HPA × ${perSync.toFixed(2)} ${read.what}s`;
    return { ...cost, what: `read ${read.source}: ${read.what}s`, arithmetic: `${cost.arithmetic}: ${syncs}` };
  });
}
