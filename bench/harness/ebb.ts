import { encodeQueueMessage } from "../../lib/model/messages";
import { dynamoClient } from "../../lib/table/client";
import { type Item, toItem } from "../../lib/table/items/attributes";
import { clusterKey, hpaItemKey } from "../../lib/table/items/keys";
import { openStore } from "../../lib/table/store";
import type { ApiServer } from "../../test/e2e/servers/api-server";
import { ebbSecret } from "../../test/e2e/servers/entries";
import { type LogLine, startFunction } from "../../test/e2e/servers/functions";
import { type AwsBackend, environmentOf, putItems, table } from "./aws-backend";
import { access } from "./deployment";
import { type Fleet, type Load, nameOf, namespaceOf, type Side, specOf } from "./fleet";
import type { MetricsApi } from "../rounds/metrics-api";
import { processOf } from "./processes";

const cluster = "bench";
const periodMs = 15_000;
/** serverless.yml's for production. */
const productionMegabytes = 1024;

/** The API server, real or not, as entries name it. */
export type Address = Pick<ApiServer, "endpoint" | "certificateAuthorityData" | "ebbToken">;

export interface EbbBackends {
  readonly aws: AwsBackend;
  readonly metrics: Pick<MetricsApi, "group" | "asked"> & { setLoad(load: Load): unknown };
}

export interface EbbOptions {
  /** Of the function; default: production's. */
  readonly megabytes?: number;
  /** NODE_OPTIONS. */
  readonly nodeOptions?: string;
  /** Shards that one invocation syncs; default: all. */
  readonly shardsAtOnce?: number;
}

/**
 * The packaged sync function in a process of its own, with an entry for each HPA in the table. A round is a slot of all
 * shards.
 */
export async function startEbb(
  apiServer: Address,
  { aws, metrics }: EbbBackends,
  fleet: Fleet,
  { megabytes = productionMegabytes, nodeOptions, shardsAtOnce = Infinity }: EbbOptions = {},
): Promise<Side> {
  await aws.setSecret(ebbSecret(apiServer));
  await fillTable(apiServer, aws, fleet);
  const sync = startFunction("sync", {
    ...environmentOf(aws.endpoint, megabytes),
    ...(nodeOptions !== undefined && { NODE_OPTIONS: nodeOptions }),
    TABLE_STREAM: "true",
    ALLOWED_HOSTS: new URL(apiServer.endpoint).hostname,
  });
  const shards = shardsOf(fleet);
  return {
    pid: processOf("function-host.mjs"),
    async setLoad(load) {
      await aws.setLoad(load);
      if (fleet.pods !== undefined) await metrics.setLoad(load);
    },
    async round() {
      const known = sync.lines.length;
      const from = performance.now();
      for (let first = 0; first < shards.length; first += shardsAtOnce) {
        const slot = Date.now();
        const until = slot + periodMs;
        const some = shards.slice(first, first + shardsAtOnce);
        const bodies = some.map((shard) => encodeQueueMessage({ cluster, from: shard, slot, until }));
        const records = bodies.map((body, at) => ({ messageId: `${at}`, body, eventSource: "aws:sqs" }));
        await sync.invoke({ Records: records });
      }
      const to = performance.now();
      const missed = missedIn(sync.lines.slice(known), fleet.count);
      const passedOn = { [`GET ${metrics.group}`]: metrics.asked.splice(0).length };
      return { from, to, missed, passedOn };
    },
    stop: () => sync.stop(),
  };
}

/** A slot ends with those that it did not reach; the next one begins with them. Nothing else may fail. */
function missedIn(lines: readonly LogLine[], count: number): number {
  const sum = (name: string) =>
    lines.flatMap((line) => line[name] ?? []).reduce<number>((total, value) => total + Number(value), 0);
  const missed = sum("HpasBehind");
  const failure = lines.find(({ level, reason }) => level === "WARN" && reason !== "OutOfTime");
  // An HPA that was reached and has no time left to write its state is behind, and no failure.
  if (sum("HpasSynced") === count && failure === undefined && sum("Failures") <= missed) return missed;
  throw new Error(`expected ${count} HPAs synced and none failed, got ${JSON.stringify(failure ?? lines.at(-1))}`);
}

async function fillTable(apiServer: Address, { endpoint }: AwsBackend, fleet: Fleet): Promise<void> {
  const client = dynamoClient({ ...access, endpoint });
  const { endpoint: address, certificateAuthorityData } = apiServer;
  const auth = { type: "token", secret: "ebb/bench" };
  const clusterItem = toItem({ ...clusterKey(cluster), spec: { endpoint: address, certificateAuthorityData, auth } });
  await putItems(client, table, [clusterItem, ...entriesOf(fleet)]);
  const store = openStore({ client, table, now: Date.now });
  const shards = shardsOf(fleet);
  for (const [at, from] of shards.entries()) {
    const range = { cluster, from, to: shards[at + 1] ?? null };
    const shard = { ...range, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: perShardOf(fleet) };
    await store.createShard(shard, AbortSignal.timeout(5_000));
  }
  client.destroy();
}

/** The items of the fleet's HPAs. */
export function entriesOf(fleet: Fleet): readonly Item[] {
  return Array.from({ length: fleet.count }, (_, index) => {
    const name = nameOf(index);
    const namespace = namespaceOf(fleet, index);
    const metadata = { name, namespace };
    const document = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata };
    return toItem({ ...hpaItemKey(cluster, `${namespace}/${name}`), ...document, spec: specOf(fleet, name, "sqs") });
  });
}

const perShardOf = ({ perShard = 1_000 }: Fleet) => perShard;

/** The first key of each shard. */
function shardsOf(fleet: Fleet): readonly string[] {
  const perShard = perShardOf(fleet);
  const starts = Array.from({ length: Math.ceil(fleet.count / perShard) }, (_, at) => at * perShard);
  return starts.map((start) => (start === 0 ? "" : `${namespaceOf(fleet, start)}/${nameOf(start)}`));
}
