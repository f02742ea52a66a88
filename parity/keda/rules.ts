/** A rule of KEDA 2.21 that the import follows. `npm run keda:record` looks for the functions in KEDA's module. */
export interface KedaRule {
  readonly rule: string;
  /** In github.com/kedacore/keda/v2. */
  readonly file: string;
  readonly functions: readonly string[];
  /** Where ebb follows it. */
  readonly here: string;
  /** A recording ("steps", "HPAs", "crons", "settings"), "readings KIND", or a test. */
  readonly heldBy: string;
}

const executor = "pkg/scaling/executor/scale_scaledobjects.go";
const handler = "pkg/scaling/scale_handler.go";
const types = "apis/keda/v1alpha1/scaledobject_types.go";
const webhook = "apis/keda/v1alpha1/scaledobject_webhook.go";
const hpa = "controllers/keda/hpa.go";
const importer = "cli/set-up/import/keda";
const loop = "parity/keda/keda-loop.ts";
const problems = "test/cli/import-keda-cases/problems.test.ts";
const refused = "test/cli/import-keda-cases/refused-by-keda.test.ts";
const windows = "test/parity/keda-windows.test.ts";
const fallbacks = "test/cli/import-keda-cases/fallbacks.test.ts";
const scaler = (name: string) => `pkg/scalers/${name}_scaler.go`;
const describes = (kind: string) => `lib/sources/${kind}/describe.ts`;

type Row = readonly [rule: string, file: string, functions: string, here: string, heldBy: string];

const activity: readonly Row[] = [
  ["an object is active if a trigger is above its activation", handler, "getScaledObjectState", loop, "steps"],
  ["CPU and memory alone are always active, and never beside others", handler, "getScaledObjectState", loop, "steps"],
  ["a trigger in fallback is active", handler, "getScalerState", loop, "steps"],
  ["a formula's value replaces its triggers' activity", handler, "getScaledObjectState", loop, "steps"],
  ["a failing trigger makes a formula inactive", handler, "getScaledObjectState", loop, "steps"],
  ["above zero, the HPA's last readings decide", types, "UsesHPAObservations IsPollingIntervalRelevant", loop, "steps"],
  ["they do while the HPA's metrics can be read", handler, "hpaObservedRecord hpaActivelyQuerying", loop, "steps"],
];

const zero: readonly Row[] = [
  [
    "without activity, zero comes from any size",
    executor,
    "RequestScale scaleToZeroOrIdle",
    "lib/core/idle.ts",
    "steps",
  ],
  ["the cooldown begins at the last activity without an error", executor, "RequestScale", "lib/core/idle.ts", "steps"],
  ["without one, initialCooldownPeriod counts", executor, "scaleToZeroOrIdle", `${importer}/convert-zero.ts`, "steps"],
  ["an error without fallback changes nothing", executor, "RequestScale", "lib/core/idle.ts", "steps"],
  ["a wake goes to minReplicaCount, or 1", executor, "scaleFromZeroOrIdle", `${importer}/convert-zero.ts`, "steps"],
  ["idleReplicaCount is the size without activity", executor, "getIdleOrMinimumReplicaCount", loop, "steps"],
  ["paused-scale-in keeps from zero", types, "NeedToPauseScaleIn", `${importer}/convert-behavior.ts`, "steps"],
  ["paused-scale-out keeps from waking", types, "NeedToPauseScaleOut", `${importer}/convert-behavior.ts`, "steps"],
  ["force-activation is activity", types, "NeedToForceActivation", `${importer}/convert-behavior.ts`, "steps"],
  [
    ...(["paused and paused-replicas stop both", types, "NeedToBePausedByAnnotation"] as const),
    ...([`${importer}/convert-behavior.ts`, "test/cli/import-keda-cases/zero.test.ts"] as const),
  ],
];

const fallback: readonly Row[] = [
  [
    ...([
      "polls and the HPA's requests count as failures",
      "pkg/fallback/fallback.go",
      "GetMetricsWithFallback",
    ] as const),
    ...([`${importer}/convert-fallback.ts`, "steps"] as const),
  ],
  ["each reading counts its failures", handler, "observeMetric", `${importer}/convert-fallback.ts`, "steps"],
  ["each trigger has a count of its own", "pkg/fallback/fallback.go", "IncrementFailure", fallbacks, fallbacks],
  ["a failing trigger fails the HPA's request", handler, "GetScaledObjectMetrics", loop, "steps"],
  ["a fallback is a metric of so many replicas", "pkg/fallback/fallback.go", "doFallback", loop, "steps"],
  ["a formula takes its first fallback", "pkg/scaling/modifiers/formula.go", "HandleScalingModifiers", loop, "steps"],
];

