import { BatchWriteItemCommand } from "../../lib/aws/dynamodb-commands";
import { encodeQueueMessage } from "../../lib/model/messages";
import { dynamoClient } from "../../lib/table/client";
import { toItem } from "../../lib/table/items/attributes";
import { clusterKey, hpaItemKey } from "../../lib/table/items/keys";
import { openStore } from "../../lib/table/store";
import type { ApiServer } from "../../test/e2e/servers/api-server";
import { ebbSecret } from "../../test/e2e/servers/entries";
import { type LogLine, startFunction } from "../../test/e2e/servers/functions";
import type { AwsFarEnd } from "./aws-far-end";
import { nameOf, namespace, specOf } from "./fleet";
import { processOf } from "./processes";
import type { Side } from "./side";

const cluster = "bench";
const table = "ebb";
const region = "eu-central-1";
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
const periodMs = 15_000;
/** serverless.yml's for production. */
const memory = "1024";

/** The packaged sync function in a process of its own, with an entry for each HPA in the table. A round is a slot. */
export async function startEbb(apiServer: ApiServer, aws: AwsFarEnd, count: number): Promise<Side> {
  await aws.setSecret(ebbSecret(apiServer));
  await fillTable(apiServer, aws, count);
  const sync = startFunction("sync", {
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memory,
    TABLE_NAME: table,
    QUEUE_URL: `${aws.endpoint}/123456789012/slots`,
    POWERTOOLS_METRICS_NAMESPACE: "ebb",
    ALLOWED_HOSTS: new URL(apiServer.endpoint).hostname,
  });
  return {
    pid: processOf("function-host.mjs"),
    setLoad: (load) => aws.setLoad(load),
    async round() {
      const known = sync.lines.length;
      const slot = Date.now();
      const from = performance.now();
      const body = encodeQueueMessage({ cluster, from: "", slot, until: slot + periodMs });
      await sync.invoke({ Records: [{ messageId: "slot", body, eventSource: "aws:sqs" }] });
      const to = performance.now();
      requireSynced(sync.lines.slice(known), count);
      return { from, to };
    },
    stop: () => sync.stop(),
  };
}

function requireSynced(lines: readonly LogLine[], count: number): void {
  const { HpasSynced, Failures } = lines.find((line) => "HpasSynced" in line) ?? {};
  if (HpasSynced === count && Failures === 0) return;
  throw new Error(`expected ${count} HPAs synced and none failed, got ${JSON.stringify(lines.slice(-5))}`);
}

async function fillTable(apiServer: ApiServer, { endpoint }: AwsFarEnd, count: number): Promise<void> {
  const client = dynamoClient({ endpoint, region, credentials });
  const { endpoint: address, certificateAuthorityData } = apiServer;
  const auth = { type: "token", secret: "ebb/bench" };
  const entries = Array.from({ length: count }, (_, index) => {
    const name = nameOf(index);
    const metadata = { name, namespace };
    const document = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata };
    return { ...hpaItemKey(cluster, `${namespace}/${name}`), ...document, spec: specOf(name, "sqs") };
  });
  const items = [{ ...clusterKey(cluster), spec: { endpoint: address, certificateAuthorityData, auth } }, ...entries];
  for (let at = 0; at < items.length; at += 25) {
    const puts = items.slice(at, at + 25).map((item) => ({ PutRequest: { Item: toItem(item) } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts } }));
  }
  const store = openStore({ client, table, now: Date.now });
  const shard = { ...{ cluster, from: "", to: null, version: 1, slot: 0, heartbeat: 0 }, behind: {}, entries: count };
  await store.createShard(shard, AbortSignal.timeout(5_000));
  client.destroy();
}
