import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { checkDocument } from "../../cli/write/documents/check-document";
import { convertScaledObject } from "../../cli/set-up/import/keda/convert-scaled-object";
import { converters } from "../../cli/set-up/import/keda/convert-trigger";
import { validateSourceParameters } from "../../lib/sources/validate-parameters";
import { documentedTriggers } from "./keda-settings/documented-fields";
import { fieldOutcomes } from "./keda-settings/field-outcomes";
import { kedaSettings, settingsPage } from "./keda-settings/settings-page";
import { tableForTests } from "./table";
import { noLimit } from "../time/no-limit";

const { run, register, file, entries, clear } = tableForTests();

/** A ScaledObject shop/orders with this in its spec, in YAML, and a TriggerAuthentication "auth" with this in its. */
function convert(spec: string, metadata: object = {}, authentication?: string) {
  const object = {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "orders", namespace: "shop", ...metadata },
    spec: { scaleTargetRef: { name: "orders" }, ...(parse(spec) as object) },
  };
  const { documents, notes } = convertScaledObject(object, {
    annotations: {},
    namespace: "default",
    authentications: ({ kind, name, namespace }) =>
      authentication !== undefined && `${kind} ${namespace}/${name}` === "TriggerAuthentication shop/auth"
        ? { spec: parse(authentication) as object }
        : undefined,
  });
  for (const document of documents) {
    expect(checkDocument(document, "default")).toEqual({ checked: expect.any(Object) as object });
    if (document["kind"] === "MetricSource") expect(validateSourceParameters(document["spec"])).toEqual([]);
  }
  const [hpa, ...sources] = documents as [{ spec: Record<string, unknown>; metadata: object }, ...{ spec: object }[]];
  return {
    hpa,
    sources: sources.map((source) => source.spec),
    notes: notes.map(({ field, text }) => `${field} ${text}`),
  };
}

const trigger = (type: string, metadata: string, more = "") =>
  `triggers: [{type: ${type}, metadata: {${metadata}}${more}}]`;
const unreadable = (kind: string) =>
  `spec.triggers[0] needs a source of kind "${kind}", which this version of ebb cannot read: the HPA never scales down until one can`;
const external = (name: string, target: object, matchLabels?: object) => ({
  type: "External",
  external: { metric: { name, ...(matchLabels && { selector: { matchLabels } }) }, target },
});
const average = (averageValue: string) => ({ type: "AverageValue", averageValue });

const queueURL = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";

interface Row {
  readonly name: string;
  readonly spec: string;
  readonly metric: object;
  readonly source?: object;
  readonly notes?: readonly string[];
}

