/**
 * The settings that KEDA 2.20 documents for the triggers that ebb reads, each with values to convert. A value is not
 * KEDA's default, so its effect shows. https://keda.sh/docs/2.20/scalers/
 */
export interface Documented {
  /** The types of trigger that have these settings. */
  readonly types: readonly string[];
  /** A trigger's metadata, to which one setting is added at a time. */
  readonly metadata: Settings;
  readonly fields: Readonly<Record<string, Sample>>;
  readonly authenticated?: readonly string[];
}

type Settings = Readonly<Record<string, string>>;

/** A value, one for each row; or a value and what is beside it. */
export type Sample = string | readonly string[] | { readonly value: string; readonly beside: Settings };

const from = (variable: string) => variable;
const tls = { ca: "ca", cert: "cert", key: "key", keyPassword: "keyPassword" };
const tlsParameters = ["tls", ...Object.keys(tls)];
const awsParameters = ["awsRoleArn", "awsAccessKeyID", "awsSecretAccessKey", "awsSessionToken"];

const kafkaFields: Documented["fields"] = {
  bootstrapServers: "kafka.example:9092",
  bootstrapServersFromEnv: from("KAFKA"),
  consumerGroup: "invoices",
  consumerGroupFromEnv: from("GROUP"),
  topic: "orders",
  topicFromEnv: from("TOPIC"),
  lagThreshold: "50",
  activationLagThreshold: "3",
  offsetResetPolicy: ["earliest", "latest"],
  allowIdleConsumers: "true",
  scaleToZeroOnInvalidOffset: "true",
  excludePersistentLag: "true",
  limitToPartitionsWithLag: "true",
  ensureEvenDistributionOfPartitions: "true",
  partitionLimitation: "1,2,10-20",
  tls: "enable",
};
const kafkaAuthenticated = ["sasl", "username", "password", ...tlsParameters, ...awsParameters];

const redisServer: Documented["fields"] = {
  enableTLS: "true",
  unsafeSsl: "true",
  usernameFromEnv: from("REDIS_USER"),
  passwordFromEnv: from("REDIS_PASSWORD"),
  databaseIndex: "3",
};
const single: Documented["fields"] = {
  address: "redis.example:6379",
  addressFromEnv: from("REDIS"),
  host: { value: "redis.example", beside: { port: "6380" } },
  hostFromEnv: from("REDIS_HOST"),
  port: { value: "6380", beside: { host: "redis.example" } },
  portFromEnv: from("REDIS_PORT"),
};
const several: Documented["fields"] = {
  addresses: "a.example:6379,b.example:6379",
  addressesFromEnv: from("REDIS"),
  hosts: { value: "a.example,b.example", beside: { ports: "6379,6380" } },
  hostsFromEnv: from("REDIS_HOSTS"),
  ports: { value: "6379,6380", beside: { hosts: "a.example,b.example" } },
  portsFromEnv: from("REDIS_PORTS"),
};
const sentinels: Documented["fields"] = {
  ...several,
  sentinelMaster: "other",
  sentinelMasterFromEnv: from("MASTER"),
  sentinelUsernameFromEnv: from("SENTINEL_USER"),
  sentinelPasswordFromEnv: from("SENTINEL_PASSWORD"),
};
const lists: Documented["fields"] = { listName: "jobs", listLength: "10", activationListLength: "5" };
const group = { consumerGroup: "workers" };
const streams: Documented["fields"] = {
  stream: "orders",
  consumerGroup: "workers",
  pendingEntriesCount: { value: "10", beside: group },
  streamLength: "50",
  lagCount: { value: "7", beside: group },
  activationLagCount: { value: "3", beside: { ...group, lagCount: "7" } },
};
const redisAuthenticated = ["username", "password", ...tlsParameters];
const ofSentinels = [...redisAuthenticated, "sentinelUsername", "sentinelPassword"];

const rabbitmqUrl = "https://mq.example:15671/eu";
const prometheus = { serverAddress: "https://prometheus.example", query: "sum(jobs)", threshold: "100" };

