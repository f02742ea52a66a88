import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, isExecutable } from "./cache.mjs";
import { onPath, script } from "./debian.mjs";
import { runStep } from "./step.mjs";

const version = "2.6.0";

const advice = "Java 17 and Maven run DynamoDB Local (Debian: apt-get install default-jre-headless maven).";

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ebb</groupId>
  <artifactId>servers</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId>
      <artifactId>DynamoDBLocal</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`;

/**
 * The path of a program that runs DynamoDB Local, AWS's own: the judge of transactions, which moto has only in part. A
 * machine without Java or Maven goes without: only that suite fails then.
 * @returns {Promise<Record<string, string>>}
 */
export async function dynamodbServer() {
  const folder = join(cacheFolder, "dynamodb-local", version);
  const dynamodbLocal = join(folder, "dynamodb-local");
  if (await isExecutable(dynamodbLocal)) return { dynamodbLocal };
  const [java, maven] = await Promise.all(["java", "mvn"].map(onPath));
  if (java === undefined || maven === undefined) {
    console.log(`servers: no DynamoDB Local: ${advice}`);
    return {};
  }
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await writeFile(join(partial, "pom.xml"), pom);
  const args = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${join(partial, "libs")}`];
  await runStep({ name: "download DynamoDB Local", command: maven, args, cwd: partial });
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
  const libs = join(folder, "libs");
  const options = `-Xmx300m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.library.path='${libs}' -cp '${libs}/*'`;
  const main = "com.amazonaws.services.dynamodbv2.local.main.ServerRunner -inMemory -disableTelemetry";
  await script(dynamodbLocal, `exec '${java}' ${options} ${main} "$@"`);
  return { dynamodbLocal };
}
