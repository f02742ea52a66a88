import { onlySet } from "../../../../lib/sources/keda";
import type { SourceTrigger, TriggerReader } from "../trigger";

/** Settings of the connection. Its credentials are in a TriggerAuthentication. */
const connection = ["version", "sasl", "tls", "unsafeSsl", "saslTokenProvider", "awsRegion"];
const flags = [
  "allowIdleConsumers",
  "excludePersistentLag",
  "scaleToZeroOnInvalidOffset",
  "limitToPartitionsWithLag",
  "ensureEvenDistributionOfPartitions",
];

export function kafka(trigger: TriggerReader): SourceTrigger {
  trigger.activation("activationLagThreshold");
  const isSet = (name: string) => (trigger.flag(name, false) ? true : undefined);
  return {
    kind: "kafka",
    parameters: onlySet({
      brokers: trigger.required("bootstrapServers"),
      consumerGroup: trigger.required("consumerGroup"),
      topic: trigger.text("topic"),
      partitions: trigger.text("partitionLimitation"),
      offsetResetPolicy: trigger.text("offsetResetPolicy"),
      ...Object.fromEntries(flags.map((name) => [name, isSet(name)])),
      ...Object.fromEntries(connection.map((name) => [name, trigger.text(name)])),
    }),
    target: trigger.text("lagThreshold") ?? "10",
  };
}
