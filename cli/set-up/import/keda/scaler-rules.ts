import { parseGoBool } from "../../../../lib/k8s/go-text";
import {
  amqpProblems,
  connectionProblems,
  dimensionProblems,
  evenProblems,
  type GivenSettings,
  isZero,
  lagProblems,
  modeProblems,
  pairProblems,
  periodProblems,
  portProblems,
  queueProblems,
  saslProblems,
  type SettingProblem,
  timeoutProblems,
  versionProblems,
} from "./scaler-checks";

interface Scaler {
  readonly targets: readonly string[];
  /** Targets are whole numbers, too. */
  readonly isWhole?: true;
  /** The first one is; "alone": not in a formula. */
  readonly isTargetNeeded?: true | "alone";
  /** KEDA looks at it in a formula, too, which has a target of its own. */
  readonly isCheckedAnyway?: true;
  /** Those that KEDA looks at. Default: all. */
  readonly counts?: (given: GivenSettings) => readonly string[];
  readonly whole?: readonly string[];
  readonly numbers?: readonly string[];
  readonly flags?: readonly string[];
  readonly oneOf?: Readonly<Record<string, readonly string[]>>;
  /** Only those that ebb itself can do without. */
  readonly needed?: Readonly<Record<string, string>>;
  readonly check?: (given: GivenSettings) => readonly SettingProblem[];
}

/** KEDA's two scalers of Kafka. */
const apacheKafka: Scaler = {
  targets: ["lagThreshold"],
  isWhole: true,
  isCheckedAnyway: true,
  whole: ["activationLagThreshold"],
  flags: [
    ...["allowIdleConsumers", "excludePersistentLag", "scaleToZeroOnInvalidOffset", "limitToPartitionsWithLag"],
    "ensureEvenDistributionOfPartitions",
  ],
  oneOf: { offsetResetPolicy: ["latest", "earliest"], tls: ["enable", "disable"] },
  check: (given) => [...lagProblems(given), ...saslProblems(given)],
};
const kafka: Scaler = {
  ...apacheKafka,
  flags: [...(apacheKafka.flags ?? []), "fullMetadata", "unsafeSsl"],
  check: (given) => [...evenProblems(given), ...lagProblems(given), ...saslProblems(given), ...versionProblems(given)],
};
const saslTypes = ["none", "plaintext", "scram_sha256", "scram_sha512"];

const redis: Scaler = {
  targets: ["listLength"],
  isWhole: true,
  whole: ["activationListLength", "databaseIndex"],
  flags: ["enableTLS", "unsafeSsl"],
  check: portProblems,
};
const redisStreams: Scaler = {
  ...redis,
  targets: ["lagCount", "pendingEntriesCount", "streamLength"],
  counts: (given) => [
    given.text("consumerGroup") === undefined && !given.isElsewhere("consumerGroup")
      ? "streamLength"
      : isZero("lagCount", given)
        ? "pendingEntriesCount"
        : "lagCount",
  ],
  whole: ["activationLagCount", "databaseIndex"],
};

const region = { awsRegion: "a region" };
const modes = ["apiKey", "basic", "tls", "bearer", "custom", "oauth"];

/**
 * KEDA refuses these of the triggers that ebb reads; ebb's own checks report the rest. Upstream, KEDA 2.21: the tags of
 * each scaler's metadata and its Validate (pkg/scalers), and TypedConfig (pkg/scalers/scalersconfig/typed_config.go).
 */
