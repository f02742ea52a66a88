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
    address: "A broker as host:port, or several with commas. Required, except with via.",
    group: "The consumer group. Required.",
    topics: "A topic, or several with commas. Default: those that the group has committed.",
    topicPrefix: "The beginning of topics' names.",
    partitions: "Which partitions count, such as 0,2,4-7. Default: all.",
    offsetResetPolicy: "Where the consumers begin without a committed offset; none is an error. Default latest.",
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
  keda: { kafka: fromKafka, "apache-kafka": fromApacheKafka },
});