test.each<Row>([
  {
    name: "sqs, as KEDA counts by default",
    spec: trigger("aws-sqs-queue", `queueURL: "${queueURL}", awsRegion: eu-west-1`),
    metric: external("sqs", average("5"), { queue: queueURL, region: "eu-west-1" }),
  },
  {
    name: "sqs with everything",
    spec: trigger(
      "aws-sqs-queue",
      'queueURL: orders, awsRegion: eu-west-1, queueLength: "7", activationQueueLength: "3", scaleOnInFlight: "false", scaleOnDelayed: "true", identityOwner: operator, awsEndpoint: "http://localhost:4566"',
      ", metricType: Value, authenticationRef: {name: aws}, useCachedMetrics: true",
    ),
    metric: external(
      "sqs",
      { type: "Value", value: "7" },
      { queue: "orders", region: "eu-west-1", includeInFlight: "false", includeDelayed: "true" },
    ),
    notes: [
      "spec.triggers[0].metadata.identityOwner makes no difference",
      "spec.triggers[0].metadata.awsEndpoint is not carried over: ebb asks the region's own endpoint",
      "spec.triggers[0].authenticationRef TriggerAuthentication aws is not carried over: grant the functions' role the right to read the metric",
      "spec.triggers[0].useCachedMetrics makes no difference",
    ],
  },
  {
    name: "sqs with its queue in the container's environment",
    spec: trigger("aws-sqs-queue", "queueURLFromEnv: QUEUE, awsRegion: eu-west-1"),
    metric: external("shop.orders.aws-sqs-queue", average("5")),
    source: { kind: "sqs", parameters: { region: "eu-west-1" } },
    notes: [
      "spec.triggers[0].metadata.queueURLFromEnv was the container's environment variable QUEUE: write the value of queueURL into the entry",
    ],
  },
  {
    name: "cloudwatch",
    spec: trigger(
      "aws-cloudwatch",
      'namespace: AWS/SQS, metricName: Age, dimensionName: QueueName;Stage, dimensionValue: orders;prod, targetMetricValue: "2.5", minMetricValue: "0", metricStat: Maximum, metricUnit: Count, metricStatPeriod: "60", metricCollectionTime: "300", metricEndTimeOffset: "30", awsRegion: eu-west-1, awsAccountId: "123456789012"',
      ", name: age",
    ),
    metric: external("shop.orders.age", average("2.5")),
    source: {
      kind: "cloudwatch",
      parameters: {
        namespace: "AWS/SQS",
        metricName: "Age",
        dimensions: { QueueName: "orders", Stage: "prod" },
        statistic: "Maximum",
        unit: "Count",
        period: 60,
        periods: 5,
        delay: 30,
        absent: 0,
        region: "eu-west-1",
        account: "123456789012",
      },
    },
  },
  {
    name: "cloudwatch by an expression, no data being an error",
    spec: trigger(
      "aws-cloudwatch",
      'expression: "SELECT MAX(Age) FROM Queues", targetMetricValue: "2", ignoreNullValues: "false", awsRegion: eu-west-1',
    ),
    metric: external("shop.orders.aws-cloudwatch", average("2")),
    source: {
      kind: "cloudwatch",
      parameters: {
        expression: "SELECT MAX(Age) FROM Queues",
        period: 300,
        periods: 1,
        absent: "error",
        region: "eu-west-1",
      },
    },
  },
  {
    name: "cloudwatch by an expression, beside what KEDA does not use then either",
    spec: trigger(
      "aws-cloudwatch",
      'expression: "SELECT MAX(Age) FROM Queues", targetMetricValue: "2", awsRegion: eu-west-1, namespace: AWS/SQS, metricName: Age, dimensionName: Q, dimensionValue: orders, metricStat: Maximum, metricUnit: Count',
    ),
    metric: external("shop.orders.aws-cloudwatch", average("2")),
    source: {
      kind: "cloudwatch",
      parameters: {
        expression: "SELECT MAX(Age) FROM Queues",
        period: 300,
        periods: 1,
        absent: 0,
        region: "eu-west-1",
      },
    },
    notes: ["namespace", "metricName", "dimensionName", "dimensionValue", "metricStat", "metricUnit"].map(
      (name) => `spec.triggers[0].metadata.${name} makes no difference`,
    ),
  },
  {
    name: "prometheus",
    spec: trigger(
      "prometheus",
      'serverAddress: "http://prometheus.example:9090", query: "sum(rate(http_requests_total[2m]))", threshold: "100.5", activationThreshold: "5.5", ignoreNullValues: "false", customHeaders: "X-Key=secret"',
    ),
    metric: external("shop.orders.prometheus", average("100.5")),
    source: {
      kind: "prometheus",
      activation: "5.5",
      parameters: {
        url: "http://prometheus.example:9090",
        query: "sum(rate(http_requests_total[2m]))",
        absent: "error",
      },
    },
    notes: [
      "spec.triggers[0].metadata.customHeaders is not carried over, because it may hold a secret: set headers, or write them into the secret",
    ],
  },
  {
    name: "rabbitmq, whose password does not go into the table",
    spec: trigger(
      "rabbitmq",
      'host: "amqp://user:secret@rabbit.example:5672/vhost", queueName: orders, mode: QueueLength, value: "20", excludeUnacknowledged: "true"',
    ),
    metric: external("shop.orders.rabbitmq", average("20")),
    source: {
      kind: "rabbitmq",
      parameters: {
        url: "http://rabbit.example:15672",
        vhost: "vhost",
        queue: "orders",
        measure: "ready",
      },
    },
    notes: [
      "spec.triggers[0].metadata.host is carried over without its user and password: put them into a secret, and name it in the entry",
      "spec.triggers[0].metadata.host becomes http://rabbit.example:15672, the default address of the management API, which ebb reads: check it",
      "spec.triggers[0] has a credential and http://rabbit.example:15672: ebb sends one over TLS only, so serve TLS and change it",
    ],
  },
  ...(
    [
      ["https://mq.example:15671", "https://mq.example:15671", undefined, "messages"],
      ["https://mq.example:15671/", "https://mq.example:15671", undefined, "messages"],
      ["https://mq.example:15671/shop", "https://mq.example:15671", "shop", "messages"],
      ["https://mq.example:15671/shop%2Feu", "https://mq.example:15671", "shop/eu", "messages"],
      ["https://mq.example:15671/rabbit/", "https://mq.example:15671/rabbit", undefined, "messages"],
      ["https://mq.example:15671/a/b/", "https://mq.example:15671/a/b", undefined, "messages"],
      ["https://mq.example:15671//", "https://mq.example:15671", undefined, "messages"],
      ["HTTPS://mq.example:15671/rabbit/shop", "https://mq.example:15671/rabbit", "shop", "messages"],
      ["amqps://mq.example:5671//prod", "https://mq.example:15671", "/prod", "ready"],
      ["amqps://mq.example", "https://mq.example:15671", undefined, "ready"],
      ["amqps://mq.example/", "https://mq.example:15671", undefined, "ready"],
      ["amqps://mq.example/a/b", "https://mq.example:15671", "a/b", "ready"],
    ] as const
  ).map(([host, url, vhost, measure]) => ({
    name: `rabbitmq at ${host}`,
    spec: trigger("rabbitmq", `host: "${host}", queueName: orders, mode: QueueLength, value: "20"`),
    metric: external("shop.orders.rabbitmq", average("20")),
    source: {
      kind: "rabbitmq",
      parameters: { url, queue: "orders", measure, ...(vhost !== undefined && { vhost }) },
    },
    notes: host.startsWith("amqp")
      ? [
          "spec.triggers[0].metadata.host becomes https://mq.example:15671, the default address of the management API, which ebb reads: check it",
        ]
      : [],
  })),
  {
    name: "rabbitmq by its management API, under a path, with a regular expression",
    spec: trigger(
      "rabbitmq",
      'host: "https://rabbit.example:15671/mq/shop%2Feu", protocol: http, queueName: "^orders", useRegex: "true", operation: max, mode: QueueLength, value: "20", pageSize: "50", timeout: "2500", activationValue: "3"',
    ),
    metric: external("shop.orders.rabbitmq", average("20")),
    source: {
      kind: "rabbitmq",
      activation: "3",
      parameters: {
        url: "https://rabbit.example:15671/mq",
        vhost: "shop/eu",
        queues: "^orders",
        operation: "max",
        measure: "messages",
        absent: 0,
        timeoutSeconds: 3,
      },
    },
    notes: [
      "spec.triggers[0].metadata.pageSize makes no difference",
      "spec.triggers[0].metadata.timeout was 2500: timeoutSeconds is 3, of whole seconds from 1 to 7",
    ],
  },
  ...[
    ["QueueLength", 'excludeUnacknowledged: "true"', "ready"],
    ["MessageRate", 'excludeUnacknowledged: "true"', "publishRate"],
    ["DeliverGetRate", "vhostName: a/b", "deliverRate"],
  ].map(([mode = "", more = "", measure = ""]) => ({
    name: `rabbitmq, mode ${mode}`,
    spec: trigger(
      "rabbitmq",
      `host: "http://rabbit.example:15672", queueName: orders, mode: ${mode}, value: "20", ${more}`,
    ),
    metric: external("shop.orders.rabbitmq", average("20")),
    source: {
      kind: "rabbitmq",
      parameters: {
        url: "http://rabbit.example:15672",
        ...(more.startsWith("vhost") && { vhost: "a/b" }),
        queue: "orders",
        measure,
      },
    },
    notes:
      mode === "MessageRate"
        ? [
            "spec.triggers[0].metadata.mode is MessageRate: KEDA also starts the first replica while messages wait. Add a metric of the messages for that",
          ]
        : [],
  })),
  {
    name: "rabbitmq, a mode without equal, and a host from the environment",
    spec: trigger(
      "rabbitmq",
      'hostFromEnv: MQ, queueName: orders, mode: PublishedToDeliveredRatio, value: "2", unsafeSsl: "true"',
    ),
    metric: external("shop.orders.rabbitmq", average("2")),
    source: {
      kind: "rabbitmq-PublishedToDeliveredRatio",
      parameters: { queue: "orders" },
    },
    notes: [
      unreadable("rabbitmq-PublishedToDeliveredRatio"),
      "spec.triggers[0].metadata.hostFromEnv was the container's environment variable MQ: write the value of host into the entry",
      "spec.triggers[0].metadata.mode has no equal for PublishedToDeliveredRatio: read publishRate and deliverRate, and combine them in a formula",
      "spec.triggers[0].metadata.unsafeSsl is not carried over: set certificateAuthorityData to the server's CA",
    ],
  },
  {
    name: "redis",
    spec: trigger(
      "redis-cluster",
      'hosts: "a.example,b.example", ports: "1,2", listName: jobs, listLength: "8", databaseIndex: "3", enableTLS: "true", passwordFromEnv: REDIS',
    ),
    metric: external("shop.orders.redis-cluster", average("8")),
    source: {
      kind: "redis",
      parameters: { address: "a.example:1,b.example:2", topology: "cluster", key: "jobs" },
    },
    notes: [
      "spec.triggers[0].metadata.passwordFromEnv was the container's environment variable REDIS: put it into a secret as password, and name that in the entry",
      "spec.triggers[0].metadata.databaseIndex is not carried over",
    ],
  },
  {
    name: "redis by an address, beside a host",
    spec: trigger("redis", 'address: "a.example:1", host: b.example, port: "2", listName: jobs'),
    metric: external("shop.orders.redis", average("5")),
    source: { kind: "redis", parameters: { address: "a.example:1", key: "jobs", tls: false } },
    notes: ["spec.triggers[0].metadata.host is not carried over", "spec.triggers[0].metadata.port is not carried over"],
  },
  {
    name: "redis-sentinel with everything",
    spec: trigger(
      "redis-sentinel",
      'addresses: "a.example:1,b.example:2", sentinelMaster: main, listName: jobs, databaseIndex: "3", enableTLS: "true", unsafeSsl: "true", sentinelPassword: x',
    ),
    metric: external("shop.orders.redis-sentinel", average("5")),
    source: {
      kind: "redis",
      parameters: {
        address: "a.example:1,b.example:2",
        topology: "sentinel",
        master: "main",
        key: "jobs",
        database: 3,
      },
    },
    notes: [
      "spec.triggers[0].metadata.sentinelPassword is not carried over: put it into a secret as sentinelPassword, and name that in the entry",
      "spec.triggers[0].metadata.unsafeSsl is not carried over: set certificateAuthorityData to the server's CA",
    ],
  },
  {
    name: "redis-streams by its length",
    spec: trigger("redis-streams", 'address: "a.example:1", stream: s, streamLength: "50", enableTLS: "true"'),
    metric: external("shop.orders.redis-streams", average("50")),
    source: { kind: "redis", parameters: { address: "a.example:1", stream: "s", absent: 0 } },
  },
  {
    name: "redis-streams by the lag of a group",
    spec: trigger(
      "redis-streams",
      'address: "a.example:1", stream: s, consumerGroup: g, lagCount: "7", activationLagCount: "3", enableTLS: "true"',
    ),
    metric: external("shop.orders.redis-streams", average("7")),
    source: {
      kind: "redis",
      activation: "3",
      parameters: { address: "a.example:1", stream: "s", group: "g", count: "lag", absent: 0 },
    },
    notes: [],
  },
  {
    name: "redis-cluster-streams by the pending entries of a group",
    spec: trigger(
      "redis-cluster-streams",
      'hosts: a.example, stream: s, consumerGroup: g, pendingEntriesCount: "9", enableTLS: "true"',
    ),
    metric: external("shop.orders.redis-cluster-streams", average("9")),
    source: {
      kind: "redis",
      parameters: { address: "a.example:6379", topology: "cluster", stream: "s", group: "g", count: "pending" },
    },
    notes: [],
  },
  {
    name: "rabbitmq by a value, beside a queueLength",
    spec: trigger("rabbitmq", 'host: "amqp://r.example", queueName: jobs, value: "7", queueLength: "9"'),
    metric: external("shop.orders.rabbitmq", average("7")),
    source: { kind: "rabbitmq", parameters: { url: "http://r.example:15672", queue: "jobs", measure: "ready" } },
    notes: [
      "spec.triggers[0].metadata.host becomes http://r.example:15672, the default address of the management API, which ebb reads: check it",
      "spec.triggers[0].metadata.queueLength is not carried over",
    ],
  },
  {
    name: "kafka",
    spec: trigger(
      "kafka",
      'bootstrapServers: "k.example:9092", consumerGroup: g, topic: t, lagThreshold: "50", offsetResetPolicy: earliest, allowIdleConsumers: "true", sasl: plaintext',
      ", authenticationRef: {name: kafka, kind: ClusterTriggerAuthentication}",
    ),
    metric: external("shop.orders.kafka", average("50")),
    source: {
      kind: "kafka",
      parameters: {
        address: "k.example:9092",
        group: "g",
        topics: "t",
        offsetResetPolicy: "earliest",
        allowIdleConsumers: true,
        tls: false,
      },
    },
    notes: [
      "spec.triggers[0].metadata.sasl becomes the mechanism PLAIN of the secret",
      "spec.triggers[0] has a credential and tls: false: ebb sends one over TLS only, so serve TLS and change it",
      "spec.triggers[0].authenticationRef ClusterTriggerAuthentication kafka is not carried over: put its credentials into a secret, and name it in the source",
    ],
  },
  {
    name: "kafka by the defaults, with partitions, as the function's role in AWS",
    spec: trigger(
      "kafka",
      'bootstrapServers: "b-1.x.kafka.eu-west-1.amazonaws.com:9098", consumerGroup: g, topic: t, partitionLimitation: "0,2-4", saslTokenProvider: aws_msk_iam, awsRegion: eu-west-1, tls: enable, limitToPartitionsWithLag: "true", excludePersistentLag: "true", version: 1.0.0',
    ),
    metric: external("shop.orders.kafka", average("10")),
    source: {
      kind: "kafka",
      parameters: {
        address: "b-1.x.kafka.eu-west-1.amazonaws.com:9098",
        group: "g",
        topics: "t",
        partitions: "0,2-4",
        lagThreshold: 10,
        limitToPartitionsWithLag: true,
        excludePersistentLagAfterSeconds: 60,
        uncommittedLag: 1,
        awsIam: true,
      },
    },
    notes: [
      "spec.triggers[0].metadata.version makes no difference",
      "spec.triggers[0].metadata.awsRegion makes no difference",
      "spec.triggers[0].metadata.excludePersistentLag is excludePersistentLagAfterSeconds: 60, where KEDA waits for one poll: set how long your consumers may take for a commit",
    ],
  },
  {
    name: "postgresql",
    spec: trigger(
      "postgresql",
      'passwordFromEnv: PG, query: "SELECT count(*) FROM jobs", targetQueryValue: "1.1", host: pg.example, port: "5433", userName: u, dbName: d, sslmode: disable',
    ),
    metric: external("shop.orders.postgresql", average("1.1")),
    source: {
      kind: "postgresql",
      parameters: { address: "pg.example:5433", database: "d", tls: false, query: "SELECT count(*) FROM jobs" },
    },
    notes: [
      "spec.triggers[0].metadata.passwordFromEnv was the container's environment variable PG: put it into a secret as password, and name that in the entry",
      "spec.triggers[0].metadata.userName is not carried over: put it into a secret as username, and name that in the entry",
      "spec.triggers[0] has a credential and tls: false: ebb sends one over TLS only, so serve TLS and change it",
    ],
  },
  {
    name: "postgresql by a connection string",
    spec: trigger(
      "postgresql",
      'connectionFromEnv: PG, query: "SELECT 1", targetQueryValue: "2", sslmode: require',
      ", authenticationRef: {name: pg}",
    ),
    metric: external("shop.orders.postgresql", average("2")),
    source: { kind: "postgresql", parameters: { query: "SELECT 1" } },
    notes: [
      "spec.triggers[0].metadata.connectionFromEnv was the container's environment variable PG: write its parts into the entry (address, database) and a secret (username, password)",
      "spec.triggers[0].metadata.sslmode was require: ebb always verifies the certificate and its name",
      "spec.triggers[0].authenticationRef TriggerAuthentication pg is not carried over: put its credentials into a secret, and name it in the source",
    ],
  },
  {
    name: "cron",
    spec: trigger("cron", 'timezone: Europe/Berlin, start: 0 8 * * *, end: 0 18 * * *, desiredReplicas: "4"'),
    metric: external("shop.orders.cron", average("1")),
    source: {
      kind: "schedule",
      parameters: { timezone: "Europe/Berlin", start: "0 8 * * *", end: "0 18 * * *", value: 4 },
    },
  },
  {
    name: "an unknown trigger, as it was",
    spec: trigger("nats-jetstream", "stream: s, consumer: g"),
    metric: external("shop.orders.nats-jetstream", average("1")),
    source: { kind: "nats-jetstream", parameters: { stream: "s", consumer: "g" } },
    notes: ["spec.triggers[0] has 1 as a placeholder for its target: set the real one", unreadable("nats-jetstream")],
  },
])("$name", ({ spec, metric, source, notes = [] }) => {
  const { hpa, sources, notes: said } = convert(spec);
  expect(hpa.spec["metrics"]).toEqual([metric]);
  expect(hpa.spec["minReplicas"]).toBe(0);
  expect(hpa.spec["maxReplicas"]).toBe(100);
  expect(sources).toEqual(source === undefined ? [] : [source]);
  expect([...said].sort()).toEqual([...notes].sort());
});

