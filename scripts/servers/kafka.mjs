import { mavenProgram } from "./maven.mjs";

/**
 * The path of a program that runs a class of Kafka's server or tools, by name.
 * @returns {Promise<Record<string, string>>}
 */
export async function kafkaServer() {
  const kafka = await mavenProgram({
    ...{ title: "Kafka", folder: "kafka", program: "kafka", version: "4.1.0" },
    ...{ group: "org.apache.kafka", artifacts: ["kafka_2.13", "kafka-tools"] },
    command: (libs) => `-Xmx400m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '${libs}/*'`,
  });
  return kafka === undefined ? {} : { kafka };
}