export const documentedTriggers: readonly Documented[] = [
  {
    types: ["aws-sqs-queue"],
    metadata: { queueURL: "https://sqs.eu-west-1.amazonaws.com/123456789012/orders", awsRegion: "eu-west-1" },
    fields: {
      queueURL: "https://sqs.eu-west-1.amazonaws.com/123456789012/returns",
      queueURLFromEnv: from("QUEUE"),
      queueLength: "10",
      activationQueueLength: "3",
      scaleOnInFlight: "false",
      scaleOnDelayed: "true",
      awsRegion: "eu-north-1",
      awsEndpoint: "http://localstack:4566",
      identityOwner: "operator",
    },
    authenticated: awsParameters,
  },
  {
    types: ["aws-cloudwatch"],
    metadata: {
      namespace: "AWS/SQS",
      metricName: "Age",
      dimensionName: "QueueName",
      dimensionValue: "orders",
      targetMetricValue: "2",
      minMetricValue: "0",
      awsRegion: "eu-west-1",
    },
    fields: {
      namespace: "AWS/SQS",
      metricName: "Age",
      dimensionName: "QueueName;Stage",
      dimensionValue: "returns",
      expression: "SELECT MAX(Age) FROM Queues",
      targetMetricValue: "2.1",
      activationTargetMetricValue: "1.5",
      minMetricValue: "1.5",
      ignoreNullValues: "false",
      metricCollectionTime: "900",
      metricStat: "Maximum",
      metricStatPeriod: "60",
      metricUnit: "Count",
      metricEndTimeOffset: "60",
      awsRegion: "eu-west-1",
      awsAccountId: "123456789012",
      awsEndpoint: "http://localstack:4566",
      awsAccessKeyIDFromEnv: from("AWS_ACCESS_KEY_ID"),
      awsSecretAccessKeyFromEnv: from("AWS_SECRET_ACCESS_KEY"),
      identityOwner: "operator",
    },
    authenticated: awsParameters,
  },
  {
    types: ["cpu", "memory"],
    metadata: { value: "60" },
    fields: { value: "50", containerName: "app", type: "AverageValue" },
  },
  {
    types: ["cron"],
    metadata: { timezone: "Asia/Kolkata", start: "0 6 * * *", end: "0 20 * * *", desiredReplicas: "10" },
    fields: { timezone: "Europe/Berlin", start: "30 6 * * *", end: "30 20 * * *", desiredReplicas: "4" },
  },
  {
    types: ["prometheus"],
    metadata: prometheus,
    fields: {
      serverAddress: "https://prometheus.example",
      query: "sum(jobs)",
      threshold: "100.5",
      activationThreshold: "5.5",
      namespace: "shop",
      customHeaders: "X-Client-Id=cid,X-Tenant-Id=tid",
      ignoreNullValues: "false",
      queryParameters: "dedup=true,key=value",
      unsafeSsl: "true",
      timeout: ["3000", "30s"],
      authModes: ["bearer", "basic", "tls", "custom"],
      awsRegion: "eu-west-1",
      identityOwner: "operator",
    },
    authenticated: [
      ...["bearerToken", "username", "password", "customAuthHeader", "customAuthValue", "ca", "cert", "key"],
      ...awsParameters,
    ],
  },
  {
    types: ["kafka"],
    metadata: { bootstrapServers: "kafka.example:9092", consumerGroup: "invoices", offsetResetPolicy: "earliest" },
    fields: {
      ...kafkaFields,
      version: "2.0.0",
      sasl: ["plaintext", "scram_sha256", "scram_sha512", "gssapi", "oauthbearer", "none"],
      saslTokenProvider: ["bearer", "aws_msk_iam"],
      awsRegion: "eu-west-1",
      unsafeSsl: "true",
    },
    authenticated: [
      ...kafkaAuthenticated,
      ...["saslTokenProvider", "keytab", "realm", "kerberosConfig", "kerberosServiceName", "kerberosDisableFAST"],
      ...["oauthTokenEndpointUri", "scopes", "oauthExtensions"],
    ],
  },
  {
    types: ["apache-kafka"],
    metadata: { bootstrapServers: "kafka.example:9092", consumerGroup: "invoices", offsetResetPolicy: "earliest" },
    fields: {
      ...kafkaFields,
      threadsPerConsumer: "2",
      sasl: ["plaintext", "scram_sha256", "scram_sha512", "gssapi", "aws_msk_iam", "none"],
      awsRegion: "eu-west-1",
    },
    authenticated: kafkaAuthenticated,
  },
  {
    types: ["rabbitmq"],
    metadata: { host: rabbitmqUrl, queueName: "orders", mode: "QueueLength", value: "20" },
    fields: {
      host: [rabbitmqUrl, "amqp://guest:guest@mq.example:5672/eu"],
      hostFromEnv: from("RABBITMQ"),
      usernameFromEnv: from("RABBITMQ_USER"),
      passwordFromEnv: from("RABBITMQ_PASSWORD"),
      protocol: "amqp",
      queueName: "returns",
      mode: ["MessageRate", "DeliverGetRate", "PublishedToDeliveredRatio", "ExpectedQueueConsumptionTime"],
      value: "100.5",
      activationValue: "10.5",
      vhostName: "us",
      queueLength: "9",
      useRegex: "true",
      pageSize: { value: "50", beside: { useRegex: "true" } },
      operation: { value: "max", beside: { useRegex: "true" } },
      timeout: ["3000", "30s"],
      excludeUnacknowledged: "true",
      unsafeSsl: "true",
    },
    authenticated: ["host", "vhostName", "username", "password", ...tlsParameters, "workloadIdentityResource"],
  },
  {
    types: ["redis"],
    metadata: { address: "redis.example:6379", listName: "jobs" },
    fields: { ...single, ...lists, ...redisServer },
    authenticated: [...Object.keys(single).filter((name) => !name.endsWith("FromEnv")), ...redisAuthenticated],
  },
  {
    types: ["redis-cluster"],
    metadata: { addresses: "redis.example:6379", listName: "jobs" },
    fields: { ...several, ...lists, ...redisServer },
    authenticated: redisAuthenticated,
  },
  {
    types: ["redis-sentinel"],
    metadata: { addresses: "redis.example:26379", listName: "jobs", sentinelMaster: "main" },
    fields: { ...sentinels, ...lists, ...redisServer },
    authenticated: ofSentinels,
  },
  {
    types: ["redis-streams"],
    metadata: { address: "redis.example:6379", stream: "orders" },
    fields: { ...single, ...streams, ...redisServer },
    authenticated: redisAuthenticated,
  },
  {
    types: ["redis-cluster-streams"],
    metadata: { addresses: "redis.example:6379", stream: "orders" },
    fields: { ...several, ...streams, ...redisServer },
    authenticated: redisAuthenticated,
  },
  {
    types: ["redis-sentinel-streams"],
    metadata: { addresses: "redis.example:26379", stream: "orders", sentinelMaster: "main" },
    fields: { ...sentinels, ...streams, ...redisServer },
    authenticated: ofSentinels,
  },
  {
    types: ["postgresql"],
    metadata: {
      host: "db.example",
      port: "5432",
      userName: "ebb",
      dbName: "shop",
      sslmode: "verify-full",
      query: "SELECT count(*) FROM jobs",
      targetQueryValue: "5",
    },
    fields: {
      host: "db.example",
      port: "5433",
      userName: "ebb",
      passwordFromEnv: from("PG_PASSWORD"),
      dbName: "shop",
      sslmode: ["disable", "prefer", "require", "verify-ca"],
      connectionFromEnv: from("PG"),
      query: "SELECT count(*) FROM jobs",
      targetQueryValue: "1.1",
      activationTargetQueryValue: "2.2",
    },
    authenticated: ["connection", "host", "port", "userName", "password", "dbName", "sslmode"],
  },
  {
    types: ["metrics-api"],
    metadata: { url: "https://stats.example/queues", valueLocation: "components.worker.tasks", targetValue: "7" },
    fields: {
      url: "https://stats.example/queues",
      format: ["prometheus", "xml", "yaml"],
      valueLocation: ["components.worker.tasks", 'tasks.#(name=="a").count'],
      targetValue: "8.8",
      activationTargetValue: "3.8",
      timeout: ["3000", "30s"],
      unsafeSsl: "true",
      aggregateFromKubeServiceEndpoints: "true",
      aggregationType: "sum",
      authMode: ["apiKey", "basic", "tls", "bearer"],
      method: ["header", "query"],
      keyParamName: "X-Stats-Key",
    },
    authenticated: ["apiKey", "username", "password", "token", "ca", "cert", "key"],
  },
  {
    types: ["kubernetes-workload"],
    metadata: { podSelector: "app=backend", value: "0.5" },
    fields: { podSelector: "app=backend", value: "3", groupByNode: "true", activationValue: "3.1" },
  },
];

