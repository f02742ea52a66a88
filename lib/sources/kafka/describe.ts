import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedTcpFields } from "../fields/server-fields";
import { kafkaFields, parseKafkaQuery } from "./kafka-query";
import { kafka } from "./kind";
import { type FromKeda, type KedaTrigger, noteAwsCredentials, noteTls, numeric, onlySet } from "../keda";

const mechanisms: Readonly<Record<string, string>> = {
  plaintext: "PLAIN",
  scram_sha256: "SCRAM-SHA-256",
  scram_sha512: "SCRAM-SHA-512",
};

const ofKerberos = ["keytab", "realm", "kerberosConfig", "kerberosServiceName", "kerberosDisableFAST"];

const ofTokens = ["oauthTokenEndpointUri", "scopes", "oauthExtensions"];

const persistentSeconds = 60;

export const describedKafka = describeKind(kafka, kafkaFields, {
  summary: "How many messages of Kafka a consumer group has still to do.",
  parameters: {
    address: "A broker as host:port, or several with commas. Required, except with via.",
    group: "The consumer group. Required.",
    topics: "A topic, or several with commas. Default: those that the group has committed.",
    topicPrefix: "The beginning of topics' names.",
    partitions: "Which partitions count, such as 0,2,4-7. Default: all.",
    offsetResetPolicy: "Where the consumers begin without a committed offset; none is an error. Default latest.",
    uncommittedLag: "The lag of a partition without a committed offset, instead of what offsetResetPolicy says.",
    lagThreshold:
      "The lag of one replica, as in the metric's target, and the most for each partition. Required, except with allowIdleConsumers.",
    allowIdleConsumers: "Whether there may be more replicas than partitions. Default false.",
    limitToPartitionsWithLag: "Whether only partitions with lag count for that. Default false.",
    excludePersistentLagAfterSeconds:
      "After how many seconds without a commit a partition's lag is left out. All such lag counts as one replica's at most. Default: never.",
    awsIam: "Whether the function's role is the user, for Amazon MSK. Default false.",
    ...describedTcpFields,
  },
  parse: parseKafkaQuery,
  example: { address: "kafka.example.com:9093", group: "invoices", topics: "orders", lagThreshold: 50 },
  averageValue: "50",
  advice: row`check that kafka-consumer-groups --describe shows the group at this address, and that the user may describe the group and the topics`,
  iam: [],
  keda: { kafka: fromKafka, "apache-kafka": fromKafka },
});

function fromKafka(trigger: KedaTrigger): FromKeda {
  const lagThreshold = trigger.text("lagThreshold") ?? "10";
  trigger.activation("activationLagThreshold");
  const isSet = (name: string) => (trigger.flag(name, false) ? true : undefined);
  const awsIam = credentialsOf(trigger) ? true : undefined;
  trigger.unneeded("version");
  // Documented for apache-kafka; no scaler of KEDA 2.21 reads it.
  trigger.unneeded("threadsPerConsumer");
  const excludesPersistent = isSet("excludePersistentLag") === true;
  if (excludesPersistent)
    trigger.note(
      "excludePersistentLag",
      `is excludePersistentLagAfterSeconds: ${persistentSeconds}, where KEDA waits for one poll: set how long your consumers may take for a commit`,
      "size",
    );
  if (isSet("ensureEvenDistributionOfPartitions"))
    trigger.note(
      "ensureEvenDistributionOfPartitions",
      "is not carried over: set maxReplicas to a divisor instead",
      "size",
    );
  const allowIdleConsumers = isSet("allowIdleConsumers");
  return {
    parameters: onlySet({
      address: trigger.required("bootstrapServers"),
      group: trigger.required("consumerGroup"),
      topics: trigger.text("topic"),
      partitions: partitionsOf(trigger),
      offsetResetPolicy: trigger.text("offsetResetPolicy"),
      uncommittedLag: uncommittedOf(trigger),
      lagThreshold: allowIdleConsumers === undefined || excludesPersistent ? numeric(lagThreshold) : undefined,
      allowIdleConsumers,
      limitToPartitionsWithLag: allowIdleConsumers === undefined ? isSet("limitToPartitionsWithLag") : undefined,
      excludePersistentLagAfterSeconds: excludesPersistent ? persistentSeconds : undefined,
      awsIam,
      tls: isPlain(trigger) && awsIam === undefined ? false : undefined,
    }),
    target: lagThreshold,
  };
}

/** KEDA leaves it out without a topic. */
function partitionsOf(trigger: KedaTrigger): string | undefined {
  if (trigger.isSet("topic")) return trigger.text("partitionLimitation");
  trigger.unneeded("partitionLimitation");
  return undefined;
}

/** KEDA's default is the opposite of ebb's. */
function isPlain(trigger: KedaTrigger): boolean {
  const tls = trigger.given("tls");
  if (tls !== undefined) return tls !== "enable";
  return !trigger.lost("tls", "is not carried over: tls is true in the entry, as if it were enable");
}

/** Upstream, KEDA 2.21: getLagForPartition (pkg/scalers/kafka_scaler.go, and apache_kafka_scaler.go). */
function uncommittedOf(trigger: KedaTrigger): number | undefined {
  const isZero = trigger.flag("scaleToZeroOnInvalidOffset", false);
  const isLatest = (trigger.text("offsetResetPolicy") ?? "latest") === "latest";
  return isZero ? 0 : isLatest ? 1 : undefined;
}

function credentialsOf(trigger: KedaTrigger): boolean {
  const sasl = trigger.given("sasl");
  const provider = trigger.given("saslTokenProvider");
  const isIam = provider === "aws_msk_iam" || sasl === "aws_msk_iam";
  const mechanism = sasl !== undefined && Object.hasOwn(mechanisms, sasl) ? mechanisms[sasl] : undefined;
  if (sasl === "gssapi") trigger.note("sasl", "has no equal for gssapi: ebb has no Kerberos", "credential");
  else if (sasl === "oauthbearer" && !isIam)
    trigger.note(
      "sasl",
      "has no equal for oauthbearer: ebb fetches no token. The secret may hold one as token",
      "credential",
    );
  else if (mechanism !== undefined) trigger.note("sasl", `becomes the mechanism ${mechanism} of the secret`, "step");
  else if (sasl === undefined) trigger.secret("sasl", "mechanism");
  else if (sasl === "none") trigger.unneeded("sasl");
  else if (!isIam) trigger.note("sasl", `is not carried over: expected a mechanism, got ${sasl}`, "credential");
  const noToken = "is not carried over: ebb fetches no token. The secret may hold one as token";
  if (provider === "bearer") trigger.note("saslTokenProvider", noToken, "credential");
  else if (provider === undefined)
    trigger.lost("saslTokenProvider", "is not carried over: for aws_msk_iam, set awsIam and take tls: false out");
  for (const name of ["username", "password"]) trigger.secret(name, name);
  for (const name of ofKerberos) trigger.lost(name, "is not carried over: ebb has no Kerberos", "credential");
  for (const name of ofTokens) trigger.lost(name, "is not carried over: ebb fetches no token", "credential");
  trigger.unneeded("awsRegion");
  noteAwsCredentials(trigger);
  noteTls(trigger, "the brokers'");
  return isIam;
}
