import { convertScaledObject } from "../../../cli/set-up/import/keda/convert-scaled-object";
import { scaledObjectProblems } from "../../../cli/set-up/import/keda/problems";

/**
 * What KEDA 2.21 refuses of the triggers that ebb reads: the tags of the metadata (pkg/scalers/scalersconfig
 * typed_config.go reads them) and Validate in each scaler's file. An object that KEDA refuses never scaled.
 */
interface Scaler {
  /** Accepted as it is. */
  readonly metadata: Settings;
  readonly refused: readonly Row[];
}

type Settings = Readonly<Record<string, string | undefined>>;
type Row = readonly [change: Settings, keda: string, ebb: string];

const problemsOf = (type: string, metadata: Settings) => {
  const spec = { scaleTargetRef: { name: "web" }, triggers: [{ type, metadata: withoutUndefined(metadata) }] };
  const object = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", metadata: { name: "web" }, spec };
  const refused = scaledObjectProblems(object);
  if (refused.length > 0) return refused;
  return convertScaledObject(object, { annotations: {}, namespace: "shop" }).problems;
};

const withoutUndefined = (settings: Settings) => JSON.parse(JSON.stringify(settings)) as Settings;

const sqs = { queueURL: "https://sqs.eu-west-1.amazonaws.com/123456789012/jobs", awsRegion: "eu-west-1" };
const cloudwatch = {
  ...{ namespace: "AWS/SQS", metricName: "Age", dimensionName: "QueueName", dimensionValue: "jobs" },
  ...{ targetMetricValue: "5", minMetricValue: "0", awsRegion: "eu-west-1" },
};
const kafka = { bootstrapServers: "b.example:9092", consumerGroup: "g", topic: "t" };
const rabbitmq = { host: "https://mq.example:15671/eu", queueName: "jobs" };
const amqp = "amqp://mq.example:5672/eu";
const redis = { address: "r.example:6379", listName: "jobs" };
const streams = { address: "r.example:6379", stream: "jobs" };
const postgresql = {
  ...{ host: "db.example", port: "5432", userName: "ebb", dbName: "shop", sslmode: "verify-full" },
  ...{ query: "SELECT 1", targetQueryValue: "5" },
};

const whole = (name: string): readonly Row[] =>
  ["1.5", "ten", "1k", "05", "1e2"].map((value) => [
    { [name]: value },
    `unable to set param "${name}" value "${value}": unable to unmarshal to field type int64`,
    `${name}: expected a whole number`,
  ]);
const number = (name: string): readonly Row[] =>
  ["500m", "1Ki", "ten", ".5", "5.", "0x1", "NaN"].map((value) => [
    { [name]: value },
    `unable to set param "${name}" value "${value}": unable to unmarshal to field type float64`,
    `${name}: expected a number`,
  ]);
const flag = (name: string): readonly Row[] => [
  [{ [name]: "yes" }, "unable to parse boolean value", `${name}: expected true or false, got "yes"`],
];
const missing = (...names: readonly string[]): readonly Row[] =>
  names.map((name) => [{ [name]: undefined }, `missing required parameter "${name}"`, `${name}: expected`]);
const oneOf = (name: string, value = "other"): Row => [
  { [name]: value },
  `parameter "${name}" value "${value}" must be one of`,
  `${name}: expected `,
];

