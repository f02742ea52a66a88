import { mavenProgram } from "./maven.mjs";

const main = "com.amazonaws.services.dynamodbv2.local.main.ServerRunner -inMemory -disableTelemetry";

/**
 * The path of a program that runs DynamoDB Local, AWS's own: the judge of transactions, which moto has only in part.
 * @returns {Promise<Record<string, string>>}
 */
export async function dynamodbServer() {
  const dynamodbLocal = await mavenProgram({
    ...{ title: "DynamoDB Local", folder: "dynamodb-local", program: "dynamodb-local", version: "2.6.0" },
    ...{ group: "com.amazonaws", artifacts: ["DynamoDBLocal"] },
    command: (libs) =>
      `-Xmx300m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.library.path='${libs}' -cp '${libs}/*' ${main}`,
  });
  return dynamodbLocal === undefined ? {} : { dynamodbLocal };
}