/** What a ScaledObject has besides its triggers' settings, as a patch of its YAML. */
export const documentedSpec: readonly { readonly field: string; readonly patch: string; readonly base?: string }[] = [
  {
    field: "spec.scaleTargetRef.apiVersion",
    patch: "scaleTargetRef: {name: orders, apiVersion: argoproj.io/v1alpha1}",
  },
  { field: "spec.scaleTargetRef.kind", patch: "scaleTargetRef: {name: orders, kind: StatefulSet}" },
  { field: "spec.scaleTargetRef.name", patch: "scaleTargetRef: {name: returns}" },
  {
    field: "spec.scaleTargetRef.envSourceContainerName",
    patch: "scaleTargetRef: {name: orders, envSourceContainerName: app}",
    base: "triggers: [{type: aws-sqs-queue, metadata: {queueURLFromEnv: QUEUE, awsRegion: eu-west-1}}]",
  },
  { field: "spec.pollingInterval", patch: "pollingInterval: 10" },
  { field: "spec.cooldownPeriod", patch: "cooldownPeriod: 900" },
  { field: "spec.initialCooldownPeriod", patch: "initialCooldownPeriod: 900" },
  { field: "spec.idleReplicaCount", patch: "idleReplicaCount: 0", base: "minReplicaCount: 2" },
  { field: "spec.minReplicaCount", patch: "minReplicaCount: 1" },
  { field: "spec.maxReplicaCount", patch: "maxReplicaCount: 12" },
  ...["static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower", "scalingModifiers"].map(
    (behavior) => ({
      field: `spec.fallback.behavior: ${behavior}`,
      patch: `fallback: {failureThreshold: 3, replicas: 6, behavior: ${behavior}}`,
    }),
  ),
  {
    field: "spec.fallback.failureThreshold",
    patch: "fallback: {failureThreshold: 4, replicas: 6}",
    base: "fallback: {failureThreshold: 3, replicas: 6}",
  },
  {
    field: "spec.fallback.replicas",
    patch: "fallback: {failureThreshold: 3, replicas: 7}",
    base: "fallback: {failureThreshold: 3, replicas: 6}",
  },
  { field: "spec.advanced.restoreToOriginalReplicaCount", patch: "advanced: {restoreToOriginalReplicaCount: true}" },
  {
    field: "spec.advanced.horizontalPodAutoscalerConfig.name",
    patch: "advanced: {horizontalPodAutoscalerConfig: {name: orders-hpa}}",
  },
  {
    field: "spec.advanced.horizontalPodAutoscalerConfig.behavior",
    patch:
      "advanced: {horizontalPodAutoscalerConfig: {behavior: {scaleUp: {tolerance: 0.2, policies: [{type: Pods, value: 4, periodSeconds: 60}]}}}}",
  },
  {
    field: "spec.advanced.scalingModifiers.formula",
    patch: 'advanced: {scalingModifiers: {formula: jobs * 2, target: "4"}}',
    base: "triggers: [{type: aws-sqs-queue, name: jobs, metadata: {queueURL: orders, awsRegion: eu-west-1}}]",
  },
  ...[
    ["target", 'target: "5"'],
    ["activationTarget", 'target: "4", activationTarget: "2"'],
    ["metricType", 'target: "4", metricType: Value'],
  ].map(([name = "", members = ""]) => ({
    field: `spec.advanced.scalingModifiers.${name}`,
    patch: `advanced: {scalingModifiers: {formula: jobs * 2, ${members}}}`,
    base:
      'advanced: {scalingModifiers: {formula: jobs * 2, target: "4"}}\n' +
      "triggers: [{type: aws-sqs-queue, name: jobs, metadata: {queueURL: orders, awsRegion: eu-west-1}}]",
  })),
  ...[
    ["name", "name: jobs"],
    ["metricType: Value", "metricType: Value"],
    ["useCachedMetrics", "useCachedMetrics: true"],
    ["authenticationRef", "authenticationRef: {name: auth}"],
  ].map(([name = "", member = ""]) => ({
    field: `spec.triggers[].${name}`,
    patch: `triggers: [{type: prometheus, ${member}, metadata: {serverAddress: "https://p.example", query: up, threshold: "1"}}]`,
    base: 'triggers: [{type: prometheus, metadata: {serverAddress: "https://p.example", query: up, threshold: "1"}}]',
  })),
  {
    field: "spec.triggers[].metricType: AverageValue (cpu)",
    patch: 'triggers: [{type: cpu, metricType: AverageValue, metadata: {value: "60"}}]',
    base: 'triggers: [{type: cpu, metricType: Utilization, metadata: {value: "60"}}]',
  },
  ...[
    ["autoscaling.keda.sh/paused", "true"],
    ["autoscaling.keda.sh/paused-replicas", "3"],
    ["autoscaling.keda.sh/paused-scale-in", "true"],
    ["autoscaling.keda.sh/paused-scale-out", "true"],
    ["autoscaling.keda.sh/force-activation", "true"],
    ["scaledobject.keda.sh/transfer-hpa-ownership", "true"],
    ["validations.keda.sh/hpa-ownership", "true"],
  ].map(([name = "", value = ""]) => ({ field: name, patch: `annotations: {${name}: "${value}"}` })),
];