test("cpu and memory stay the HPA's own, and keep one replica", () => {
  const { hpa, notes } = convert(`
maxReplicaCount: 9
triggers:
- {type: cpu, metricType: Utilization, metadata: {value: "60"}}
- {type: memory, metricType: AverageValue, metadata: {value: 1Gi, containerName: app}}`);
  expect(hpa.spec).toMatchObject({
    minReplicas: 1,
    maxReplicas: 9,
    metrics: [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
      {
        type: "ContainerResource",
        containerResource: { name: "memory", container: "app", target: average("1Gi") },
      },
    ],
  });
  expect(notes).toEqual([
    "spec.minReplicaCount becomes minReplicas 1, as in KEDA: without pods, no CPU or memory metric can start one",
  ]);
});

const queue = `triggers: [{type: aws-sqs-queue, metadata: {queueURL: orders, awsRegion: eu-west-1}}]`;
const behavior = "advanced: {horizontalPodAutoscalerConfig: {behavior: {scaleDown: {stabilizationWindowSeconds: 60}}}}";

const zeroOf = (hpa: { readonly metadata: unknown }): unknown => {
  const { annotations } = hpa.metadata as { readonly annotations?: Readonly<Record<string, string>> };
  return annotations?.["ebb.dev/zero"] === undefined ? undefined : JSON.parse(annotations["ebb.dev/zero"]);
};
const given = { scaleDown: { stabilizationWindowSeconds: 60 } };
const beside = (trigger: string) => queue.replace("triggers: [", `triggers: [${trigger}, `);
const cpu = '{type: cpu, metricType: Utilization, metadata: {value: "60"}}';
const usual = { after: "300s", initialAfter: "300s" };

