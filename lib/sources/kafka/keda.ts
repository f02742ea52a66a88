import { type FromKeda, type KedaTrigger, numeric, onlySet } from "../keda";

const notCarried = {
  sasl: "is not carried over: the secret's mechanism says PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512, and its token is for OAUTHBEARER",
  version: "is not needed: each broker says what it understands",
} as const;

/** kafka: the lag of a group. KEDA takes the lag of one replica from the trigger, so it is the target as well. */
export function fromKafka(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationLagThreshold");
  const isSet = (name: string) => (trigger.flag(name, false) ? true : undefined);
  const lagThreshold = trigger.text("lagThreshold") ?? "10";
  const topics = trigger.text("topic");
  const isLatest = (trigger.text("offsetResetPolicy") ?? "latest") === "latest";
  if (isSet("scaleToZeroOnInvalidOffset") === undefined && isLatest)
    trigger.note(
      "offsetResetPolicy",
      "is latest: KEDA counts 1 for a partition without a committed offset, and ebb counts nothing",
    );
  for (const [name, text] of Object.entries(notCarried)) if (trigger.text(name) !== undefined) trigger.note(name, text);
  if (trigger.flag("unsafeSsl", false))
    trigger.note("unsafeSsl", "is not carried over: set certificateAuthorityData to the brokers' CA");
  if (isSet("excludePersistentLag"))
    trigger.note("excludePersistentLag", "is not carried over: the lag of a partition counts while nobody takes it");
  if (isSet("ensureEvenDistributionOfPartitions"))
    trigger.note("ensureEvenDistributionOfPartitions", "is not carried over: set maxReplicas to a divisor instead");
  const allowIdleConsumers = isSet("allowIdleConsumers");
  const awsIam = trigger.text("saslTokenProvider") === "aws_msk_iam" ? true : undefined;
  trigger.text("awsRegion");
  const isPlain = trigger.text("tls") !== "enable";
  const tls = awsIam === undefined && isPlain ? false : undefined;
  return {
    parameters: onlySet({
      address: trigger.required("bootstrapServers"),
      group: trigger.required("consumerGroup"),
      topics,
      partitions: trigger.text("partitionLimitation"),
      offsetResetPolicy: trigger.text("offsetResetPolicy"),
      lagThreshold: allowIdleConsumers === undefined ? numeric(lagThreshold) : undefined,
      allowIdleConsumers,
      limitToPartitionsWithLag: allowIdleConsumers === undefined ? isSet("limitToPartitionsWithLag") : undefined,
      awsIam,
      tls,
    }),
    target: lagThreshold,
  };
}
