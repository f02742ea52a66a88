import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import {
  busyHpa,
  busyMark,
  type BusyPod,
  type BusyPods,
  type BusySlots,
  type BusyWorld,
  grantWhatRbacPrints,
  hasCost,
  isMarked,
  openBusyWorld,
  podsOf,
  podTemplate,
} from "./servers/busy-scene";
import { eventually } from "./servers/eventually";
import { deployments, specReplicas, statefulSets } from "./servers/workloads";

/**
 * What busy pods meet on the real API server and controllers: others' costs, marks that change all the time, people who
 * scale, roll out, edit and delete meanwhile. Also shows what "best effort" means: which pods no cost keeps.
 */
let world: BusyWorld;
let apiServer: BusyWorld["apiServer"];
let pods: BusyPods;
const cost = "controller.kubernetes.io/pod-deletion-cost";
const size = 8;
const namespaces = ["default", "gone"];

beforeAll(async () => {
  world = await openBusyWorld({
    controllers: ["deployment-controller", "replicaset-controller", "statefulset-controller"],
    flags: ["--kube-api-qps=1000", "--kube-api-burst=2000"],
  });
  ({ apiServer, pods } = world);
  await apiServer.admin.create("/api/v1/namespaces", { metadata: { name: "gone" } });
  const targets = ["Deployment", "StatefulSet"].map((kind) => ({ apiVersion: "apps/v1", kind, name: "any" }));
  const any = namespaces.flatMap((namespace) =>
    targets.map((scaleTargetRef) => inNamespace(busyHpa("any", { scaleTargetRef }), namespace)),
  );
  await grantWhatRbacPrints(apiServer, any, () => Promise.reject(new Error("no discovery")));
}, 120_000);

afterAll(() => world.end());

function inNamespace(hpa: HorizontalPodAutoscaler, namespace: string): HorizontalPodAutoscaler {
  return { ...hpa, metadata: { ...hpa.metadata, namespace } };
}

const sparing = { "ebb.dev/spare-busy": "true" };

interface Scene {
  readonly sync: BusySlots;
  readonly slot: (work: number) => Promise<void>;
  readonly list: () => Promise<readonly BusyPod[]>;
  readonly size: () => Promise<number | undefined>;
  readonly path: string;
}

/** A workload of Ready pods, of which the first ones by name are busy, and an HPA of its own. */
async function scene(
  name: string,
  {
    busy,
    hpa,
    count = size,
    path = deployments,
  }: { busy: number; hpa: HorizontalPodAutoscaler; count?: number; path?: string },
): Promise<Scene> {
  const labels = { app: name };
  const template = podTemplate(labels);
  const spec = { replicas: count, selector: { matchLabels: labels }, template };
  const own = path === statefulSets ? { ...spec, serviceName: name, podManagementPolicy: "Parallel" } : spec;
  await apiServer.admin.create(path, { metadata: { name }, spec: own });
  const started = await pods.sized(name, count);
  await pods.run(started);
  await pods.annotate([...started].sort(byName).slice(0, busy), { [busyMark]: "job" });
  await eventually(`${name} is counted`, async () => {
    const { status } = await apiServer.admin.get<{ status: { readyReplicas?: number } }>(`${path}/${name}`);
    expect(status.readyReplicas).toBe(count);
  });
  const sync = world.openSlots([hpa]);
  const slot = async (work: number) => {
    await world.seen();
    await sync.slot(work);
  };
  return {
    sync,
    slot,
    list: () => pods.list(name),
    size: () => specReplicas(apiServer, `${path}/${name}`),
    path: `${path}/${name}`,
  };
}

function byName(one: BusyPod, other: BusyPod): number {
  return one.metadata.name < other.metadata.name ? -1 : 1;
}

const namesOf = (some: readonly BusyPod[]) => some.map(({ metadata }) => metadata.name).sort();

async function eventuallyFree({ list, slot }: Scene, work = 1): Promise<void> {
  await eventually("no pod has a cost of ebb's", async () => {
    await slot(work);
    expect(namesOf((await list()).filter(hasCost))).toEqual([]);
  });
}