const kafkaRows: readonly Row[] = [
  ...missing("bootstrapServers", "consumerGroup"),
  ...["lagThreshold", "activationLagThreshold"].flatMap(whole),
  ...["0", "-1"].map((value): Row => [
    { lagThreshold: value },
    '"lagThreshold" must be positive number',
    `lagThreshold: expected a number above 0, got "${value}"`,
  ]),
  [
    { activationLagThreshold: "-1" },
    '"activationLagThreshold" must be a non-negative number',
    "activationLagThreshold: expected a number that is 0 or more",
  ],
  ...["allowIdleConsumers", "excludePersistentLag", "scaleToZeroOnInvalidOffset"].flatMap(flag),
  ...["limitToPartitionsWithLag", "ensureEvenDistributionOfPartitions"].flatMap(flag),
  oneOf("offsetResetPolicy", "none"),
  oneOf("tls", "true"),
  oneOf("sasl"),
  [{ partitionLimitation: "1,x" }, "invalid partition limitation: x", "partitionLimitation: expected"],
  [{ partitionLimitation: "1-2-3" }, "invalid partition limitation range: 1-2-3", "partitionLimitation: expected"],
  [
    { allowIdleConsumers: "true", limitToPartitionsWithLag: "true" },
    "allowIdleConsumers and limitToPartitionsWithLag cannot be set simultaneously",
    "limitToPartitionsWithLag: expected no allowIdleConsumers beside it",
  ],
  [
    { topic: undefined, limitToPartitionsWithLag: "true" },
    "topic must be specified when using limitToPartitionsWithLag",
    "topic: expected a topic, for limitToPartitionsWithLag, got nothing",
  ],
];