/** What a TriggerAuthentication has, as its spec, for a redis trigger. */
export const documentedAuthentications: readonly { readonly field: string; readonly spec: string }[] = [
  { field: "secretTargetRef", spec: "secretTargetRef: [{parameter: password, name: redis, key: pw}]" },
  { field: "configMapTargetRef", spec: "configMapTargetRef: [{parameter: username, name: redis, key: user}]" },
  { field: "env", spec: "env: [{parameter: password, name: PW, containerName: app}]" },
  { field: "filePath", spec: "filePath: [{parameter: password, path: redis/pw}]" },
  {
    field: "boundServiceAccountToken",
    spec: "boundServiceAccountToken: [{parameter: password, serviceAccountName: r}]",
  },
  {
    field: "hashiCorpVault",
    spec: "hashiCorpVault: {address: v, authentication: token, secrets: [{parameter: password, path: kv/redis, key: pw}]}",
  },
  { field: "azureKeyVault", spec: "azureKeyVault: {vaultUri: v, secrets: [{parameter: password, name: redis}]}" },
  { field: "gcpSecretManager", spec: "gcpSecretManager: {secrets: [{parameter: password, id: redis}]}" },
  { field: "awsSecretManager", spec: "awsSecretManager: {secrets: [{parameter: password, name: redis}]}" },
  { field: "awsParameterStore", spec: "awsParameterStore: {parameters: [{parameter: password, name: redis}]}" },
  ...["aws", "aws-eks", "azure-workload", "gcp"].map((provider) => ({
    field: `podIdentity.provider: ${provider}`,
    spec: `podIdentity: {provider: ${provider}}`,
  })),
  ...["roleArn", "identityId", "identityOwner"].map((name) => ({
    field: `podIdentity.${name}`,
    spec: `podIdentity: {provider: aws, ${name}: x}`,
  })),
  { field: "oauth2", spec: "oauth2: {type: clientCredentials, clientId: c, tokenUrl: t}" },
];