describe("best effort", () => {
  test("a busy pod that is not Ready goes before idle ones, whatever it costs", async () => {
    const { slot, list } = await scene("unready", { busy: 1, hpa: busyHpa("unready") });
    const [busy] = (await list()).filter(isMarked);
    await pods.run(busy === undefined ? [] : [busy], false);
    await slot(4);
    expect(namesOf((await list()).filter(hasCost))).toEqual(namesOf(busy === undefined ? [] : [busy]));
    await slot(4);
    expect((await pods.sized("unready", 4)).filter(isMarked)).toEqual([]);
  }, 60_000);

  test("so spare-busy holds the size until it is Ready", async () => {
    const {
      slot,
      list,
      size: replicas,
      sync,
    } = await scene("held", { busy: 1, hpa: busyHpa("held", { annotations: sparing }) });
    const busy = (await list()).filter(isMarked);
    await pods.run(busy, false);
    for (let count = 0; count < 3; count++) await slot(1);
    expect(await replicas()).toBe(size);
    expect(sync.conditionOf("default/held", "ScalingLimited")).toMatchObject({
      reason: "SparedBusy",
      message: expect.stringContaining("1 of them not Ready, which would go first") as string,
    });
    await pods.run(busy, true);
    await slot(1);
    await slot(1);
    expect(namesOf(await pods.sized("held", 1))).toEqual(namesOf(busy));
  }, 60_000);

  test("a StatefulSet removes its highest ordinal, and spare-busy keeps the number of busy pods", async () => {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "ordinals" };
    const hpa = busyHpa("ordinals", { scaleTargetRef, annotations: sparing });
    const { slot, list } = await scene("ordinals", { busy: 0, hpa, path: statefulSets });
    const last = (await list()).filter(({ metadata }) => /-[67]$/.test(metadata.name));
    await pods.annotate(last, { [busyMark]: "job" });
    await slot(1);
    expect((await list()).filter(hasCost)).toEqual([]);
    expect(namesOf(await pods.sized("ordinals", 2))).toEqual(["ordinals-0", "ordinals-1"]);
  }, 60_000);
});

test("marks that change all the time take no pod that stays busy, and leave no cost", async () => {
  const flapping = await scene("flapping", { busy: 2, hpa: busyHpa("flapping", { annotations: sparing }) });
  const steady = namesOf((await flapping.list()).filter(isMarked));
  // One at a time: those that stay busy then have a cost in each slot, whichever moment the controller sees.
  const mark = async (turn: number) => {
    const others = [...(await flapping.list())].filter(({ metadata }) => !steady.includes(metadata.name)).sort(byName);
    const isTurn = (_: BusyPod, index: number) => index === turn % others.length;
    await pods.annotate(others.filter(isTurn), { [busyMark]: "job" });
    await pods.annotate(
      others.filter((pod, index) => !isTurn(pod, index)),
      { [busyMark]: null },
    );
  };
  const flap = (turn: number) => mark(turn).catch(() => undefined); // a pod may go meanwhile
  for (let turn = 0; turn < 14; turn++) {
    await flap(turn);
    await Promise.all([flapping.sync.slot(1), flap(turn + 1)]);
    const left = namesOf(await flapping.list());
    expect(left).toEqual(expect.arrayContaining(steady));
  }
  expect(await flapping.size()).toBeLessThan(size);
  await pods.annotate(
    (await flapping.list()).filter(({ metadata }) => !steady.includes(metadata.name)),
    { [busyMark]: null },
  );
  await eventuallyFree(flapping);
  expect(namesOf(await pods.sized("flapping", 2))).toEqual(steady);
}, 120_000);

test("pods that stay busy hold a size above maxReplicas, until the bound is over", async () => {
  const hpa = (annotations: Readonly<Record<string, string>>) =>
    busyHpa("forever", { maxReplicas: 3, annotations: { ...sparing, ...annotations } });
  const { slot, size: replicas, sync } = await scene("forever", { busy: size, hpa: hpa({}) });
  for (let count = 0; count < 4; count++) await slot(10);
  expect(await replicas()).toBe(size);
  sync.put(hpa({ "ebb.dev/spare-busy-for": "30s" }));
  for (let count = 0; count < 4; count++) await slot(10);
  expect(await replicas()).toBe(3);
}, 60_000);

test("another's costs are as they were, and the idle pods still go first", async () => {
  const theirs = await scene("theirs", { busy: 3, hpa: busyHpa("theirs") });
  const [one, two, three, four] = [...(await theirs.list())].sort(byName);
  if (one === undefined || two === undefined || three === undefined || four === undefined)
    throw new Error("too few pods");
  await pods.annotate([one], { [cost]: "5" });
  await pods.annotate([four], { [cost]: "3" });
  await theirs.slot(3);
  await theirs.slot(3);
  expect(namesOf(await pods.sized("theirs", 3))).toEqual(namesOf([one, two, three]));
  await eventually("ebb's costs are gone", async () => {
    await theirs.slot(3);
    expect((await theirs.list()).flatMap(({ metadata }) => metadata.annotations?.[cost] ?? [])).toEqual(["5"]);
  });
}, 60_000);

test("a rollout that begins in the wait holds the size, and the costs go", async () => {
  const begun = await scene("begun", { busy: 2, hpa: busyHpa("begun", { annotations: sparing }) });
  await begun.slot(1);
  expect((await begun.list()).filter(hasCost)).toHaveLength(2);
  await apiServer.admin.patch(begun.path, { spec: { template: { metadata: { annotations: { version: "2" } } } } });
  await eventually("two ReplicaSets have pods", async () => {
    const sets = (await begun.list()).map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
    expect(new Set(sets).size).toBe(2);
  });
  await begun.slot(1);
  expect(await begun.size()).toBe(size);
  await eventually("the rollout is over", async () => {
    const own = await begun.list();
    await pods.run(own);
    expect(own).toHaveLength(size);
    expect(own.filter(isMarked)).toEqual([]);
  });
  await eventuallyFree(begun);
  expect(namesOf(await pods.sized("begun", 1))).toHaveLength(1);
}, 60_000);

