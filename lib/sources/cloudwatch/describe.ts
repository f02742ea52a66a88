import { describeKind } from "../description";
import { cloudwatchFields } from "./fields";
import { fromAwsCloudWatch } from "./keda";
import { cloudwatch } from "./kind";

const unit = "Only datapoints of this unit. Default: any.";

export const describedCloudWatch = describeKind(cloudwatch, cloudwatchFields, {
  summary: "A CloudWatch metric, or metric math over several.",
  parameters: {
    namespace: "AWS/SQS, or your own. Required, here or as a label, unless each of queries has one.",
    metricName: "The metric. Required, here or as a label, unless there is an expression.",
    metric: "The same as metricName.",
    statistic: "Of a period's samples. CloudWatch's others, such as TM(10%:90%), are allowed too. Default Average.",
    period: "The seconds that a datapoint is over. Less than 60 is for high-resolution metrics. Default 60.",
    dimensions: "Names and values. A label dimension.<Name> overrides one of them.",
    unit,
    expression: "Metric math, instead of metricName. Its ids are those of queries.",
    queries: {
      description: "What the expression is over.",
      element: {
        title: "Query",
        description: "One of the metrics or expressions that the expression names.",
        of: {
          id: "What the expression calls it.",
          expression: "Metric math over other queries, instead of a metric.",
          namespace: "The metric's namespace. Default: the whole's.",
          metricName: "The metric.",
          statistic: "Of this query. Default: the whole's.",
          period: "Must divide the whole's. Default: the whole's.",
          dimensions: "Of this query. They override those of the whole.",
          unit,
          account: "The source account of the metric. Default: the whole's.",
        },
      },
    },
    region: "Where the metric is. Default: the function's.",
    account: "In a monitoring account: the source account of the metric.",
    periods: "How many complete periods to look at. Default 5.",
    delay: "Seconds that a period has to fill up after its end. Default 0.",
    absent: 'What no datapoint means: "error", or a number such as 0. Default error.',
    "dimension.<Name>": "A dimension's value.",
  },
  example: { namespace: "AWS/SQS", metricName: "ApproximateAgeOfOldestMessage", "dimension.QueueName": "orders" },
  advice:
    "check that the metric has data (aws cloudwatch list-metrics) and that the role allows cloudwatch:GetMetricData",
  iam: [{ Sid: "ReadCloudWatch", Action: "cloudwatch:GetMetricData", Resource: "*" }],
  keda: { "aws-cloudwatch": fromAwsCloudWatch },
});