const scalers: Readonly<Record<string, Scaler>> = {
  "aws-sqs-queue": {
    targets: ["queueLength"],
    isWhole: true,
    whole: ["activationQueueLength"],
    flags: ["scaleOnInFlight", "scaleOnDelayed"],
    needed: region,
  },
  "aws-cloudwatch": {
    targets: ["targetMetricValue"],
    isTargetNeeded: true,
    whole: ["metricEndTimeOffset"],
    numbers: ["activationTargetMetricValue", "minMetricValue"],
    flags: ["ignoreNullValues"],
    needed: { ...region, minMetricValue: "a number" },
    check: (given) => [...dimensionProblems(given), ...periodProblems(given)],
  },
  // KEDA refuses 0; ebb reads it as one replica, which an open window keeps.
  cron: {
    targets: [],
    whole: ["desiredReplicas"],
    needed: { timezone: "a time zone", desiredReplicas: "a whole number" },
  },
  prometheus: {
    targets: ["threshold"],
    isTargetNeeded: true,
    numbers: ["activationThreshold"],
    flags: ["ignoreNullValues", "unsafeSsl"],
    check: (given) => [
      ...["queryParameters", "customHeaders"].flatMap((name) => pairProblems(name, given)),
      ...timeoutProblems(given),
      ...modeProblems(modes, given),
    ],
  },
  kafka: {
    ...kafka,
    oneOf: {
      ...kafka.oneOf,
      sasl: [...saslTypes, "oauthbearer", "gssapi"],
      saslTokenProvider: ["bearer", "aws_msk_iam"],
    },
  },
  "apache-kafka": { ...apacheKafka, oneOf: { ...kafka.oneOf, sasl: [...saslTypes, "gssapi", "aws_msk_iam"] } },
  rabbitmq: {
    targets: ["value", "queueLength"],
    counts: (given) => ["value", "queueLength"].filter((name) => !isZero(name, given)),
    numbers: ["activationValue"],
    whole: ["pageSize"],
    flags: ["useRegex", "excludeUnacknowledged", "unsafeSsl"],
    oneOf: {
      protocol: ["amqp", "http", "auto"],
      mode: [
        ...["QueueLength", "MessageRate", "DeliverGetRate", "PublishedToDeliveredRatio"],
        "ExpectedQueueConsumptionTime",
      ],
    },
    needed: { queueName: "a queue" },
    check: (given) => [...queueProblems(given), ...amqpProblems(given), ...timeoutProblems(given)],
  },
  ...Object.fromEntries(["redis", "redis-cluster", "redis-sentinel"].map((type) => [type, redis])),
  ...Object.fromEntries(
    ["redis-streams", "redis-cluster-streams", "redis-sentinel-streams"].map((type) => [type, redisStreams]),
  ),
  postgresql: {
    targets: ["targetQueryValue"],
    isTargetNeeded: "alone",
    numbers: ["activationTargetQueryValue"],
    check: connectionProblems,
  },
  "metrics-api": {
    targets: ["targetValue"],
    isTargetNeeded: "alone",
    numbers: ["activationTargetValue"],
    flags: ["unsafeSsl", "aggregateFromKubeServiceEndpoints"],
    oneOf: {
      format: ["prometheus", "json", "xml", "yaml"],
      aggregationType: ["average", "sum", "max", "min"],
      method: ["header", "query"],
    },
    check: (given) => [...timeoutProblems(given), ...modeProblems(modes.slice(0, 4), given)],
  },
  "kubernetes-workload": {
    targets: ["value"],
    isTargetNeeded: "alone",
    numbers: ["activationValue"],
    flags: ["groupByNode"],
  },
};

const wholeNumber = /^-?(0|[1-9]\d{0,17})$/;
/** As JSON has it: KEDA reads no quantities here. */
const numberForm = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const isNumber = (text: string) => numberForm.test(text) && Number.isFinite(Number(text));

export function scalerProblems(type: string, given: GivenSettings): readonly SettingProblem[] {
  const scaler = Object.hasOwn(scalers, type) ? scalers[type] : undefined;
  if (scaler === undefined) return [];
  const { targets, numbers = [], whole = [], flags = [], oneOf = {}, needed = {}, check } = scaler;
  const unlike = (names: readonly string[], expected: string, isRight: (text: string) => boolean) =>
    names.flatMap((name): readonly SettingProblem[] => {
      const text = given.text(name);
      return text === undefined || isRight(text) ? [] : [[name, expected]];
    });
  const first = targets[0] ?? "";
  const isNeeded = scaler.isTargetNeeded === true || (scaler.isTargetNeeded === "alone" && !given.isOperand);
  const isMissing = isNeeded && given.text(first) === undefined;
  const isInForm = scaler.isWhole ? (text: string) => wholeNumber.test(text) : isNumber;
  const counted = given.isOperand && !scaler.isCheckedAnyway ? [] : (scaler.counts?.(given) ?? targets);
  const words = scaler.isWhole ? "a whole number" : "a number";
  return [
    ...(isMissing ? [[first, words] as const] : []),
    ...unlike(targets, words, isInForm),
    ...unlike(counted, "a number above 0", (text) => !isInForm(text) || Number(text) > 0),
    // Upstream, KEDA 2.21: quantityFromFloat64 (pkg/scalers/scaler.go) leaves three decimals.
    ...unlike(counted, "0.001 or more", (text) => !(Number(text) > 0) || Number(Number(text).toFixed(3)) > 0),
    ...unlike(numbers, "a number", isNumber),
    ...unlike(whole, "a whole number", (text) => wholeNumber.test(text)),
    ...unlike(flags, "true or false", (text) => parseGoBool(text) !== undefined),
    ...Object.entries(oneOf).flatMap(([name, known]) =>
      unlike([name], `one of ${known.join(", ")}`, (text) => known.includes(text)),
    ),
    ...Object.entries(needed).filter(([name]) => given.text(name) === undefined && !given.isElsewhere(name)),
    ...(check?.(given) ?? []),
  ];
}
