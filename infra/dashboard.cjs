// A CloudWatch dashboard of what the stack and AWS count anyway: with the param dashboard alone (docs/deploy.md).
const { readFileSync } = require("node:fs");
const error = require("./param-error.cjs");
const readParams = require("./params.cjs");

const alwaysThere = ["Sync", "Tick", "Wake", "Watch"];

const own = (metric, stat = "Sum", more = {}) => [
  "ebb",
  metric,
  "service",
  "${self:service}-${sls:stage}",
  { stat, ...more },
];
const queue = (id, metric, label) => [
  "AWS/SQS",
  metric,
  "QueueName",
  `\${${id}.QueueName}`,
  { stat: "Maximum", label },
];
const table = (metric) => ["AWS/DynamoDB", metric, "TableName", "${Table}", { stat: "Sum" }];
const lambda = (functions, metric, stat = "Sum") =>
  functions.map((id) => [
    "AWS/Lambda",
    metric,
    "FunctionName",
    `\${${id}LambdaFunction}`,
    { stat, label: id.toLowerCase() },
  ]);

const alarmIds = () =>
  [...readFileSync(require.resolve("./alarms.yml"), "utf8").matchAll(/^ {2}(\w+Alarm):$/gm)].map(([, id]) => id);

/** Three to a row, in the order in which somebody looks when HPAs do not scale. */
const chartsOf = (functions, hasNotify) => [
  ["Failing HPAs", [own("FailingHpas", "Maximum"), own("Failures"), own("HpasBehind", "Maximum")]],
  ["Scalings and syncs", [own("Scalings"), own("HpasSynced", "Sum", { yAxis: "right" })]],
  ["From a slot's start to its sync (ms)", [own("SyncLag", "p50"), own("SyncLag", "p99"), own("SyncDuration", "p99")]],
  [
    "Slot messages",
    [
      queue("SlotQueue", "ApproximateAgeOfOldestMessage", "oldest (s)"),
      queue("SlotQueue", "ApproximateNumberOfMessagesVisible", "waiting"),
      queue("DeadLetterQueue", "ApproximateNumberOfMessagesVisible", "dead letters"),
      ...[own("LateSlots"), own("MessagesFailed")],
    ],
  ],
  ["Errors of functions", lambda(functions, "Errors")],
  ["Throttles of functions", lambda(functions, "Throttles")],
  ["Longest runs of functions (ms)", lambda(functions, "Duration", "Maximum")],
  [
    "Table",
    ["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", "ReadThrottleEvents", "WriteThrottleEvents"].map(table),
  ],
  ["Clusters, shards and messages", ["Clusters", "Shards", "Messages"].map((metric) => own(metric, "Maximum"))],
  ...(hasNotify ? [["Notifications that were not sent", [own("NotificationsUnsent")]]] : []),
];

const [width, height, perRow] = [8, 6, 3];

function bodyOf({ notifyArn, metricsTokenArn }) {
  const hasNotify = notifyArn !== undefined;
  const functions = [
    ...alwaysThere,
    ...(hasNotify ? ["Notify"] : []),
    ...(metricsTokenArn === undefined ? [] : ["Metrics"]),
  ];
  const alarms = [...alarmIds(), ...(hasNotify ? ["NotificationsUnsentAlarm", "NotifyErrorsAlarm"] : [])];
  const top = { x: 0, y: 0, width: width * perRow, height: 3 };
  const charts = chartsOf(functions, hasNotify).map(([title, metrics], index) => ({
    type: "metric",
    ...{ x: (index % perRow) * width, y: top.height + Math.floor(index / perRow) * height, width, height },
    properties: { title, region: "${AWS::Region}", period: 60, metrics },
  }));
  const list = { title: "Alarms", alarms: alarms.map((id) => `\${${id}.Arn}`) };
  return { widgets: [{ type: "alarm", ...top, properties: list }, ...charts] };
}

module.exports = async (variables) => {
  const params = await readParams(variables);
  const { dashboard } = params;
  if (!["true", "false"].includes(dashboard)) throw error("dashboard", "true or false", dashboard);
  if (dashboard === "false") return {};
  return {
    Resources: {
      Dashboard: {
        Type: "AWS::CloudWatch::Dashboard",
        Properties: {
          DashboardName: "${self:service}-${sls:stage}",
          DashboardBody: { "Fn::Sub": JSON.stringify(bodyOf(params)) },
        },
      },
    },
  };
};
