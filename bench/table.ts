import { aroundCalls } from "../test/aws/around";
import { type HpaKey } from "../lib/model/hpa-key";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DynamoClient, PutItemCommand } from "../lib/aws/json/dynamodb-commands";
import type { LatestValues } from "../lib/model/stored/latest";
import { hashOfRange } from "../lib/model/stored/queue-index";
import type { State } from "../lib/model/stored/state";
import { indexOf, readsOf } from "../lib/sync/wake/write-queue-index";
import { toItem } from "../lib/table/items/attributes";
import { itemBytes } from "../lib/table/item-size";
import { hpaItemKey } from "../lib/table/items/keys";
import { encodeIndex } from "../lib/table/items/index-item";
import { encodeLatest } from "../lib/table/items/latest-item";
import { encodeShard } from "../lib/table/items/shard-item";
import { encodeState } from "../lib/table/items/state-item";
import { openStore } from "../lib/table/store";
import { type Random, seededRandom } from "../local/random";
import { openEmbeddedTable } from "../local/table/embedded-table";

/**
 * Requests to the table, and the capacity units that DynamoDB would bill, as dynalite counts them. A page of dynalite
 * is a little larger than one of the service (dynalite counts an attribute name as one byte): 1,000 states of 1.2 KB
 * are one page here, and two in the service.
 */
const cluster = "prod";
const at = Date.parse("2026-03-01T12:00:00Z");
const signal = AbortSignal.timeout(300_000);

const key = (index: number): HpaKey => `shop/worker-${String(index).padStart(5, "0")}`;

function hpaDocument(index: number): object {
  const name = key(index).split("/")[1];
  return {
    metadata: {
      labels: { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "shop", team: "orders" },
      annotations: {
        "example.com/owner": "orders@example.com",
        description: "Consumers of the orders queue. ".repeat(10),
      },
    },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 0,
      maxReplicas: 20,
      metrics: [
        {
          type: "External",
          external: {
            metric: { name: "sqs", selector: { matchLabels: { queue: name, region: "eu-central-1" } } },
            target: { type: "AverageValue", averageValue: "5" },
          },
        },
      ],
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 300, policies: [{ type: "Percent", value: 50, periodSeconds: 60 }] },
      },
    },
  };
}

function state(index: number): State {
  const condition = { status: "True" as const, lastTransitionTime: new Date(at).toISOString() };
  return {
    version: 1,
    slot: at,
    targetUid: `b9a1f0c2-6d0e-4d0b-9a53-${String(index).padStart(12, "0")}`,
    status: {
      currentReplicas: 3,
      desiredReplicas: 3,
      lastScaleTime: new Date(at).toISOString(),
      currentMetrics: [
        {
          type: "External",
          external: {
            metric: { name: "sqs", selector: { matchLabels: { queue: `worker-${index}`, region: "eu-central-1" } } },
            current: { averageValue: "4333m" },
          },
        },
      ],
      conditions: [
        {
          ...condition,
          type: "AbleToScale",
          reason: "ScaleDownStabilized",
          message: "recent recommendations were higher than current one, applying the highest recent recommendation",
        },
        {
          ...condition,
          type: "ScalingActive",
          reason: "ValidMetricFound",
          message: `the HPA was able to successfully calculate a replica count from external metric sqs(&LabelSelector{MatchLabels:map[string]string{queue: worker-${index},},MatchExpressions:[]LabelSelectorRequirement{},})`,
        },
        {
          ...condition,
          type: "ScalingLimited",
          reason: "DesiredWithinRange",
          message: "the desired count is within the acceptable range",
        },
      ],
    },
    history: {
      recommendations: [
        { replicas: 3, since: at - 60_000, at: at - 15_000 },
        { replicas: 2, since: at, at },
      ],
      scaleUpEvents: [{ change: 3, at: at - 60_000 }],
      scaleDownEvents: [],
    },
    open: true,
    selector: `app=worker-${index}`,
    decision: { at, from: 3, desiredReplicas: 3, steps: steps(index) },
    recorded: { at, desiredReplicas: 3, limitedBy: ["ScaleDownStabilized"] },
  };
}

/** The steps of a size that stays, as the sync stores them. */
function steps(index: number): NonNullable<State["decision"]>["steps"] {
  const selector = `&LabelSelector{MatchLabels:map[string]string{queue: worker-${index},},MatchExpressions:[]LabelSelectorRequirement{},}`;
  const name = `external metric sqs(${selector})`;
  const held = { window: 300, heldBy: 3, heldSince: at - 60_000, lastSeen: at - 15_000, until: at + 285_000, then: 2 };
  return [
    {
      stage: "metric",
      replicas: 2,
      because: `${name}: the total divided by the target of one pod`,
      detail: { name, value: "8", averageValue: "2667m", target: "5", ratio: 0.5333333333333333 },
    },
    { stage: "combine", replicas: 2, because: `the highest of 1: ${name}`, detail: { blind: 0 } },
    {
      stage: "stabilize",
      replicas: 3,
      limitedBy: "ScaleDownStabilized",
      because: "recent recommendations were higher than current one, applying the highest recent recommendation",
      detail: held,
    },
    { stage: "limitRate", replicas: 3, because: "within the rates and bounds" },
    { stage: "decide", replicas: 3, because: "3 replicas are right" },
  ];
}