test.each([
  ["fewer", 4],
  ["more", 12],
])(
  "somebody who scales to %s in the wait takes no busy pod, and the costs go",
  async (how, replicas) => {
    const name = `by-hand-${how}`;
    const own = await scene(name, { busy: 3, hpa: busyHpa(name, { maxReplicas: 20 }) });
    const busy = namesOf((await own.list()).filter(isMarked));
    await own.slot(3);
    await apiServer.admin.patch(own.path, { spec: { replicas } });
    await pods.run(await pods.sized(name, replicas));
    await eventuallyFree(own, 3);
    expect(namesOf(await pods.sized(name, 3))).toEqual(busy);
  },
  60_000,
);

describe("costs that are set go away", () => {
  async function waiting(name: string): Promise<Scene & { readonly hpa: HorizontalPodAutoscaler }> {
    const hpa = busyHpa(name);
    const own = await scene(name, { busy: 3, hpa });
    await own.slot(3);
    expect((await own.list()).filter(hasCost)).toHaveLength(3);
    return { ...own, hpa };
  }
  const minutes = async ({ sync, list }: Scene) => {
    await eventually(
      "no pod has a cost of ebb's",
      async () => {
        await sync.slot(3, 60_000);
        expect(namesOf((await list()).filter(hasCost))).toEqual([]);
      },
      30_000,
    );
  };

  test("once the HPA is deleted", async () => {
    const own = await waiting("deleted");
    own.sync.remove(own.hpa);
    await minutes(own);
    expect(await own.size()).toBe(size);
  }, 60_000);

  test("once it is paused", async () => {
    const own = await waiting("paused");
    own.sync.put(busyHpa("paused", { annotations: { "ebb.dev/paused": "true" } }));
    await minutes(own);
    expect(await own.size()).toBe(size);
  }, 60_000);

  test("once it no longer says how busy pods are found", async () => {
    const own = await waiting("silent");
    own.sync.put({ ...own.hpa, metadata: { namespace: "default", name: "silent" } });
    await minutes(own);
  }, 60_000);

  test("once it has another target", async () => {
    const own = await waiting("retargeted");
    const other = await scene("other", { busy: 0, hpa: busyHpa("other") });
    own.sync.put(
      busyHpa("retargeted", { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "other" } }),
    );
    await minutes(own);
    expect(await own.size()).toBe(size);
    expect((await other.list()).filter(hasCost)).toEqual([]);
  }, 60_000);

  test("once it has a target that is not there", async () => {
    const own = await waiting("lost");
    own.sync.put(busyHpa("lost", { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "typo" } }));
    await minutes(own);
    expect(await own.size()).toBe(size);
  }, 60_000);

  test("once its entry is invalid", async () => {
    const own = await waiting("invalid");
    own.sync.put(busyHpa("invalid", { maxReplicas: 0 }));
    await minutes(own);
    expect(await own.size()).toBe(size);
  }, 60_000);
});

test("a namespace that is deleted in the wait holds nothing up", async () => {
  const hpa = inNamespace(busyHpa("worker"), "gone");
  const labels = { app: "worker" };
  const spec = { replicas: 4, selector: { matchLabels: labels }, template: podTemplate(labels) };
  const path = "/apis/apps/v1/namespaces/gone/deployments";
  await apiServer.admin.create(path, { metadata: { name: "worker" }, spec });
  const there = podsOf(apiServer, "gone");
  const own = await there.sized("worker", 4);
  await there.run(own);
  await there.annotate(own.slice(0, 2), { [busyMark]: "job" });
  const sync = world.openSlots([hpa]);
  await world.seen();
  await sync.slot(1);
  expect(sync.costsOf("gone/worker")).toBeDefined();
  // No namespace controller runs here: this is what it does.
  for (const kind of ["rolebindings", "roles"])
    await apiServer.admin.delete(`/apis/rbac.authorization.k8s.io/v1/namespaces/gone/${kind}/ebb`);
  await apiServer.admin.delete(`${path}/worker`);
  await sync.slot(1);
  sync.remove(hpa);
  for (let count = 0; count < 13; count++) await sync.slot(1, 60_000);
  expect(sync.store.stateItems.get("prod gone/worker")).toBeUndefined();
}, 60_000);

test("of 1,000 pods, no busy one goes", async () => {
  const crowd = await scene("crowd", { busy: 400, count: 1_000, hpa: busyHpa("crowd", { maxReplicas: 1_000 }) });
  const busy = namesOf((await crowd.list()).filter(isMarked));
  const left = await eventually(
    "it has 400 pods",
    async () => {
      await crowd.slot(400);
      const found = await crowd.list();
      expect(found.length).toBe(400);
      return found;
    },
    90_000,
  );
  expect(namesOf(left)).toEqual(busy);
  await eventuallyFree(crowd, 400);
}, 180_000);
