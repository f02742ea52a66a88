import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onThisMachine } from "../lib/net/address";
import { boundSecret } from "../test/cluster/connect";
import { openClusters } from "../lib/cluster/clusters";
import { openSqsClients } from "../lib/aws/clients";
import { aroundAttempts } from "../test/aws/around";
import { sourcesOver } from "../compose";
import { openEventRecorder } from "../lib/sync/events/event-recorder";
import { syncShard } from "../lib/sync/slot/sync-shard";
import { syncWoken } from "../lib/sync/wake/sync-woken";
import { openStore } from "../lib/table/store";
import { putCluster, putHpa } from "../local/entries";
import { realClock } from "../local/clock";
import { startSimulatedCluster } from "../local/kubernetes/cluster";
import { deployments } from "../local/kubernetes/resources/kinds";
import { seededRandom } from "../local/random";
import { createAccount } from "../local/sqs/account";
import { startSqsServer } from "../local/sqs/server";
import { openEmbeddedTable } from "../local/table/embedded-table";

/**
 * Counts the requests of one sync at the API server, the table's client and the queues' client, for 1, 100 and 1,000
 * HPAs with a queue each: in the first sync (states are new), when idle, when only depths change, when every HPA
 * scales, and when every HPA fails.
 */
const namespace = "shop";
const periodMs = 15_000;

interface Counts {
  cluster: number;
  table: number;
  queues: number;
}

async function measure(hpas: number): Promise<void> {
  const counts: Counts = { cluster: 0, table: 0, queues: 0 };
  const directory = mkdtempSync(join(tmpdir(), "ebb-bench-"));
  const clock = realClock();
  const account = createAccount({ clock, random: seededRandom(1) });
  const sqs = await startSqsServer(account);
  const cluster = await startSimulatedCluster({
    clock,
    namespaces: [namespace],
    controllers: false,
    intercept: () => {
      counts.cluster += 1;
      return false;
    },
  });
  const embedded = await openEmbeddedTable({ directory });
  const table = { client: embedded.client, name: embedded.table };
  const clusters = openClusters({
    secrets: () => Promise.resolve(boundSecret(cluster, { token: cluster.adminToken })),
    awsCredentials: () => Promise.resolve(credentials),
    now: () => Date.now(),
    addresses: onThisMachine,
  });
  try {
    const { endpoint, certificateAuthorityData } = cluster;
    await putCluster(table, "prod", {
      endpoint,
      certificateAuthorityData,
      auth: { type: "token", secret: "ebb/prod" },
    });
    for (let i = 0; i < hpas; i++) {
      const name = `consumer-${String(i).padStart(4, "0")}`;
      account.create(name, {});
      cluster.api.create({ resource: deployments, namespace }, deployment(name));
      // One pod runs: without pods, there is no average to change.
      const status = { resource: deployments, namespace, name, subresource: "status" } as const;
      cluster.api.patch(status, { status: { replicas: 1 } }, "application/merge-patch+json");
      await putHpa(table, "prod", hpa(name));
    }
    aroundAttempts(embedded.client, (next) => ((counts.table += 1), next()));
    const client = openSqsClients({ endpoint: sqs.endpoint, region: account.region, credentials: sqs.credential })();
    aroundAttempts(client, (next) => ((counts.queues += 1), next()));

    const store = openStore({ client: embedded.client, table: embedded.table, now: () => Date.now() });
    const signal = new AbortController().signal;
    await store.createShard(
      { cluster: "prod", from: "", to: null, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 },
      signal,
    );
    const clients = {
      sqs: () => client,
      cloudwatch: {}, // not asked in this bench
    };
    const sources = sourcesOver(clients, { now: () => Date.now(), addresses: onThisMachine });
    let mayFail = false;
    const failed = (line: Failure) => void (mayFail || fail(line));
    const quiet = { scaled() {}, failed, recovered() {}, synced() {}, ticked() {} };
    const events = openEventRecorder({ store, reporter: quiet });

    const first = Math.floor(Date.now() / periodMs) * periodMs;
    const rows: Row[] = [];
    for (const [index, { name, messages }] of phases.entries()) {
      if (name === "begins to fail") for (const queue of account.list()) account.remove(queue.name);
      mayFail ||= name === "begins to fail";
      for (const queue of account.list()) for (let i = 0; i < messages; i++) queue.send("work");
      const slot = first + index * periodMs;
      Object.assign(counts, { cluster: 0, table: 0, queues: 0 });
      const startedAt = performance.now();
      const result = await syncShard(
        { store, clusters, sources, reporter: quiet, events },
        { cluster: "prod", from: "", slot, until: slot + periodMs },
        { now: () => slot - 55_000, workedMs: () => 0, deadline: slot + periodMs, signal }, // a slow clock leaves time for a slow machine
      );
      if (name !== "")
        rows.push({ name, counts: { ...counts }, ms: performance.now() - startedAt, scaled: result.scaled });
    }

    // One HPA changes while all others rest: its wake, and the next slot.
    for (let i = 0; i < hpas; i++) account.create(`consumer-${String(i).padStart(4, "0")}`, {});
    const name = "consumer-0000";
    const calm = 60; // slots, until all windows have passed and nothing is left to scale down
    const rest = first + (phases.length + calm) * periodMs;
    const ports = { store, clusters, sources, reporter: quiet, events };
    const wokenAt = rest + 5_000;
    const context = (at: number) => ({ now: () => at, workedMs: () => 0, deadline: at + 100 * periodMs, signal });
    const settled = { cluster: "prod", from: "", slot: rest, until: rest + 100 * periodMs };
    for (let before = calm; before >= 0; before -= 20) {
      const slot = rest - before * periodMs;
      await syncShard(ports, { ...settled, slot }, context(slot));
    }
    await putHpa(table, "prod", { ...hpa(name), spec: { ...hpa(name).spec, maxReplicas: 2 } });
    Object.assign(counts, { cluster: 0, table: 0, queues: 0 });
    let startedAt = performance.now();
    const [woken] = await syncWoken(
      ports,
      { cluster: "prod", namespace, names: [name], at: wokenAt },
      context(wokenAt),
    );
    rows.push({
      name: "one is woken",
      counts: { ...counts },
      ms: performance.now() - startedAt,
      scaled: woken?.scaled ?? 0,
    });
    Object.assign(counts, { cluster: 0, table: 0, queues: 0 });
    startedAt = performance.now();
    const after = { ...settled, slot: rest + periodMs };
    const { scaled } = await syncShard(ports, after, context(after.slot));
    rows.push({ name: "the slot after", counts: { ...counts }, ms: performance.now() - startedAt, scaled });
    print(hpas, rows);
  } finally {
    clusters.close();
    await Promise.all([cluster.close(), sqs.close(), embedded.close()]);
    clock.close();
    rmSync(directory, { recursive: true });
  }
}

