// The function notify, its role and its minute's schedule: with the param notifyArn alone (docs/notifications.md).
const error = require("./param-error.cjs");
const readParams = require("./params.cjs");
const role = require("./notify-role.json");

const types = "scaled-to-zero scaled-from-zero failing unknown-metric at-max not-woken recovered".split(" ");

function checkNumbers({ notifyMinutes, notifyFailingMinutes, notifyHourlyCap }) {
  const isWhole = (value, least, most) => /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most;
  for (const [name, value] of Object.entries({ notifyMinutes, notifyFailingMinutes }))
    if (!isWhole(value, 0, 1_440)) throw error(name, "a whole number of minutes from 0 to 1440", value);
  if (!isWhole(notifyHourlyCap, 1, 100_000))
    throw error("notifyHourlyCap", "a whole number from 1 to 100000", notifyHourlyCap);
}

/** As `kubectl -l` takes it. The function reads it with the parser of a target's selector. */
const name = "([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)";
const key = `(([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)/)?${name}`;
const value = `${name}?`;
const requirement = `\\s*(!\\s*${key}|${key}(\\s*(=|==|!=)\\s*${value})?|${key}\\s+(in|notin)\\s*\\(\\s*${value}(\\s*,\\s*${value})*\\s*\\))\\s*`;
const selector = new RegExp(`^(${requirement}(,${requirement})*)?$`);

function checkFilters({ notifyTypes, notifyClusters, notifyLabels }) {
  const unknown = notifyTypes.find((type) => !types.includes(type));
  if (unknown !== undefined) throw error("notifyTypes", `some of ${types.join(", ")}`, unknown);
  const odd = notifyClusters.find((cluster) => cluster.includes("#"));
  if (odd !== undefined) throw error("notifyClusters", "names of clusters, which have no #", odd);
  if (!selector.test(notifyLabels))
    throw error("notifyLabels", "a label selector such as team=shop,tier in (web,api)", notifyLabels);
}

/** SNS uses a topic's key with the rights of whoever publishes, EventBridge a bus's with its own. */
function usingKey({ notifyArn, notifyKmsKeyArn: key }) {
  if (key === undefined) return [];
  if (!isTopic(notifyArn)) throw error("notifyKmsKeyArn", "nothing for a bus: EventBridge itself uses its key", key);
  return [
    {
      Sid: "EncryptNotifications",
      Effect: "Allow",
      Action: ["kms:Decrypt", "kms:GenerateDataKey"],
      Resource: key,
      Condition: { StringLike: { "kms:ViaService": { "Fn::Sub": "sns.*.${AWS::URLSuffix}" } } },
    },
  ];
}

function roleOf(params) {
  const { notifyArn } = params;
  const Action = isTopic(notifyArn) ? "sns:Publish" : "events:PutEvents";
  const publish = { Sid: "Publish", Effect: "Allow", Action, Resource: notifyArn };
  const { Type, Properties } = role;
  const [{ PolicyName, PolicyDocument }] = Properties.Policies;
  const Statement = [...PolicyDocument.Statement, publish, ...usingKey(params)];
  return {
    Type,
    Properties: { ...Properties, Policies: [{ PolicyName, PolicyDocument: { ...PolicyDocument, Statement } }] },
  };
}

const isTopic = (arn) => (arn["Fn::Sub"] ?? arn).split(/:(?![^{]*\})/)[2] === "sns";

