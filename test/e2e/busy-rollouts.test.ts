import { rollouts, startArgoRollouts } from "./servers/argo-rollouts";
import {
  busyHpa,
  busyMark,
  type BusyPods,
  type BusySlots,
  type BusyWorld,
  grantWhatRbacPrints,
  hasCost,
  isMarked,
  openBusyWorld,
  podTemplate,
} from "./servers/busy-scene";
import { eventually } from "./servers/eventually";
import { specReplicas } from "./servers/workloads";

/**
 * Argo's real Rollout controller, and the real ReplicaSet controller, on a real API server: when ebb scales a Rollout
 * down, no busy pod goes, and while a Rollout has two ReplicaSets with pods, its size stays.
 */
let world: BusyWorld;
let apiServer: BusyWorld["apiServer"];
let pods: BusyPods;
let sync: BusySlots;

const target = (name: string) => ({ apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name });
const hpas = ["encoder", "updated"].map((name) =>
  busyHpa(name, { scaleTargetRef: target(name), annotations: { "ebb.dev/spare-busy": "true" } }),
);

beforeAll(async () => {
  world = await openBusyWorld({ controllers: ["replicaset-controller"] });
  ({ apiServer, pods } = world);
  const argo = await startArgoRollouts(apiServer);
  world.own(() => argo.stop());
  sync = world.openSlots(hpas);
  await grantWhatRbacPrints(apiServer, hpas, sync.connect);
}, 120_000);

afterAll(() => world.end());

async function start(name: string, busy: number): Promise<void> {
  const labels = { app: name };
  const steps = [{ setWeight: 50 }, { pause: {} }];
  const spec = {
    replicas: 8,
    selector: { matchLabels: labels },
    template: podTemplate(labels),
    strategy: { canary: { steps } },
  };
  await apiServer.admin.create(rollouts, {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Rollout",
    metadata: { name },
    spec,
  });
  const own = await pods.sized(name, 8);
  await pods.run(own);
  await pods.annotate([...own].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)).slice(0, busy), {
    [busyMark]: "job",
  });
  await eventually(`${name} is Healthy`, async () => {
    const { status } = await apiServer.admin.get<{ status?: { phase?: string } }>(`${rollouts}/${name}`);
    expect(status?.phase).toBe("Healthy");
  });
}

const sizeOf = (name: string) => specReplicas(apiServer, `${rollouts}/${name}`);

async function slot(work: number): Promise<void> {
  await world.seen();
  await sync.slot(work);
}

test("of a Rollout, no busy pod goes, and the costs go later", async () => {
  await start("encoder", 3);
  await slot(1);
  expect((await pods.list("encoder")).filter(hasCost)).toHaveLength(3);
  expect(await sizeOf("encoder")).toBe(8);
  await slot(1);
  expect(await sizeOf("encoder")).toBe(3);
  const left = await pods.sized("encoder", 3);
  expect(left.filter(isMarked)).toHaveLength(3);
  await eventually("the costs are taken away", async () => {
    await slot(1);
    expect((await pods.list("encoder")).filter(hasCost)).toEqual([]);
  });
}, 120_000);

test("in the middle of an update, the size stays while a pod is busy", async () => {
  await start("updated", 0);
  await apiServer.admin.patch(`${rollouts}/updated`, {
    spec: { template: { metadata: { labels: { app: "updated" }, annotations: { version: "2" } } } },
  });
  await eventually("it has pods of two ReplicaSets", async () => {
    const own = await pods.list("updated");
    await pods.run(own);
    expect(new Set(own.map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).size).toBe(2);
    const { status } = await apiServer.admin.get<{ status?: { phase?: string } }>(`${rollouts}/updated`);
    expect(status?.phase).toBe("Paused");
  });
  const busy = (await pods.list("updated")).slice(0, 3);
  await pods.annotate(busy, { [busyMark]: "job" });
  for (let count = 0; count < 3; count++) await slot(1);
  expect(await sizeOf("updated")).toBe(8);
  expect(sync.conditionOf("default/updated", "ScalingLimited")).toMatchObject({ reason: "SparedBusy" });

  await pods.annotate(busy, { [busyMark]: null });
  await slot(1);
  expect(await sizeOf("updated")).toBe(1);
}, 120_000);