test.each<[string, string, object | undefined, object | undefined]>([
  ["the defaults", queue, usual, undefined],
  ["no zero", `${queue}\nminReplicaCount: 1\ncooldownPeriod: 30`, undefined, undefined],
  ["CPU beside a queue", beside(cpu), usual, undefined],
  ["cooldownPeriod", `${queue}\ncooldownPeriod: 30`, { after: "30s", initialAfter: "30s" }, undefined],
  ["a day", `${queue}\ncooldownPeriod: 86400`, { after: "86400s", initialAfter: "86400s" }, undefined],
  ["none", `${queue}\ncooldownPeriod: 0`, { after: "0s", initialAfter: "0s" }, undefined],
  ["initialCooldownPeriod", `${queue}\ninitialCooldownPeriod: 900`, { after: "300s", initialAfter: "900s" }, undefined],
  ["beside a behavior, which stays", `${queue}\n${behavior}`, usual, given],
  ["beside an empty behavior", `${queue}\n${behavior.replace(/{scaleDown.*60}/, "{")}`, usual, {}],
  ["two sizes", `${queue}\nidleReplicaCount: 0\nminReplicaCount: 2`, { ...usual, from: 2 }, undefined],
  ["0, or at least 1", `${queue}\nidleReplicaCount: 0\nminReplicaCount: 1`, usual, undefined],
])("KEDA's zero: %s", (_, yaml, zero, expected) => {
  const { hpa, notes } = convert(yaml);
  expect([zeroOf(hpa), hpa.spec["behavior"], notes]).toEqual([zero, expected, []]);
  expect(hpa.spec["minReplicas"]).toBe(zero === undefined ? 1 : 0);
});

test.each([
  ["one below the minimum: as KEDA's HPA", "idleReplicaCount: 1\nminReplicaCount: 2", 1, []],
  [
    "further below",
    "idleReplicaCount: 1\nminReplicaCount: 4",
    1,
    [
      "spec.idleReplicaCount becomes minReplicas: while there is work, the metrics may choose any size from 2, where KEDA has at least 4",
    ],
  ],
  [
    "a cooldown longer than ebb allows",
    "cooldownPeriod: 2592000",
    0,
    ["spec.cooldownPeriod waits 604800 s before zero, the longest that ebb allows, instead of 2592000 s"],
  ],
])("an idle size %s", (_, more, minReplicas, expected) => {
  const { hpa, notes } = convert(`${queue}\n${more}`);
  expect([hpa.spec["minReplicas"], notes]).toEqual([minReplicas, expected]);
});

test("an idle size without a metric that can wake: KEDA never goes there", () => {
  const { hpa, notes } = convert(`triggers: [${cpu}]\nidleReplicaCount: 0\nminReplicaCount: 2`);
  expect([hpa.spec["minReplicas"], zeroOf(hpa), notes]).toEqual([2, undefined, []]);
});

