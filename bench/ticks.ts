import { setTimeout as sleep } from "node:timers/promises";
import { openSlotQueue } from "../lib/aws/slot-queue";
import type { SqsClient } from "../lib/aws/http/sqs-commands";
import type { Shard } from "../lib/model/stored/shard";
import { tick } from "../lib/scheduler/tick";
import { toItem } from "../lib/table/items/attributes";
import { clusterKey, hpaItemKey } from "../lib/table/items/keys";
import { encodeShard } from "../lib/table/items/shard-item";
import { openStore } from "../lib/table/store";
import { aroundAttempts } from "../test/aws/around";
import { memoryDynamodb, memoryTableName } from "../test/fakes/memory-dynamodb";
import { putItems } from "./harness/aws-backend";
import { runBench } from "./harness/backend-process";
import { quiet } from "./harness/deployment";
import { judge, measureUntil } from "./harness/report";

/**
 * One tick over so many shards, on a table in memory that speaks DynamoDB's protocol, and a queue that answers after
 * 20 ms. Requests are counted; 1,000 shards have to fit ten seconds.
 */
const answerMs = 20;
const mostSeconds = 10;
const attempts = 5;
const minute = Date.parse("2026-03-01T12:00:00Z");
const now = () => minute + 5_000;
const { signal } = new AbortController();

interface Row {
  readonly clusters: number;
  readonly shards: number;
  readonly messages: number;
  readonly "requests to SQS": number;
  readonly "to the table": number;
  readonly "wall, s": number;
  readonly "CPU, s": number;
}

/** `entries`: HPAs of the first cluster, which has counted them in one shard. */
async function measure(shards: readonly Shard[], entries = 0): Promise<Row> {
  const table = memoryDynamodb();
  const clusters = [...new Set(shards.map(({ cluster }) => cluster))];
  const spec = { endpoint: "https://x.example", auth: { type: "token", secret: "ebb/x" } };
  const hpa = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "worker" }, maxReplicas: 10 };
  await putItems(table, memoryTableName, [
    ...clusters.map((name) => toItem({ ...clusterKey(name), spec })),
    ...shards.map(encodeShard),
    ...Array.from({ length: entries }, (_, index) =>
      toItem({ ...hpaItemKey(clusters[0] ?? "", `team-${index % 50}/worker-${index}`), spec: hpa }),
    ),
  ]);
  const counts = { table: 0, queue: 0 };
  aroundAttempts(table, (next) => ((counts.table += 1), next()));
  const client = { send: ({ input }: Sent) => ((counts.queue += 1), accepted(input)) } as unknown as SqsClient;
  const store = openStore({ client: table, table: memoryTableName, now });
  const queue = openSlotQueue({ client, queueUrl: "https://sqs.eu-west-1.amazonaws.com/123456789012/slots" });
  const [from, cpu] = [performance.now(), process.cpuUsage()];
  const ticked = await tick({ store, queue, reporter: quiet }, minute, { now, signal });
  const { user, system } = process.cpuUsage(cpu);
  return {
    ...{ clusters: ticked.clusters, shards: ticked.shards, messages: ticked.messages },
    ...{ "requests to SQS": counts.queue, "to the table": counts.table },
    ...{ "wall, s": round((performance.now() - from) / 1e3), "CPU, s": round((user + system) / 1e6) },
  };
}

interface Sent {
  readonly input: { readonly Entries: readonly { readonly Id: string }[] };
}

async function accepted({ Entries }: Sent["input"]): Promise<object> {
  await sleep(answerMs);
  return { Successful: Entries.map(({ Id }) => ({ Id })) };
}

const round = (seconds: number) => Math.round(seconds * 100) / 100;

const shard = (cluster: string, from = "", to: string | null = null, entries = 800): Shard => ({
  ...{ cluster, from, to, version: 1, slot: minute, heartbeat: minute, behind: {}, entries },
});

const inOneCluster = (count: number) => {
  const starts = Array.from({ length: count }, (_, at) =>
    at === 0 ? "" : `shop/worker-${String(at).padStart(6, "0")}`,
  );
  return starts.map((from, at) => shard("prod", from, starts[at + 1] ?? null));
};
const inClusters = (count: number) => Array.from({ length: count }, (_, at) => shard(`cluster-${at}`));

/** A shared machine may be busy: a tick that takes too long has more attempts. */
async function measureOften(...tick: Parameters<typeof measure>): Promise<Row | undefined> {
  const rows = await measureUntil(
    attempts,
    () => measure(...tick),
    (row) => row["wall, s"] <= mostSeconds,
  );
  return rows.at(-1);
}

async function main(): Promise<void> {
  const rows = {
    "10 shards": await measureOften(inOneCluster(10)),
    "100 shards": await measureOften(inOneCluster(100)),
    "1,000 shards": await measureOften(inOneCluster(1_000)),
    "1,000 clusters": await measureOften(inClusters(1_000)),
    "10,000 HPAs that are new": await measureOften([shard("prod", "", null, 10_000)], 10_000),
  };
  console.table(rows);
  for (const [name, row] of Object.entries(rows)) {
    if (row === undefined) continue;
    judge(`${name}: requests to SQS`, row["requests to SQS"], Math.ceil(row.messages / 10) + 1);
    judge(`${name}: wall`, row["wall, s"], mostSeconds, " s");
  }
}

runBench(main);