const hpas: readonly Row[] = [
  [
    "bounds, behavior and target of the HPA",
    hpa,
    "newHPAForScaledObject",
    `${importer}/convert-scaled-object.ts`,
    "HPAs",
  ],
  ["a formula is one metric", hpa, "getScaledObjectMetricSpecs", `${importer}/convert-modifiers.ts`, "HPAs"],
  ["minReplicas is at least 1", types, "GetHPAMinReplicas", `${importer}/convert-zero.ts`, "HPAs"],
  [
    ...([
      "a deletion may restore the size",
      "controllers/keda/scaledobject_finalizer.go",
      "finalizeScaledObject",
    ] as const),
    ...([`${importer}/convert-scaled-object.ts`, "test/cli/import-keda.test.ts"] as const),
  ],
  ["maxReplicas is 100 by default", types, "GetHPAMaxReplicas", `${importer}/convert-zero.ts`, "HPAs"],
  [
    ...(["a target is a quantity of thousandths", "pkg/scalers/scaler.go"] as const),
    ...(["GetMetricTargetMili quantityFromFloat64", `${importer}/convert-trigger.ts`, "settings"] as const),
  ],
  [
    "CPU and memory are metrics of pods",
    scaler("cpu_memory"),
    "parseResourceMetadata",
    `${importer}/convert-trigger.ts`,
    "HPAs",
  ],
  ["bounds that contradict are refused", types, "CheckReplicaCountBoundsAreValid", `${importer}/problems.ts`, problems],
  [
    ...(["a formula has a target above 0", webhook, "ValidateAndCompileScalingModifiers"] as const),
    ...([`${importer}/spec-problems.ts`, problems] as const),
  ],
  [
    ...(["the names of triggers differ", "apis/keda/v1alpha1/scaletriggers_types.go", "ValidateTriggers"] as const),
    ...([`${importer}/spec-problems.ts`, problems] as const),
  ],
  ["paused-replicas is a number", types, "GetPausedReplicaCount", `${importer}/spec-problems.ts`, problems],
  [
    "no external metric has Utilization",
    "pkg/scalers/scaler.go",
    "GetMetricTargetType",
    `${importer}/problems.ts`,
    problems,
  ],
  ["a fallback fits its triggers", types, "CheckFallbackValid", `${importer}/spec-problems.ts`, refused],
  [
    ...(["settings are typed, and checked together", "pkg/scalers/scalersconfig/typed_config.go"] as const),
    ...(["TypedConfig", `${importer}/scaler-rules.ts`, "settings"] as const),
  ],
  ["the types of triggers", "pkg/scaling/scalers_builder.go", "buildScaler", `${importer}/problems.ts`, problems],
  [
    ...(["where a setting may be, in order", "pkg/scalers/scalersconfig/typed_config.go", "configParamValue"] as const),
    ...([`${importer}/trigger.ts`, "test/cli/import-keda.test.ts"] as const),
  ],
];

const triggers: readonly Row[] = [
  [
    "SQS: what counts",
    scaler("aws_sqs_queue"),
    "processQueueLengthFromSqsQueueAttributesOutput",
    describes("sqs"),
    "readings sqs",
  ],
  [
    "CloudWatch: the newest value",
    scaler("aws_cloudwatch"),
    "GetCloudwatchMetrics",
    describes("cloudwatch"),
    "readings cloudwatch",
  ],
  ["CloudWatch: the window", scaler("aws_cloudwatch"), "computeQueryWindow", describes("cloudwatch"), windows],
  [
    "cron: the next end is not after the next start",
    scaler("cron"),
    "GetMetricsAndActivity",
    describes("schedule"),
    "crons",
  ],
  ["Kafka: partitions without an offset", scaler("kafka"), "getLagForPartition", describes("kafka"), "readings kafka"],
  ["Kafka: the partitions' limit", scaler("kafka"), "getTotalLag", describes("kafka"), "readings kafka"],
  [
    "workload: pods that did not end",
    scaler("kubernetes_workload"),
    "getCountValue shouldCountPod",
    describes("workload"),
    "readings workload",
  ],
  [
    "metrics-api: the place of the number",
    scaler("metrics_api"),
    "GetValueFromResponse",
    describes("http"),
    "readings http",
  ],
  ["PostgreSQL: one number", scaler("postgresql"), "getActiveNumber", describes("postgresql"), "readings postgresql"],
  [
    "Prometheus: one series, or none",
    scaler("prometheus"),
    "ExecutePromQuery",
    describes("prometheus"),
    "readings prometheus",
  ],
  [
    "RabbitMQ: path and virtual host",
    scaler("rabbitmq"),
    "getVhostAndPathFromURL",
    describes("rabbitmq"),
    "readings rabbitmq",
  ],
  [
    "RabbitMQ: several queues",
    scaler("rabbitmq"),
    "getComposedQueue getAverage",
    describes("rabbitmq"),
    "readings rabbitmq",
  ],
  ["Redis: the key's address", scaler("redis"), "validateRedisAddress", describes("redis"), "readings redis"],
  [
    "Redis: a stream's backlog",
    scaler("redis_streams"),
    "createEntriesCountFn",
    describes("redis"),
    "readings streams",
  ],
];

export const kedaRules: readonly KedaRule[] = [activity, zero, fallback, hpas, triggers]
  .flat()
  .map(([rule, file, functions, here, heldBy]) => ({ rule, file, functions: functions.split(" "), here, heldBy }));