test("pauses and other annotations", () => {
  const annotations = {
    "autoscaling.keda.sh/paused": "false",
    "autoscaling.keda.sh/paused-scale-in": "1",
    "autoscaling.keda.sh/paused-scale-out": "yes",
    "autoscaling.keda.sh/force-activation": "true",
    "scaledobject.keda.sh/transfer-hpa-ownership": "true",
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
    note: "kept",
  };
  const { hpa, notes } = convert(queue, { annotations });
  expect(hpa.metadata).toEqual({ name: "orders", namespace: "shop", annotations: { note: "kept" } });
  expect(hpa.spec["minReplicas"]).toBe(1);
  expect(hpa.spec["behavior"]).toEqual({
    scaleUp: { selectPolicy: "Disabled" },
    scaleDown: { selectPolicy: "Disabled" },
  });
  expect(notes).toEqual([
    `metadata.annotations[autoscaling.keda.sh/force-activation] becomes minReplicas 1: when you end it, set minReplicas to 0, and annotate ebb.dev/zero='{"after":"300s","initialAfter":"300s"}'`,
    "metadata.annotations[scaledobject.keda.sh/transfer-hpa-ownership] makes no difference",
  ]);

  const paused = convert(queue, { annotations: { "autoscaling.keda.sh/paused-replicas": "3" } });
  expect(paused.hpa.metadata).toMatchObject({ annotations: { "ebb.dev/paused": "true" } });
  expect(paused.notes).toEqual([
    "metadata.annotations[autoscaling.keda.sh/paused-replicas] becomes a pause at the current size: scale the target to 3 yourself",
  ]);
});

test("every difference from KEDA has a note, and so does every unknown field", () => {
  const { hpa, notes } = convert(`${queue}
scaleTargetRef: {apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: web, envSourceContainerName: app, more: 1}
pollingInterval: 10
initialCooldownPeriod: 120
idleReplicaCount: 0
minReplicaCount: 2
fallback: {failureThreshold: 3, replicas: 6}
brandNew: 1
advanced:
  restoreToOriginalReplicaCount: true
  horizontalPodAutoscalerConfig: {name: own}`);
  expect(hpa).toMatchObject({
    metadata: { name: "own" },
    spec: { minReplicas: 0, scaleTargetRef: { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "web" } },
  });
  expect(notes).toEqual([
    "spec.pollingInterval makes no difference",
    "spec.advanced.restoreToOriginalReplicaCount is not carried over, and ebb leaves the size as it is. Take it out before you delete the ScaledObject: KEDA would set the size from before it scaled",
    "spec.scaleTargetRef.more is not carried over",
    "spec.brandNew is not carried over",
  ]);
});

const rulesOf = (hpa: { readonly metadata: unknown }): unknown => {
  const { annotations = {} } = hpa.metadata as { readonly annotations?: Record<string, string> };
  return JSON.parse(annotations["ebb.dev/metric-rules"] ?? "null");
};

test("activation becomes a rule: in the annotation if labels hold the parameters, else in the source", () => {
  const { hpa, sources, notes } = convert(`
triggers:
- {type: aws-sqs-queue, metadata: {queueURL: orders, awsRegion: eu-west-1, activationQueueLength: "3"}}
- {type: prometheus, metadata: {serverAddress: "http://p.example:9090", query: up, threshold: "1", activationThreshold: "0.5"}}
- {type: cpu, metricType: Utilization, metadata: {value: "60"}}`);
  expect(rulesOf(hpa)).toEqual({ "sqs(queue=orders,region=eu-west-1)": { activation: "3" } });
  expect(sources).toMatchObject([{ activation: "0.5" }]);
  expect(notes).toEqual([]);
});

test("an activation that ebb cannot have is said", () => {
  const { hpa, notes } = convert(
    'triggers: [{type: aws-sqs-queue, metadata: {queueURL: orders, awsRegion: eu-west-1, activationQueueLength: "-1"}}]',
  );
  expect(rulesOf(hpa)).toBeNull();
  expect(notes).toEqual([
    "spec.triggers[0].metadata.activationQueueLength is not carried over: ebb's activation is a number, 0 or more",
  ]);
});

const sqs = "triggers: [{type: aws-sqs-queue, metadata: {queueURL: orders, awsRegion: eu-west-1}}]";

test.each<[string, object, readonly string[]]>([
  ["{failureThreshold: 3, replicas: 6}", { after: 30, replicas: 6 }, []],
  ["{failureThreshold: 0, replicas: 6, behavior: static}", { after: 0, replicas: 6 }, []],
  [
    "{failureThreshold: 3, replicas: 6, behavior: currentReplicas}",
    { after: 30, behavior: "currentReplicasIfHigher", replicas: 1 },
    [],
  ],
  [
    "{failureThreshold: 3, replicas: 6, behavior: currentReplicasIfHigher}",
    { after: 30, behavior: "currentReplicasIfHigher", replicas: 6 },
    [],
  ],
  [
    "{failureThreshold: 3, replicas: 6, behavior: currentReplicasIfLower}",
    { after: 30, behavior: "currentReplicasIfLower", replicas: 6 },
    [],
  ],
  [
    "{failureThreshold: 3, replicas: 6, behavior: scalingModifiers}",
    { after: 30, replicas: 6 },
    ["spec.fallback the formula itself says what counts for a trigger that fails; this is for when it gives no number"],
  ],
  ["{failureThreshold: 3, replicas: 0}", { after: 30, replicas: 1 }, []],
  [
    "{failureThreshold: 3, replicas: 0, behavior: currentReplicasIfLower}",
    { after: 30, behavior: "currentReplicasIfLower", replicas: 1 },
    [],
  ],
  [
    "{failureThreshold: 3, replicas: 0, behavior: currentReplicasIfHigher}",
    { after: 30, behavior: "currentReplicasIfHigher", replicas: 1 },
    [],
  ],
  [
    "{failureThreshold: 9999, replicas: 6}",
    { after: 86_400, replicas: 6 },
    ["spec.fallback waits 86400 s, the longest that ebb allows, instead of 99990 s"],
  ],
])("fallback %s becomes that of each metric that ebb reads", (fallback, expected, notes) => {
  const converted = convert(`${sqs}\nfallback: ${fallback}`);
  expect(rulesOf(converted.hpa)).toEqual({ "sqs(queue=orders,region=eu-west-1)": { fallback: expected } });
  expect(converted.notes).toEqual(notes);
});

