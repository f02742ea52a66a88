import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { onPath, script } from "./debian.mjs";
import { runStep } from "./step.mjs";

const kafkaVersion = "4.1.0";

const advice = "Java 17 and Maven run Kafka (Debian: apt-get install default-jre-headless maven).";

/** Kafka's server, and its tools. */
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ebb</groupId>
  <artifactId>servers</artifactId>
  <version>1</version>
  <dependencies>
${["kafka_2.13", "kafka-tools"].map(dependency).join("\n")}
  </dependencies>
</project>
`;

function dependency(artifact) {
  return `    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${kafkaVersion}</version>
    </dependency>`;
}

/**
 * The path of a program that runs a class of Kafka, by name, from Maven's packages in the cache. A machine without Java
 * or Maven goes without: only the suite of Kafka fails then.
 * @returns {Promise<Record<string, string>>}
 */
export async function kafkaServer() {
  const folder = join(cacheFolder, "kafka", kafkaVersion);
  const kafka = join(folder, "kafka");
  if (await isExecutable(kafka)) return { kafka };
  const [java, maven] = await Promise.all(["java", "mvn"].map(onPath));
  if (java === undefined || maven === undefined) {
    console.log(`servers: no Kafka: ${advice}`);
    return {};
  }
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await writeFile(join(partial, "pom.xml"), pom);
  const args = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${join(partial, "libs")}`];
  await runStep({ name: "download Kafka", command: maven, args, cwd: partial });
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
  const options = "-Xmx400m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC";
  await script(kafka, `exec '${java}' ${options} -cp '${join(folder, "libs")}/*' "$@"`);
  return { kafka };
}