const functionOf = (params) => ({
  description: "Sends notifications of what happens to HPAs",
  handler: "dist/functions/notify.handler",
  role: { "Fn::Sub": "${NotifyRole.Arn}" },
  memorySize: "${param:notifyMemory}",
  timeout: "${param:notifyTimeout}",
  environment: {
    NOTIFY_ARN: params.notifyArn,
    NOTIFY_MINUTES: "${param:notifyMinutes}",
    NOTIFY_FAILING_MINUTES: "${param:notifyFailingMinutes}",
    NOTIFY_HOURLY_CAP: "${param:notifyHourlyCap}",
    NOTIFY_TYPES: params.notifyTypes.join(),
    NOTIFY_CLUSTERS: params.notifyClusters.join(),
    NOTIFY_NAMESPACES: params.notifyNamespaces.join(),
    NOTIFY_LABELS: "${param:notifyLabels}",
  },
  package: {
    patterns: ["dist/functions/notify.js", "dist/functions/sdk-resolution.js", "dist/functions/publishers.js"],
  },
  maximumRetryAttempts: 0,
  maximumEventAge: 60,
  events: [
    {
      stream: {
        type: "dynamodb",
        arn: { "Fn::GetAtt": ["Table", "StreamArn"] },
        startingPosition: "LATEST",
        batchSize: 100,
        // Fewer invocations, and a notification is no later than a sync.
        batchWindow: 5,
        functionResponseType: "ReportBatchItemFailures",
        bisectBatchOnFunctionError: true,
        maximumRetryAttempts: 1000,
        maximumRecordAgeInSeconds: 3600,
        filterPatterns: [
          { dynamodb: { Keys: { pk: { S: [{ prefix: "CLUSTER#" }] }, sk: { S: [{ prefix: "STATE#" }] } } } },
        ],
      },
    },
  ],
});

const scheduleOf = () => ({
  Type: "AWS::Scheduler::Schedule",
  Properties: {
    Name: "${self:service}-${sls:stage}-notify",
    Description: "Looks for what has lasted long enough to be announced",
    ScheduleExpression: "cron(* * * * ? *)",
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: {
      Arn: { "Fn::GetAtt": "NotifyLambdaFunction.Arn" },
      RoleArn: { "Fn::GetAtt": "NotifyScheduleRole.Arn" },
      Input: '{ "time": "<aws.scheduler.scheduled-time>" }',
      RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
    },
  },
});

const scheduleRole = {
  Type: "AWS::IAM::Role",
  Properties: {
    AssumeRolePolicyDocument: {
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Service: "scheduler.amazonaws.com" },
          Action: "sts:AssumeRole",
          // Only schedules of this account may assume it.
          Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
        },
      ],
    },
    Policies: [
      {
        PolicyName: "schedule",
        PolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            {
              Sid: "InvokeNotify",
              Effect: "Allow",
              Action: "lambda:InvokeFunction",
              Resource: { "Fn::GetAtt": "NotifyLambdaFunction.Arn" },
            },
          ],
        },
      },
    ],
  },
};

const ofFunction = {
  Namespace: "AWS/Lambda",
  Dimensions: [{ Name: "FunctionName", Value: { Ref: "NotifyLambdaFunction" } }],
};
const ofService = { Namespace: "ebb", Dimensions: [{ Name: "service", Value: "${self:service}-${sls:stage}" }] };

/** Notifications that are not sent come again for an hour: a topic that was busy for a moment raises no alarm. */
const alarmOf = (name, description, metric, { alarmActions }) => ({
  Type: "AWS::CloudWatch::Alarm",
  Properties: {
    AlarmName: `\${self:service}-\${sls:stage}-${name}`,
    AlarmDescription: description,
    ...metric,
    Statistic: "Sum",
    Period: 300,
    EvaluationPeriods: 3,
    DatapointsToAlarm: 2,
    Threshold: 0,
    ComparisonOperator: "GreaterThanThreshold",
    TreatMissingData: "notBreaching",
    AlarmActions: alarmActions,
    OKActions: alarmActions,
  },
});

const alarmsOf = (params) => ({
  NotificationsUnsentAlarm: alarmOf(
    "notifications-unsent",
    "The topic or bus does not take notifications, which are dropped after an hour",
    { ...ofService, MetricName: "NotificationsUnsent" },
    params,
  ),
  NotifyErrorsAlarm: alarmOf(
    "notify-errors",
    "notify fails, so notifications are late, and dropped after an hour",
    { ...ofFunction, MetricName: "Errors" },
    params,
  ),
});

module.exports = async (variables) => {
  const params = await readParams(variables);
  const { notifyArn } = params;
  if (notifyArn === undefined) return { function: null, resources: {} };
  checkNumbers(params);
  checkFilters(params);
  return {
    function: functionOf(params),
    resources: {
      Resources: {
        NotifyRole: roleOf(params),
        NotifySchedule: scheduleOf(),
        NotifyScheduleRole: scheduleRole,
        ...alarmsOf(params),
      },
      Outputs: { NotifyFunctionName: { Value: { Ref: "NotifyLambdaFunction" } } },
    },
  };
};