const scalers: Readonly<Record<string, Scaler>> = {
  "aws-sqs-queue": {
    metadata: sqs,
    refused: [
      ...missing("queueURL", "awsRegion"),
      ...whole("queueLength"),
      ...whole("activationQueueLength"),
      ...["scaleOnInFlight", "scaleOnDelayed"].flatMap(flag),
      [{ queueURL: "https://sqs.example/jobs" }, "cannot get queueName from queueURL", "queueURL: expected"],
    ],
  },
  "aws-cloudwatch": {
    metadata: cloudwatch,
    refused: [
      ...missing("namespace", "metricName", "dimensionName", "dimensionValue", "targetMetricValue", "minMetricValue"),
      ...missing("awsRegion"),
      ...["targetMetricValue", "activationTargetMetricValue", "minMetricValue"].flatMap(number),
      ...["metricCollectionTime", "metricStatPeriod", "metricEndTimeOffset"].flatMap(whole),
      ...flag("ignoreNullValues"),
      [
        { dimensionName: "A;B" },
        "dimensionName and dimensionValue are not matching in size",
        "dimensionValue: expected",
      ],
      [{ metricUnit: "Stones" }, "metricUnit 'Stones' is not one of", "metricUnit: expected"],
      [{ metricStatPeriod: "0" }, "metricStatPeriod can not be smaller than 1", "metricStatPeriod: expected"],
      [{ metricStatPeriod: "20" }, "metricStatPeriod < 60 has to be one of", "metricStatPeriod: expected"],
      [{ metricStatPeriod: "90" }, "metricStatPeriod >= 60 has to be a multiple of 60", "metricStatPeriod: expected"],
      [
        { metricCollectionTime: "400" },
        "metricCollectionTime must be greater than 0 and a multiple of metricStatPeriod(300), 400 is given",
        'metricCollectionTime: expected a multiple of metricStatPeriod (300), got "400"',
      ],
      [
        { metricCollectionTime: "30", metricStatPeriod: "60" },
        "metricCollectionTime must be greater than 0 and a multiple of metricStatPeriod(60), 30 is given",
        'metricCollectionTime: expected a multiple of metricStatPeriod (60), got "30"',
      ],
    ],
  },
  cron: {
    metadata: { timezone: "Europe/Berlin", start: "0 8 * * *", end: "0 18 * * *", desiredReplicas: "3" },
    refused: [
      ...missing("timezone", "start", "end", "desiredReplicas"),
      ...whole("desiredReplicas"),
      [{ start: "0 25 * * *" }, "error parsing start schedule", "start: expected"],
      [{ end: "@daily" }, "error parsing end schedule", "end: expected"],
      [{ end: "0 8 * * *" }, "start and end can not have exactly same time input", "end: expected"],
    ],
  },
  prometheus: {
    metadata: { serverAddress: "https://p.example", query: "up", threshold: "5" },
    refused: [
      ...missing("serverAddress", "query", "threshold"),
      ...["threshold", "activationThreshold"].flatMap(number),
      ...["ignoreNullValues", "unsafeSsl"].flatMap(flag),
      [{ queryParameters: "a=b,c" }, 'expected format key=value, got "c"', "queryParameters: expected"],
      [{ customHeaders: "a" }, 'expected format key=value, got "a"', "customHeaders: expected"],
      [{ timeout: "soon" }, "unable to parse duration value", "timeout: expected"],
      [{ timeout: "-1s" }, "duration cannot be negative", "timeout: expected"],
      oneOf("authModes"),
      [{ authModes: "bearer,basic" }, "must contain only one of", "authModes: expected"],
    ],
  },
  kafka: {
    metadata: kafka,
    refused: [
      ...kafkaRows,
      ...flag("unsafeSsl"),
      oneOf("saslTokenProvider"),
      [
        { limitToPartitionsWithLag: "true", ensureEvenDistributionOfPartitions: "true" },
        "limitToPartitionsWithLag and ensureEvenDistributionOfPartitions cannot be set simultaneously",
        "ensureEvenDistributionOfPartitions: expected no limitToPartitionsWithLag beside it",
      ],
      [
        { topic: undefined, ensureEvenDistributionOfPartitions: "true" },
        "topic must be specified when using ensureEvenDistributionOfPartitions",
        "topic: expected a topic, for ensureEvenDistributionOfPartitions, got nothing",
      ],
      [
        { topic: undefined, fullMetadata: "false" },
        "topic must be specified when fullMetadata is false",
        "topic: expected a topic, for fullMetadata, got nothing",
      ],
      [
        { sasl: "oauthbearer", saslTokenProvider: "aws_msk_iam", awsRegion: "eu-west-1" },
        "TLS is required for AWS MSK authentication",
        "tls: expected enable, for aws_msk_iam",
      ],
      [
        { sasl: "oauthbearer", saslTokenProvider: "aws_msk_iam", tls: "enable" },
        "no awsRegion given",
        "awsRegion: expected a region, for aws_msk_iam, got nothing",
      ],
    ],
  },
  "apache-kafka": {
    metadata: kafka,
    refused: [
      ...kafkaRows,
      [{ sasl: "aws_msk_iam", awsRegion: "eu" }, "TLS must be enabled when using AWS MSK IAM", "tls: expected enable"],
      [{ sasl: "aws_msk_iam", tls: "enable" }, "awsRegion must be set when using AWS MSK IAM", "awsRegion: expected"],
    ],
  },
  rabbitmq: {
    metadata: rabbitmq,
    refused: [
      ...missing("host", "queueName"),
      ...["queueLength", "activationValue"].flatMap(number),
      ...["useRegex", "excludeUnacknowledged", "unsafeSsl"].flatMap(flag),
      ...whole("pageSize"),
      [{ pageSize: "0" }, "pageSize should be 1 or greater", "pageSize: expected a number above 0"],
      [{ protocol: "mqtt" }, "the protocol has to be either `amqp`, `http`, or `auto`", "protocol: expected"],
      [{ host: "ftp://mq.example" }, "unknown host URL scheme: `ftp`", "host: expected"],
      [{ host: "mq.example:5672" }, "can't parse host to find protocol", "host: expected"],
      [{ host: amqp, useRegex: "true" }, "configure useRegex=true only with HTTP protocol", "useRegex: expected"],
      [
        { host: amqp, excludeUnacknowledged: "true" },
        "configure excludeUnacknowledged=true only with HTTP protocol",
        "excludeUnacknowledged: expected",
      ],
      [
        { host: amqp, mode: "MessageRate", value: "1" },
        "must be HTTP to use trigger mode MessageRate",
        "mode: expected",
      ],
      [
        { host: amqp, mode: "QueueLength", value: "1", timeout: "3s" },
        "AMQP protocol doesn't support custom timeouts",
        "timeout: expected",
      ],
      [
        { queueLength: "5", mode: "QueueLength" },
        "queueLength is deprecated; use mode and value",
        "queueLength: expected",
      ],
      [{ queueLength: "5", value: "5" }, "queueLength is deprecated; use mode and value", "queueLength: expected"],
      [{ value: "5" }, "mode must be specified", "mode: expected"],
      [{ mode: "QueueLength" }, "value must be specified", "value: expected a number above 0, got nothing"],
      [{ mode: "Length", value: "5" }, "trigger mode Length must be one of", "mode: expected"],
      [{ timeout: "soon" }, "unable to parse duration value", "timeout: expected"],
    ],
  },
  redis: {
    metadata: redis,
    refused: [
      ...missing("address", "listName"),
      ...["listLength", "activationListLength", "databaseIndex"].flatMap(whole),
      ...["enableTLS", "unsafeSsl"].flatMap(flag),
      [{ address: undefined, host: "r.example" }, "no addresses or hosts given", "port: expected"],
      [
        { address: undefined, host: "a,b", port: "1" },
        "number of hosts should be equal to the number of ports",
        "port: expected",
      ],
    ],
  },
  "redis-cluster": {
    metadata: { addresses: "r.example:6379", listName: "jobs" },
    refused: [
      [
        { addresses: undefined, hosts: "a,b", ports: "1" },
        "number of hosts should be equal to the number of ports",
        "ports: expected",
      ],
    ],
  },
  "redis-streams": {
    metadata: streams,
    refused: [
      ...missing("address", "stream"),
      ...["pendingEntriesCount", "streamLength", "lagCount", "activationLagCount"].flatMap(whole),
    ],
  },
  postgresql: {
    metadata: postgresql,
    refused: [
      ...missing("host", "port", "userName", "dbName", "sslmode", "query", "targetQueryValue"),
      ...["targetQueryValue", "activationTargetQueryValue"].flatMap(number),
      [{ targetQueryValue: "0" }, "no targetQueryValue given", "targetQueryValue: expected a number above 0"],
    ],
  },
  "metrics-api": {
    metadata: { url: "https://s.example/x", valueLocation: "a.b", targetValue: "5" },
    refused: [
      ...missing("url", "valueLocation", "targetValue"),
      ...["targetValue", "activationTargetValue"].flatMap(number),
      ...["unsafeSsl", "aggregateFromKubeServiceEndpoints"].flatMap(flag),
      oneOf("format", "toml"),
      oneOf("aggregationType"),
      oneOf("authMode"),
      [{ timeout: "soon" }, "unable to parse duration value", "timeout: expected"],
    ],
  },
  "kubernetes-workload": {
    metadata: { podSelector: "app=a", value: "5" },
    refused: [
      ...missing("podSelector", "value"),
      ...["value", "activationValue"].flatMap(number),
      ...flag("groupByNode"),
      [{ podSelector: "a in b" }, "error parsing pod selector", "podSelector: expected"],
      [{ value: "0" }, "value must be a float greater than 0", "value: expected a number above 0"],
    ],
  },
};

/** What KEDA refuses and ebb reads. */
const read: readonly (readonly [type: string, change: Settings, keda: string, why: string])[] = [
  ["kafka", { sasl: "plaintext" }, "no username given", "ebb's secret has it, whatever KEDA's lacks"],
  ["prometheus", { authModes: "bearer" }, "bearer token=<empty> is required when bearer auth is enabled", "likewise"],
  ["cron", { desiredReplicas: "0" }, "no desiredReplicas specified", "an open window keeps one replica"],
  ["cron", { start: "0 8 * * 7" }, "error parsing start schedule", "is Sunday"],
];

test.each(read)("%s with %j is read, where KEDA says %s: %s", (type, change) => {
  expect(problemsOf(type, { ...scalers[type]?.metadata, ...change })).toEqual([]);
});

describe.each(Object.entries(scalers))("%s", (type, { metadata, refused }) => {
  test("is accepted", () => {
    expect(problemsOf(type, metadata)).toEqual([]);
  });

  test.each(refused)("%j: KEDA says %s", (change, _keda, ebb) => {
    expect(problemsOf(type, { ...metadata, ...change }).join("\n")).toContain(`metadata.${ebb}`);
  });
});
