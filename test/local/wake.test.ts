import { hpaKey } from "../../lib/model/hpa-key";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteItemCommand } from "../../lib/aws/http/dynamodb-commands";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { toItem } from "../../lib/table/items/attributes";
import { getItem } from "../../lib/table/get-items";
import { hpaItemKey, stateKey } from "../../lib/table/items/keys";
import { putHpa } from "../../local/entries";
import { realBackends } from "../../local/backends";
import { lineReporter } from "../../local/line-reporter";
import { demoHpas } from "../../local/demo/demo-hpas";
import { startSimulation } from "../../local/demo/simulation";
import { startLocal } from "../../local/start";
import { storeOn } from "../../compose";
import { openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { ebb } from "../cli/run-ebb";
import { until } from "../time/until";

/** Slots are an hour apart, so no slot causes what happens here within seconds. */
const controller = { syncPeriodSeconds: 3600 };

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), "ebb-wake-"))));
afterEach(() => rm(directory, { recursive: true }));

/** A local ebb and the cluster of `npm start`; queues have as many messages as `messages` says. */
async function startWorld(messages: () => number) {
  const simulation = await startSimulation({ bursts: [], replicas: { orders: 1 } });
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, simulation.cluster.kubeconfig(simulation.namespace));
  const embedded = await openEmbeddedTable({ directory: join(directory, "table") });
  const { client, table: name, watch } = embedded;
  const table = { client, name };
  const backends = await realBackends(table, { kubeconfig, cluster: "sim", controller });
  const lines: string[] = [];
  const read = () => Promise.resolve({ items: [depth(messages())] });
  const sqs = { isBuiltIn: true, keepMs: () => 0, open: () => ({ read }) };
  const local = startLocal(
    { ...table, watch },
    { ...backends, sources: { sqs } },
    lineReporter((line) => lines.push(line)),
  );
  const hpa = demoHpas(new Date()).find(({ metadata }) => metadata.name === "orders") as HorizontalPodAutoscaler;
  return {
    ...{ table, lines, hpa, key: hpaKey(simulation.namespace, "orders") },
    untilSaid: (text: string) => until(() => lines.some((line) => line.includes(text))),
    close: async () => {
      await local.stop();
      await backends.close();
      await simulation.close();
      await embedded.close();
    },
  };
}

function depth(value: number) {
  return { metricName: "sqs", metricLabels: {}, timestamp: "2026-03-01T12:00:00Z", value: String(value) };
}

test("an entry that is created, changed and deleted in the embedded table takes effect without a slot", async () => {
  const { table, hpa, key, untilSaid, close } = await startWorld(() => 15);
  try {
    await putHpa(table, "sim", hpa);
    await untilSaid("Deployment/orders  1 → 3");
    await putHpa(table, "sim", { ...hpa, spec: { ...hpa.spec, maxReplicas: 2 } });
    await untilSaid("Deployment/orders  3 → 2");
    await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: toItem(hpaItemKey("sim", key)) }));
    await until(async () => (await getItem(table, stateKey("sim", key))) === undefined);
  } finally {
    await close();
  }
}, 60_000);

test("each generation that ebb apply makes is decided at once, the first as well", async () => {
  const { table, hpa, key, untilSaid, close } = await startWorld(() => 15);
  const store = storeOn(table, { now: () => Date.now() });
  const { signal } = new AbortController();
  const apply = async (maxReplicas: number) => {
    const path = join(directory, "hpa.json");
    await writeFile(path, JSON.stringify({ ...hpa, spec: { ...hpa.spec, maxReplicas } }));
    const { stdout, stderr } = await ebb(["apply", "-f", path, "--cluster", "sim"], { table });
    if (stdout === "") throw new Error(stderr);
    return stdout.trim();
  };
  const untilObserved = (generation: number) =>
    until(async () => (await store.states("sim", [key], signal)).get(key)?.status.observedGeneration === generation);
  try {
    expect(await apply(hpa.spec.maxReplicas)).toMatch(/ created$/);
    await untilObserved(1);
    expect(await apply(2)).toMatch(/ configured$/);
    await untilObserved(2);
    await untilSaid("→ 2");
  } finally {
    await close();
  }
}, 60_000);

test("an HPA at zero that asks for it is woken by the first message, without a slot", async () => {
  let messages = 0;
  const { table, lines, hpa: demo, key, untilSaid, close } = await startWorld(() => messages);
  const behavior = { ...demo.spec.behavior, scaleDown: { stabilizationWindowSeconds: 0 } };
  const metadata = { ...demo.metadata, annotations: { ...demo.metadata.annotations, "ebb.dev/wake": "fast" } };
  const hpa = { ...demo, metadata, spec: { ...demo.spec, behavior, minReplicas: 0 } };
  const { signal } = new AbortController();
  const store = storeOn(table, { now: () => Date.now() });
  try {
    // The first tick sends a slot of this minute, which finds no work; the next one is an hour away.
    await until(async () => (await store.shardsOf("sim", signal)).length > 0);
    await putHpa(table, "sim", hpa);
    await untilSaid("Deployment/orders  1 → 0");
    // As its slot would say it.
    const state = (await store.states("sim", [key], signal)).get(key);
    const [shard] = await store.shardsOf("sim", signal);
    if (shard === undefined || state === undefined) throw new Error("expected a shard and a state");
    const found = { kind: "source", source: "sqs", parameters: { queue: "orders" } } as const;
    const since = state.status.lastScaleTime ?? "";
    await store.putIdle(shard, { [key]: { hpa, sources: [found], rules: [{}], since } }, signal);
    const marked = { ...shard, version: shard.version + 1, idle: { hash: "now", at: 0 } };
    expect(await store.replaceShard(shard, marked, signal)).toBe(true);
    messages = 1;
    await untilSaid("Deployment/orders  0 → 1");
  } finally {
    await close();
  }
  expect(lines.filter((line) => line.includes("FailedWatch"))).toEqual([]);
}, 60_000);