test("the fallback waits for failureThreshold failures of polls and of the HPA's requests", () => {
  const { hpa } = convert(`${sqs}\npollingInterval: 10\nfallback: {failureThreshold: 3, replicas: 6}`);
  expect(rulesOf(hpa)).toMatchObject({ "sqs(queue=orders,region=eu-west-1)": { fallback: { after: 18 } } });
});

test("a fallback without sense is left out, and on a metric that nothing reads, too: it would count at once", () => {
  expect(convert(`${sqs}\nfallback: {failureThreshold: -1, replicas: 6, more: 1}`).notes).toEqual([
    "spec.fallback is not carried over: failureThreshold and replicas must be 0 or more",
    "spec.fallback.more is not carried over",
  ]);
  const { sources, notes } = convert(
    "triggers: [{type: mysql, metadata: {query: q}}]\nfallback: {failureThreshold: 3, replicas: 6}",
  );
  expect(sources).toEqual([{ kind: "mysql", parameters: { query: "q" } }]);
  expect(notes).toContain("spec.fallback is not set on spec.triggers[0]: it would count at once");
});

describe("scalingModifiers", () => {
  const triggers = `
triggers:
- {type: aws-sqs-queue, name: jobs, metadata: {queueURL: orders, awsRegion: eu-west-1, activationQueueLength: "3"}}
- {type: metrics-api, name: depth, metadata: {url: "https://stats.example.com/", valueLocation: a.b, targetValue: "9"}}
- {type: cpu, name: load, metricType: Utilization, metadata: {value: "60"}}
- {type: mysql, name: rows, metadata: {query: q}}`;
  const modified = (modifiers: string, more = "") =>
    convert(`${triggers}\nadvanced: {scalingModifiers: {${modifiers}}}\n${more}`);
  const jobs = { name: "jobs", source: "sqs", labels: { queue: "orders", region: "eu-west-1" } };
  const unused = ["depth", "rows"].map((name) => `spec.triggers[${name === "depth" ? 1 : 3}] makes no difference`);

  test("become a formula, which alone scales beside the pods' metrics", () => {
    const { hpa, sources, notes } = modified('formula: jobs * 2, target: "4", activationTarget: "1"');
    expect(hpa.spec["metrics"]).toEqual([
      external("shop.orders.formula", average("4")),
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
    ]);
    expect(sources).toEqual([
      { kind: "formula", parameters: { formula: "jobs * 2", operands: [jobs] }, activation: "1" },
    ]);
    expect(notes).toEqual(unused);
  });

  test("read their triggers' sources, whose own rules do not count", () => {
    const { hpa, sources } = modified(
      "formula: 'count([jobs, depth], {# > 1}) > 1 ? 5 : 0', metricType: Value",
      "fallback: {failureThreshold: 3, replicas: 6}",
    );
    expect(hpa.spec["metrics"]).toMatchObject([external("shop.orders.formula", { type: "Value", value: "1" }), {}]);
    expect(sources).toEqual([
      { kind: "http", parameters: expect.objectContaining({ path: '$["a"]["b"]' }) as object },
      {
        kind: "formula",
        parameters: {
          formula: "count([jobs, depth], {# > 1}) > 1 ? 5 : 0",
          operands: [jobs, { name: "depth", source: "shop.orders.depth" }],
        },
        fallback: { after: 30, replicas: 6 },
      },
    ]);
    expect(rulesOf(hpa)).toBeNull();
  });

  // The shapes of formulas in KEDA's documentation and issues, with other names.
  test.each([
    "(jobs + depth)/2",
    "jobs > 2 ? jobs + depth : 1",
    "jobs < 2 ? jobs+depth >= 2 ? 5 : 10 : 0",
    "max(jobs, depth)",
    "sum([jobs, depth])",
    "float(jobs) / 3 + int(depth)",
    "jobs ?? depth ?? 0",
    "jobs > 0 and depth > 0 ? 1 : 0",
  ])("carry over %s as it is", (formula) => {
    const { sources, notes } = modified(`formula: "${formula}"`);
    expect(sources.at(-1)).toMatchObject({ kind: "formula", parameters: { formula } });
    expect(notes.filter((note) => note.includes(".formula"))).toEqual([]);
  });

  test.each([
    ["let x = jobs; x * 2", "is not understood: spec.parameters: parameter formula: expected "],
    ["[jobs, depth] | max()", "is not understood: spec.parameters: parameter formula: expected a formula (Unexpected"],
    ["jobs > 2", "is not understood: spec.parameters: parameter formula: expected a number (a condition becomes one"],
    ["jobs + load", "is not understood: spec.parameters: parameter formula: expected operands among jobs, not load"],
    ["jobs + job_s", "is not understood: spec.parameters: parameter formula: expected operands among jobs, not job_s"],
    ["5", "is not understood: spec.parameters: parameter operands: expected a list of operands"],
    ["rows ?? jobs", "uses rows, whose source ebb cannot read"],
  ])("hold the replicas for %s, and say why", (formula, why) => {
    const { hpa, sources, notes } = modified(`formula: "${formula}"`, "fallback: {failureThreshold: 3, replicas: 6}");
    expect(hpa.spec["metrics"]).toMatchObject([external("shop.orders.formula", average("1")), { type: "Resource" }]);
    expect(sources.at(-1)).toEqual({ kind: "expr", parameters: expect.objectContaining({ formula }) as object });
    const [said = "", ...others] = notes.filter((note) => note.startsWith("spec.advanced.scalingModifiers.formula "));
    expect(said).toContain(`spec.advanced.scalingModifiers.formula ${why}`);
    expect(said).toMatch(/; it needs a source of kind "expr", which .* the HPA never scales down until one can$/);
    expect(others).toEqual([]);
  });

  test("of two triggers with one name hold the replicas", () => {
    const twice = triggers.replace("name: depth", "name: jobs");
    const { sources, notes } = convert(`${twice}\nadvanced: {scalingModifiers: {formula: jobs, target: "4"}}`);
    expect(sources.at(-1)).toMatchObject({ kind: "expr" });
    expect(notes).toContainEqual(expect.stringContaining("expected another name than the operands before it have"));
  });
});

const authenticated = (type: string, metadata: string, authentication: string) =>
  convert(trigger(type, metadata, ", authenticationRef: {name: auth}"), {}, authentication);
const inRef = "spec.triggers[0].authenticationRef";

