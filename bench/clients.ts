import { DynamoDBClient, QueryCommand as SdkQuery } from "@aws-sdk/client-dynamodb";
import { GetQueueAttributesCommand as SdkAttributes, SQSClient } from "@aws-sdk/client-sqs";
import { openSqsClients } from "../lib/aws/clients";
import { QueryCommand } from "../lib/aws/http/dynamodb-commands";
import { GetQueueAttributesCommand } from "../lib/aws/http/sqs-commands";
import { dynamoClient } from "../lib/table/client";
import { awsBackend, putItems, serveAws, startAwsBackend, table } from "./harness/aws-backend";
import { entriesOf } from "./harness/ebb";
import { runBench } from "./harness/backend-process";
import { access } from "./harness/deployment";
import { type Fleet, nameOf } from "./harness/fleet";
import { writeReport } from "./harness/report";

/**
 * CPU time of the SDK's clients and of ebb's own, in this process, for the same requests to the same backend in another
 * one: reading queues, 32 at a time, and pages of entries.
 */
const fleet: Fleet = { name: "1,000 External", count: 1_000, periodSeconds: 15 };
const atATime = 32;
const runs = 3;

interface Case {
  readonly what: string;
  readonly requests: number;
  /** How much of the SDK's CPU time the light client takes, at most, in the best of three runs. */
  readonly mostShare: number;
  readonly sdk: (index: number) => Promise<number>;
  readonly light: (index: number) => Promise<number>;
}

function casesOn(endpoint: string): readonly Case[] {
  const sqs = new SQSClient({ ...access, endpoint });
  const lightSqs = openSqsClients({ ...access, endpoint })();
  const dynamo = new DynamoDBClient({ ...access, endpoint });
  const lightDynamo = dynamoClient({ ...access, endpoint });
  const attributes = (index: number) => ({
    QueueUrl: `${endpoint}/123456789012/${nameOf(index % fleet.count)}`,
    AttributeNames: ["ApproximateNumberOfMessages" as const, "ApproximateNumberOfMessagesNotVisible" as const],
  });
  const page = {
    TableName: table,
    KeyConditionExpression: "#pk = :pk AND #sk BETWEEN :low AND :high",
    ExpressionAttributeNames: { "#pk": "pk", "#sk": "sk" },
    ExpressionAttributeValues: { ":pk": { S: "CLUSTER#bench" }, ":low": { S: "HPA#" }, ":high": { S: "HPA#~" } },
    ConsistentRead: true,
  };
  return [
    {
      ...{ what: "GetQueueAttributes", requests: 2_000, mostShare: 1 / 3 },
      sdk: async (index) => Object.keys((await sqs.send(new SdkAttributes(attributes(index)))).Attributes ?? {}).length,
      light: async (index) =>
        Object.keys((await lightSqs.send(new GetQueueAttributesCommand(attributes(index)))).Attributes ?? {}).length,
    },
    {
      ...{ what: "Query, a page of 1,000 entries", requests: 20, mostShare: 1 / 3 },
      sdk: async () => (await dynamo.send(new SdkQuery(page))).Items?.length ?? 0,
      light: async () => (await lightDynamo.send(new QueryCommand(page))).Items?.length ?? 0,
    },
  ];
}

/** @returns milliseconds of CPU time. @throws Error if the two clients do not get as much. */
async function cpuOf(requests: number, ask: (index: number) => Promise<number>, expected?: number) {
  const before = process.cpuUsage();
  let next = 0;
  let got = 0;
  const work = async () => {
    while (next < requests) {
      const values = await ask(next++);
      got += values;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, requests) }, work));
  const { user, system } = process.cpuUsage(before);
  if (got === 0 || (expected !== undefined && got !== expected))
    throw new Error(`expected ${expected ?? "some"} values from both clients, got ${got}`);
  return { ms: (user + system) / 1_000, got };
}

async function main(): Promise<void> {
  const aws = await startAwsBackend();
  try {
    const filling = dynamoClient({ ...access, endpoint: aws.endpoint });
    await putItems(filling, table, entriesOf(fleet));
    const results = [];
    for (const { what, requests, mostShare, sdk, light } of casesOn(aws.endpoint)) {
      await cpuOf(requests, sdk); // until V8 has compiled both
      await cpuOf(requests, light);
      const figures: { readonly sdk: number; readonly light: number }[] = [];
      for (let run = 0; run < runs; run++) {
        const of = await cpuOf(requests, sdk);
        figures.push({ sdk: of.ms, light: (await cpuOf(requests, light, of.got)).ms });
      }
      const isMet = figures.some((run) => run.light / run.sdk <= mostShare);
      const shares = figures.map((run) => (run.light / run.sdk).toFixed(2)).join(", ");
      const best = figures.map((run) => `${run.sdk.toFixed(0)} and ${run.light.toFixed(0)} ms`).join(", ");
      console.log(`${requests} × ${what}: the SDK's client and ours took ${best}`);
      console.log(`  ours takes ${shares} of the SDK's; at most ${mostShare.toFixed(2)}: ${isMet ? "met" : "FAILED"}`);
      results.push({ what, requests, figures, mostShare, isMet });
    }
    writeReport("clients", { results });
    if (results.some(({ isMet }) => !isMet)) process.exitCode = 1;
  } finally {
    await aws.stop();
  }
  process.exit(); // the clients keep their connections
}

runBench(main, { [awsBackend]: () => serveAws() });