/** A state's values after they have moved: nothing of one HPA is as another's. */
function moved(index: number, random: Random): LatestValues {
  const { version, status, decision } = state(index);
  const total = Math.floor(random.next() * 1_000);
  const average = `${Math.ceil((total * 1_000) / 3)}m`;
  const since = at - Math.floor(random.next() * 3_600_000);
  const text = JSON.stringify({ version, status, decision })
    .replaceAll("4333m", average)
    .replaceAll("2667m", average)
    .replaceAll('"value":"8"', `"value":"${total}"`)
    .replaceAll("0.5333333333333333", String(total / 15))
    .replaceAll(new Date(at).toISOString(), new Date(since).toISOString())
    .replaceAll(String(at - 60_000), String(since));
  return JSON.parse(text) as LatestValues;
}

/** Of an HPA, in the item of latest values. */
const mostLatestBytes = 80;

function measureLatest(): void {
  const random = seededRandom(1);
  for (const hpas of [1, 100, 1_000, 2_000]) {
    const latest = Object.fromEntries(Array.from({ length: hpas }, (_, index) => [key(index), moved(index, random)]));
    const startedAt = process.cpuUsage();
    const bytes = itemBytes(encodeLatest({ cluster, from: "" }, latest, at));
    const ms = process.cpuUsage(startedAt).user / 1_000;
    const units = Math.ceil(bytes / 1_024);
    const json = Buffer.byteLength(JSON.stringify(latest));
    console.log(
      `latest values of ${hpas} HPAs: ${units} write units a minute (${(bytes / hpas).toFixed(0)} bytes an HPA of ${(json / hpas).toFixed(0)} as JSON), ${ms.toFixed(0)} ms of CPU time`,
    );
    if (hpas >= 1_000 && bytes > hpas * mostLatestBytes) {
      console.error(`latest values of ${hpas} HPAs: expected at most ${mostLatestBytes} bytes an HPA`);
      process.exitCode = 1;
    }
  }
}

/** An index of a shard, and the SHARD item that names it: no more than one write unit in a slot. */
const most = { indexUnits: 16, shardBytes: 1_024 };

/** It is written when queues of its HPAs change, and once a day. Any other slot writes the SHARD item alone. */
function measureIndex(): void {
  for (const hpas of [1, 100, 1_000]) {
    const listed = Array.from({ length: hpas }, (_, index) => ({ key: key(index), document: hpaDocument(index) }));
    const range = { cluster, from: "", to: null };
    const index = indexOf(readsOf(listed, []));
    const item = encodeIndex(range, index, at);
    if (item === undefined) throw new Error(`expected the index of ${hpas} HPAs to fit into an item`);
    const units = Math.ceil(itemBytes(item) / 1_024);
    const inClear = Object.fromEntries(Object.entries(item).filter(([name]) => name !== "packed"));
    const mark = { hash: index.hash, range: hashOfRange(range), at };
    const shard = { ...range, version: 1, slot: at, heartbeat: at, behind: {}, entries: hpas };
    const shardBytes = itemBytes(encodeShard({ ...shard, index: { version: 1, since: 1, mark } }));
    console.log(
      `index of ${hpas} HPAs: ${units} write units at a change and once a day, none in other slots (its SHARD item has ${shardBytes} bytes, ${itemBytes(encodeShard(shard))} without it); ` +
        `a wake reads ${Math.ceil(itemBytes(item) / 4_096)} units and gets ${itemBytes(inClear)} bytes`,
    );
    if (units <= most.indexUnits && shardBytes <= most.shardBytes) continue;
    console.error(
      `index of ${hpas} HPAs: expected at most ${most.indexUnits} units, and ${most.shardBytes} bytes a SHARD`,
    );
    process.exitCode = 1;
  }
}

interface Use {
  requests: number;
  units: number;
}

/** From now on, asks for the consumed capacity with every request, and adds it up. */
function countUse(client: DynamoClient): Use {
  const use = { requests: 0, units: 0 };
  aroundCalls(client, async (next, { input }) => {
    Object.assign(input, { ReturnConsumedCapacity: "TOTAL" });
    const answer = (await next()) as { ConsumedCapacity?: { CapacityUnits?: number } };
    use.requests++;
    use.units += answer.ConsumedCapacity?.CapacityUnits ?? 0;
    return answer;
  });
  return use;
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "ebb-bench-"));
  const embedded = await openEmbeddedTable({ directory });
  const { client, table } = embedded;
  const store = openStore({ client, table, now: () => at });
  const entryBytes = itemBytes(toItem({ ...hpaItemKey(cluster, key(0)), ...hpaDocument(0) }));
  const stateBytes = itemBytes(encodeState(cluster, key(0), state(0)));
  console.log(`an HPA entry of ${entryBytes} bytes, a state of ${stateBytes} bytes`);
  let written = 0;
  for (const hpas of [1, 100, 1000]) {
    for (; written < hpas; written++) {
      const Item = toItem({ ...hpaItemKey(cluster, key(written)), ...hpaDocument(written) });
      await client.send(new PutItemCommand({ TableName: table, Item }));
      await store.putState(cluster, key(written), state(written), signal);
    }
    const use = countUse(client);
    const { hpas: found } = await store.load({ cluster, from: "", to: null }, signal);
    if (found.length !== hpas) throw new Error(`expected ${hpas} HPAs, got ${found.length}`);
    const each = (use.units / hpas).toFixed(3);
    console.log(`load of ${hpas} HPAs: ${use.requests} requests, ${use.units} read units (${each} an HPA)`);
  }
  const use = countUse(client);
  await store.putState(cluster, key(0), { ...state(0), version: 2 }, signal);
  console.log(`a state written again: ${use.requests} request, ${use.units} write units`);
  measureLatest();
  measureIndex();
  await embedded.close();
  await rm(directory, { recursive: true });
}

void main();