test("what a TriggerAuthentication has, where it was and where it belongs", () => {
  const { sources, notes } = authenticated(
    "redis",
    'listName: jobs, addressFromEnv: REDIS, enableTLS: "true"',
    `
secretTargetRef: [{parameter: password, name: votes, key: pw}, {parameter: more, name: votes, key: m}]
configMapTargetRef: [{parameter: address, name: votes, key: at}]
podIdentity: {provider: aws, roleArn: "arn:aws:iam::123456789012:role/r"}
brandNew: 1`,
  );
  expect(sources).toEqual([{ kind: "redis", parameters: { key: "jobs" } }]);
  expect(notes).toEqual([
    `${inRef}[password] was in the Secret votes, key pw: put it into a secret as password, and name that in the entry`,
    `${inRef}[address] was in the ConfigMap votes, key at: write the value of address into the entry`,
    "spec.triggers[0].metadata.addressFromEnv makes no difference",
    "spec.triggers[0].metadata.address is missing: set it to host:port",
    `${inRef}.podIdentity was aws: grant the functions' role the right to read the metric`,
    `${inRef}.podIdentity.roleArn makes no difference`,
    `${inRef}[more] was in the Secret votes, key m: it is not carried over, because no entry and no secret has such a member`,
    `${inRef}.brandNew is not carried over`,
  ]);
});

test.each<[string, string]>([
  ["env: [{parameter: password, name: PW, containerName: app}]", "the environment variable PW of the container app"],
  ["filePath: [{parameter: password, path: creds/pw}]", "in the file creds/pw of KEDA's operator"],
  [
    "boundServiceAccountToken: [{parameter: password, serviceAccountName: reader}]",
    "a token of the ServiceAccount reader",
  ],
  [
    "hashiCorpVault: {address: v, authentication: token, secrets: [{parameter: password, path: kv/x, key: pw}]}",
    "in Vault, kv/x, key pw",
  ],
  ["azureKeyVault: {vaultUri: u, secrets: [{parameter: password, name: pw}]}", "in Azure Key Vault, secret pw"],
  ["gcpSecretManager: {secrets: [{parameter: password, id: pw}]}", "in GCP Secret Manager, secret pw"],
  ["awsSecretManager: {region: r, secrets: [{parameter: password, name: pw}]}", "in AWS Secrets Manager, secret pw"],
  ["awsParameterStore: {parameters: [{parameter: password, name: pw}]}", "in the Parameter Store as pw"],
])("a TriggerAuthentication with %s", (authentication, where) => {
  const { notes } = authenticated(
    "redis",
    'listName: jobs, address: "r.example:6379", enableTLS: "true"',
    authentication,
  );
  expect(notes).toEqual([
    `${inRef}[password] was ${where}: put it into a secret as password, and name that in the entry`,
  ]);
});

test("a credential for a server without TLS", () => {
  const { notes } = authenticated(
    "prometheus",
    'serverAddress: "http://p.example:9090", query: up, threshold: "1"',
    "secretTargetRef: [{parameter: bearerToken, name: p, key: t}]",
  );
  expect(notes).toEqual([
    `${inRef}[bearerToken] was in the Secret p, key t: put it into a secret as token, and name that in the entry`,
    "spec.triggers[0] has a credential and http://p.example:9090: ebb sends one over TLS only, so serve TLS and change it",
  ]);
});

