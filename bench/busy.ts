import { fakeCluster } from "../test/fakes/fake-cluster";
import { runBench } from "./harness/backend-process";
import { openDeployment, periodMs, start } from "./harness/deployment";
import { judge } from "./harness/report";

/**
 * What busy pods cost an API server: 200 Deployments of ten pods, of which four are busy, are scaled down to four. It
 * measures no time. It counts requests in each slot: one list for each HPA whose size would fall, or whose pods have
 * costs, and one patch for each pod of the smaller set. Costs come a slot before the size.
 */
const hpas = 200;
const busyPods = 4;
const size = 10;
const mark = "worker.example/busy";
const slotNames = [
  ...["steady", "costs set", "scaled down", "costs taken away", "found clean"],
  ...["steady for a minute", "steady for a minute", "steady for a minute", "found clean again", "steady again"],
];
const counted = ["listWorkers", "listPods", "setDeletionCost", "getPod", "putScale"] as const;

type Counts = Readonly<Record<(typeof counted)[number], number>>;

async function slotsOf(annotations: Readonly<Record<string, string>>): Promise<readonly Counts[]> {
  const cluster = fakeCluster();
  let depth = size;
  let now = start;
  const read = () => {
    const value = { metricName: "work", timestamp: "2026-03-01T12:00:00Z", value: depth };
    return Promise.resolve({ items: [value] });
  };
  const work = { isBuiltIn: true as const, keepMs: () => 0, open: () => ({ read }) };
  const deployment = openDeployment({
    clusters: { prod: () => Promise.resolve(cluster) },
    sources: { work },
    now: () => now,
  });
  const external = { metric: { name: "work" }, target: { type: "AverageValue", averageValue: "1" } };
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  for (let index = 0; index < hpas; index++) {
    const name = `crew-${index}`;
    cluster.add(`shop/${name}`, size);
    const spec = { minReplicas: 1, maxReplicas: size, metrics: [{ type: "External", external }], behavior };
    deployment.add("prod", `shop/${name}`, spec);
    const document = deployment.store.documents.get(`prod shop/${name}`) as { readonly metadata: object };
    const metadata = { ...document.metadata, annotations };
    deployment.store.documents.set(`prod shop/${name}`, { ...document, metadata });
    for (let pod = 0; pod < size; pod++) {
      const labels = { app: name };
      const marked = pod < busyPods ? { annotations: { [mark]: "job" } } : {};
      const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" as const }] };
      cluster.pods.push({ metadata: { name: `${name}-${pod}`, namespace: "shop", labels, ...marked }, status });
    }
  }
  const slots: Counts[] = [];
  for (const [index] of slotNames.entries()) {
    const before = { ...cluster.calls };
    depth = index === 0 ? size : busyPods;
    now = start + index * periodMs + 200;
    await deployment.sync("prod", start + index * periodMs);
    const sent = (call: string) => (cluster.calls[call] ?? 0) - (before[call] ?? 0);
    slots.push(Object.fromEntries(counted.map((call) => [call, sent(call)])) as Counts);
    // Every idle pod has gone.
    if ((slots.at(-1)?.putScale ?? 0) > 0)
      cluster.pods = cluster.pods.filter(({ metadata }) => metadata.annotations?.[mark] !== undefined);
  }
  return slots;
}

async function main(): Promise<void> {
  const without = await slotsOf({});
  const busy = await slotsOf({ "ebb.dev/busy": `annotation: ${mark}`, "ebb.dev/spare-busy": "true" });
  for (const [index, slot] of busy.entries()) {
    const added = slot.listWorkers + slot.listPods - (without[index]?.listPods ?? 0);
    const most = slotNames[index]?.startsWith("steady") === true ? 0 : hpas;
    judge(`${slotNames[index]}: lists beside those without the annotations, of ${hpas} HPAs`, added, most);
    judge(
      `${slotNames[index]}: patches of pods`,
      slot.setDeletionCost,
      index === 1 || index === 3 ? hpas * busyPods : 0,
    );
  }
  const asked = without.reduce((sum, slot) => sum + slot.listWorkers + slot.setDeletionCost + slot.getPod, 0);
  judge("without the annotations, requests for busy pods", asked, 0);
}

runBench(main);
