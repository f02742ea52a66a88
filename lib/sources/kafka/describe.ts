import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedTcpFields } from "../fields/tcp-fields";
import { kafkaFields } from "./fields";
import { parseKafkaQuery } from "./kafka-query";
import { fromApacheKafka, fromKafka } from "./keda";
import { kafka } from "./kind";

export const describedKafka = describeKind(kafka, kafkaFields, {
  summary: "How many messages of Kafka a consumer group has still to do.",
  parameters: {
    address: "A broker as host:port, or several with commas. They name the others. Required, except with via.",
    group: "The consumer group. Required.",
    topics: "A topic, or several with commas. Default: those that the group has committed offsets of.",
    topicPrefix: "In place of topics: the beginning of their names.",
    partitions: "Which partitions count, such as 0,2,4-7. Default: all.",
    offsetResetPolicy:
      "Where the group begins in a partition without a committed offset, as its consumers say: earliest, latest, or none (an error). Default latest.",
    lagThreshold:
      "The lag of one replica, as in the metric's target. The value is at most this for each partition. Required, except with allowIdleConsumers.",
    allowIdleConsumers: "Whether there may be more replicas than partitions. Default false.",
    limitToPartitionsWithLag: "Whether only partitions with lag count for the most replicas. Default false.",
    excludePersistentLagAfterSeconds:
      "After how many seconds without a commit a partition's lag asks for no replicas. All such lag together then counts as that of one replica at most. Default: never.",
    awsIam: "Whether the function's role in AWS is the user, for Amazon MSK. Default false.",
    ...describedTcpFields,
  },
  parse: parseKafkaQuery,
  example: { address: "kafka.example.com:9093", group: "invoices", topics: "orders", lagThreshold: 50 },
  averageValue: "50",
  advice: row`check that kafka-consumer-groups --describe shows the group at this address, and that the user may describe the group and the topics`,
  iam: [],
  keda: { kafka: fromKafka, "apache-kafka": fromApacheKafka },
});