test.each<[string, number | undefined, string | undefined]>([
  ["3000", 3, undefined],
  ["5s", 5, undefined],
  ["1m30s", 7, "was 1m30s: timeoutSeconds is 7, of whole seconds from 1 to 7"],
  ["1.5s", 2, "was 1.5s: timeoutSeconds is 2, of whole seconds from 1 to 7"],
  ["1", 1, "was 1: timeoutSeconds is 1, of whole seconds from 1 to 7"],
  ["soon", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got soon"],
  ["5s x", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 5s x"],
])("a timeout of %s", (timeout, timeoutSeconds, note) => {
  const url = "https://p.example:9090";
  const { sources, notes } = convert(
    trigger("prometheus", `serverAddress: "${url}", query: up, threshold: "1", timeout: ${timeout}`),
  );
  const set = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  expect(sources).toEqual([{ kind: "prometheus", parameters: { url, query: "up", absent: 0, ...set } }]);
  expect(notes).toEqual(note === undefined ? [] : [`spec.triggers[0].metadata.timeout ${note}`]);
});

test.each(["1", "t", "T", "true", "True", "TRUE"])("%s is true, as in KEDA", (text) => {
  const { hpa } = convert(trigger("aws-sqs-queue", `queueURL: q, awsRegion: eu-west-1, scaleOnDelayed: "${text}"`));
  expect(hpa.spec["metrics"]).toEqual([
    external("sqs", average("5"), { queue: "q", region: "eu-west-1", includeDelayed: "true" }),
  ]);
});

test("apache-kafka: no scaler of KEDA reads threadsPerConsumer, which its pages name", () => {
  const { hpa, sources, notes } = convert(
    trigger(
      "apache-kafka",
      'bootstrapServers: "k.example:9092", consumerGroup: g, topic: "a,b", lagThreshold: "10", threadsPerConsumer: "2", offsetResetPolicy: earliest, sasl: aws_msk_iam, tls: enable',
    ),
  );
  expect(hpa.spec["metrics"]).toEqual([external("shop.orders.apache-kafka", average("10"))]);
  expect(sources).toMatchObject([{ kind: "kafka", parameters: { topics: "a,b", lagThreshold: 10, awsIam: true } }]);
  expect(notes).toEqual(["spec.triggers[0].metadata.threadsPerConsumer makes no difference"]);
});

test.each([
  ["", undefined, ["spec.triggers[0].metadata.partitionLimitation makes no difference"]],
  ["topic: t, ", "0-3, 7", []],
  ["topicFromEnv: T, ", "0-3, 7", [expect.stringMatching("topicFromEnv")]],
])("KEDA reads all partitions without a topic: %j", (topic, partitions, said) => {
  const { sources, notes } = convert(
    trigger(
      "kafka",
      `bootstrapServers: "k.example:9092", consumerGroup: g, ${topic}partitionLimitation: "0-3, 7", offsetResetPolicy: earliest`,
    ),
  );
  const found = sources as readonly { readonly parameters: Readonly<Record<string, unknown>> }[];
  expect(
    found.map(({ parameters }) => Object.entries(parameters).find(([name]) => name === "partitions")?.[1]),
  ).toEqual([partitions]);
  expect(notes).toEqual(said);
});

test("a formula's target is cut to thousandths", () => {
  const { hpa } = convert(`advanced: {scalingModifiers: {formula: jobs + 1, target: "1.0019"}}
triggers: [{type: redis, name: jobs, metadata: {address: "r.example:6379", listName: a}}]`);
  expect(hpa.spec["metrics"]).toMatchObject([{ external: { target: average("1.001") } }]);
});

test("a period of one second: CloudWatch is read over the most periods", () => {
  const { sources, hpa, notes } = convert(
    trigger(
      "aws-cloudwatch",
      'namespace: N, metricName: M, dimensionName: D, dimensionValue: V, targetMetricValue: "1", minMetricValue: "0", metricStatPeriod: "1", awsRegion: eu-west-1',
    ),
  );
  expect(JSON.stringify([sources, hpa])).toContain('"periods":100');
  expect(notes).toContain("spec.triggers[0].metadata.metricCollectionTime is 300 periods: periods is 100, the most");
});

const scaledObject = `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: orders, namespace: shop}
spec: {scaleTargetRef: {name: orders}, pollingInterval: 5, ${queue}}
`;

beforeEach(() => register("prod"));
afterEach(() => clear("prod"));

test("the command prints YAML that says what is not carried over, and warns of it", async () => {
  const path = await file(
    `${scaledObject}---\n{apiVersion: keda.sh/v1alpha1, kind: ScaledJob, metadata: {name: batch}}\n`,
  );
  const { stdout, stderr, exitCode } = await run(["import", "keda", path, "--cluster", "prod", "--dry-run-first"]);
  const said = "no difference without spec.pollingInterval";
  expect(stdout.split("\n").slice(0, 2)).toEqual(["# From ScaledObject shop/orders.", `# ${said}`]);
  expect(parse(stdout)).toMatchObject({
    metadata: { annotations: { "ebb.dev/cluster": "prod", "ebb.dev/dry-run": "true" } },
  });
  expect(stderr).toContain(`Warning: ScaledObject shop/orders: ${said}\n`);
  expect(stderr).toContain(
    "Warning: ScaledJob default/batch is left out: it starts Jobs, and ebb scales only workloads with replicas\n",
  );
  expect(stderr).toContain("stop KEDA for each of these");
  expect(exitCode).toBe(0);
});

test("a TriggerAuthentication in the same file says where the credentials are", async () => {
  const path = await file(`apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: votes, namespace: shop}
spec: {secretTargetRef: [{parameter: password, name: votes, key: pw}]}
---
apiVersion: keda.sh/v1alpha1
kind: ClusterTriggerAuthentication
metadata: {name: all}
spec: {env: [{parameter: username, name: USER}]}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: votes, namespace: shop}
spec:
  scaleTargetRef: {name: votes}
  triggers:
  - {type: redis, metadata: {address: "r.example:6379", listName: l, enableTLS: "true"}, authenticationRef: {name: votes}}
  - {type: redis, metadata: {address: "r.example:6379", listName: l, enableTLS: "true"}, authenticationRef: {name: all, kind: ClusterTriggerAuthentication}}
`);
  const { stdout } = await run(["import", "keda", path]);
  const comments = stdout.split("\n").filter((line) => line.startsWith("# "));
  expect(comments).toEqual([
    "# From ScaledObject shop/votes.",
    `# ${inRef}[password] was in the Secret votes, key pw: put it into a secret as password, and name that in the entry`,
    `# ${inRef.replace("0", "1")}[username] was the environment variable USER: put it into a secret as username, and name that in the entry`,
  ]);
});

test("--apply writes the entries", async () => {
  const path = await file(`${scaledObject.replace("aws-sqs-queue", "mysql")}`);
  const { stdout } = await run(["import", "keda", path, "--cluster", "prod", "--apply"]);
  expect(stdout).toBe(
    "horizontalpodautoscaler.autoscaling/orders created\nmetricsource.ebb.dev/shop.orders.mysql created\n",
  );
  const ref = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "orders" } as const;
  expect((await entries().get(ref, noLimit()))?.document).toMatchObject({ spec: { minReplicas: 0 } });
});

test.each<[readonly string[], string]>([
  [[], "import again with --dry-run-first, and apply what that prints"],
  [["--dry-run-first"], "apply the entries as they are printed, a dry run"],
  [["--apply"], "ebb dry-run hpa NAME on, now: the entries are in the table, and they write scales already"],
  [["--apply", "--dry-run-first"], "the entries are in the table as a dry run"],
])("with %j, the first step is what is left to do", async (flags, first) => {
  const path = await file(scaledObject);
  const { stderr } = await run(["import", "keda", path, "--cluster", "prod", ...flags]);
  const steps = [...stderr.matchAll(/^.*?\d\. (.*)$/gm)].map(([, step]) => step);
  expect(steps[0]).toContain(first);
  expect(steps.slice(1)).toEqual([
    "compare: ebb explain hpa NAME",
    expect.stringContaining("kubectl --context prod delete scaledobject NAME"),
    "ebb dry-run hpa NAME off",
    "ebb status: names workloads at a zero that ebb will not end; to make one ebb's, ebb adopt hpa NAME",
  ]);
  expect(stderr.includes("--dry-run-first")).toBe(flags.length === 0);
});

test("a cluster that is not registered", async () => {
  const stderr = 'Error from server (NotFound): clusters.ebb.dev "nope" not found; the table has prod\n';
  expect(await run(["import", "keda", "--cluster", "nope"])).toEqual({ stdout: "", stderr, exitCode: 1 });
});

test("an object that makes no valid HPA is reported, and the exit code is 1", async () => {
  const path = await file(scaledObject.replace("pollingInterval: 5", "maxReplicaCount: 0"));
  const { stderr, exitCode } = await run(["import", "keda", path]);
  expect(stderr).toContain(
    "Warning: ScaledObject shop/orders: spec.maxReplicaCount: expected a number above 0, got 0\n",
  );
  expect(exitCode).toBe(1);
});

describe("what KEDA documents", () => {
  const outcomes = fieldOutcomes();
  const settings = kedaSettings(outcomes);
  const sections = settings.split(/^## /m);
  const rows = outcomes.flatMap(({ title, rows: ofTitle }) =>
    ofTitle.map(({ field, becomes, says }) => [title, field, [...becomes, ...says]] as const),
  );

  test.each(rows)("%s: %s is in the entries, or the import says what is lost", (_title, _field, kept) => {
    expect(kept).not.toEqual([]);
  });

  test("is listed for every trigger that a kind reads", () => {
    const listed = documentedTriggers.flatMap(({ types }) => types).filter((type) => converters.has(type));
    expect(listed.sort()).toEqual([...converters.keys()].sort());
  });

  test("is on the page of KEDA's settings: npm run docs", () => {
    const page = readFileSync(join(__dirname, "../..", settingsPage), "utf8");
    expect(page).toBe(settings);
  });

  test.each(rows)("%s: %s is in its section of the page, or in that of many triggers", (title, field) => {
    const ofMany = sections.find((section) => section.startsWith("Settings of many triggers\n")) ?? "";
    const own = sections.find((section) => section.startsWith(`${title}\n`)) ?? "";
    const setting = `\`${field.replace(/ \(.*/, "")}\``;
    expect([own.includes(setting) || ofMany.includes(setting), setting]).toEqual([true, setting]);
  });
});
