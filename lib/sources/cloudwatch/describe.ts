import { aws, type Command, inBrackets, row } from "../../model/advice";
import { describeKind, type UnreadParameter } from "../description";
import type { GivenParameters } from "../parameters";
import { cloudwatchFields, mostPeriods } from "./fields";
import { cloudwatch } from "./kind";
import { billedByAws, parseCloudWatchQuery } from "./cloudwatch-query";
import { type FromKeda, type KedaTrigger, noteAws, numeric, onlySet } from "../keda";

const ofMetrics = ["namespace", "metricName", "dimensionName", "dimensionValue", "metricStat", "metricUnit"];

const unit = "Only datapoints of this unit. Default: any.";

export const describedCloudWatch = describeKind(cloudwatch, cloudwatchFields, {
  summary: "A CloudWatch metric, or metric math over several metrics.",
  parse: parseCloudWatchQuery,
  parameters: {
    namespace: "Required, here or as a label, unless each of queries has one.",
    metricName: "The metric. Required, here or as a label, unless there is an expression.",
    metric: "The same as metricName.",
    statistic: "Any of CloudWatch's, such as p99 or TM(10%:90%). Default Average.",
    period: "The seconds of a datapoint. Less than 60 needs a high-resolution metric. Default 60.",
    dimensions: "The metric's dimensions. A label dimension.<Name> overrides one.",
    unit,
    expression: "Metric math over queries, by their ids.",
    queries: {
      description: "The metrics and expressions that the expression names.",
      element: {
        title: "Query",
        description: "A metric or an expression that the expression names.",
        of: {
          id: "Its name in the expression.",
          expression: "Metric math over other queries.",
          namespace: "The metric's namespace. Default: the source's.",
          metricName: "The metric.",
          statistic: "The statistic of this query. Default: the source's.",
          period: "The period of this query. Must divide the source's. Default: the source's.",
          dimensions: "The dimensions of this query. They override the source's.",
          unit,
          account: "The account that the metric is from. Default: the source's.",
        },
      },
    },
    region: "Where the metric is. Default: the function's.",
    account: "The source account, in a monitoring account.",
    periods: "How many complete periods to look at. Default 5.",
    delay: "How many seconds to wait after a period's end. Default 60 for sums and counts, otherwise 0.",
    absent: "The value without a datapoint. Default error.",
    "dimension.<Name>": "A dimension's value.",
  },
  example: { namespace: "AWS/SQS", metricName: "ApproximateAgeOfOldestMessage", "dimension.QueueName": "orders" },
  advice: row<UnreadParameter>`check that the metric has data${({ parameters }) =>
    inBrackets(listMetrics(parameters))} and that ebb's roles allow cloudwatch:GetMetricData`,
  iam: [{ Sid: "ReadCloudWatch", Action: "cloudwatch:GetMetricData", Resource: "*" }],
  billedByAws,
  keda: { "aws-cloudwatch": fromAwsCloudWatch },
});

function listMetrics({ namespace, metricName, metric = metricName, region }: GivenParameters): Command | undefined {
  if (typeof namespace !== "string" || typeof metric !== "string") return undefined;
  const where = typeof region === "string" ? ["--region", region] : [];
  return aws("cloudwatch", "list-metrics", "--namespace", namespace, "--metric-name", metric, ...where);
}

function fromAwsCloudWatch(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationTargetMetricValue");
  noteAws(trigger);
  const expression = trigger.text("expression");
  const period = Number(trigger.text("metricStatPeriod") ?? 300);
  const collected = Number(trigger.text("metricCollectionTime") ?? 300);
  const least = trigger.text("minMetricValue") ?? "0";
  return {
    parameters: onlySet({
      ...(expression === undefined ? metricOf(trigger) : expressionAlone(expression, trigger)),
      period,
      periods: periodsOf(trigger, collected / period),
      delay: numeric(trigger.text("metricEndTimeOffset")),
      absent: trigger.flag("ignoreNullValues", true) ? Number(least) : "error",
      region: trigger.text("awsRegion"),
      account: trigger.text("awsAccountId"),
    }),
    target: trigger.text("targetMetricValue") ?? "",
  };
}

function periodsOf(trigger: KedaTrigger, given: number): number {
  if (given > mostPeriods)
    trigger.note("metricCollectionTime", `is ${given} periods: periods is ${mostPeriods}, the most`, "size");
  return Math.min(mostPeriods, Math.max(1, Math.floor(given)));
}

function metricOf(trigger: KedaTrigger): FromKeda["parameters"] {
  return {
    namespace: trigger.text("namespace"),
    metricName: trigger.text("metricName"),
    dimensions: dimensionsOf(trigger),
    statistic: trigger.text("metricStat"),
    unit: trigger.text("metricUnit"),
  };
}

function expressionAlone(expression: string, trigger: KedaTrigger): FromKeda["parameters"] {
  for (const name of ofMetrics) trigger.unneeded(name);
  return { expression };
}

function dimensionsOf(trigger: KedaTrigger): Readonly<Record<string, string>> | undefined {
  const names = (trigger.text("dimensionName") ?? "").split(";").filter((name) => name !== "");
  const values = (trigger.text("dimensionValue") ?? "").split(";");
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name, index) => [name.trim(), (values[index] ?? "").trim()]));
}