/** New messages in every queue before each slot. One replica takes five: depths of 1 to 5 change no replica count. */
const phases = [
  { name: "first sync", messages: 1 },
  { name: "idle sync", messages: 0 },
  { name: "depth moves", messages: 1 },
  { name: "depth moves", messages: 1 },
  { name: "moves, 1 min on", messages: 1 },
  { name: "depth moves", messages: 1 },
  { name: "every HPA scales", messages: 10 },
  { name: "begins to fail", messages: 0 },
  { name: "fails on", messages: 0 },
  // Not shown: after these slots, the spam filter drops most events of a failing HPA.
  ...Array.from({ length: 16 }, () => ({ name: "", messages: 0 })),
  { name: "fails steadily", messages: 0 },
];

interface Row {
  readonly name: string;
  readonly counts: Counts;
  readonly ms: number;
  readonly scaled: number;
}

function print(hpas: number, rows: readonly Row[]): void {
  for (const { name, counts, ms, scaled } of rows) {
    const columns = (["cluster", "table", "queues"] as const).map((where) => {
      const each = (counts[where] / hpas).toFixed(2);
      return `${where} ${String(counts[where]).padStart(5)} (${each} an HPA)`;
    });
    console.log(
      `${String(hpas).padStart(5)} HPAs  ${name.padEnd(16)}  ${columns.join("  ")}  scaled ${scaled}, ${ms.toFixed(0)} ms with the far ends in this process`,
    );
  }
}

const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };

interface Failure {
  readonly reason: string;
  readonly message: string;
}

function fail(line: Failure): never {
  throw new Error(`${line.reason}: ${line.message}`);
}

function deployment(name: string) {
  const labels = { app: name };
  const containers = [{ name: "app", image: "example.com/app:1" }];
  return {
    metadata: { name },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

function hpa(name: string) {
  const metric = { name: "sqs", selector: { matchLabels: { queue: name } } };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [{ type: "External", external: { metric, target: { type: "AverageValue", averageValue: "5" } } }],
    },
  };
}

async function main(): Promise<void> {
  for (const hpas of [1, 100, 1000]) await measure(hpas);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
