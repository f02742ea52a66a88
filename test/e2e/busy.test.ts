import { someAtATime } from "../../lib/async/semaphore";
import { noLimit } from "../time/no-limit";
import {
  busyHpa,
  busyMark,
  type BusyPod,
  type BusyPods,
  type BusyWorld,
  grantWhatRbacPrints,
  hasCost,
  isMarked,
  openBusyWorld,
  podTemplate,
} from "./servers/busy-scene";
import { eventually } from "./servers/eventually";
import { deployments } from "./servers/workloads";

/**
 * The real sync, the real API server, and the real Deployment and ReplicaSet controllers: 200 Deployments of ten pods,
 * of which four are busy, are scaled down to four at once; ten more, with six busy pods, are not. No kubelet runs: each
 * pod is on a node, Running and Ready by a patch of its status.
 *
 * Between two slots, the ReplicaSet controller's cache sees everything before: the status of a sentinel, whose pod
 * becomes Ready or not, says so. So this proves which pods go once costs are seen, and that ebb writes no size in the
 * slot of its costs. How late a cache may be, no test says: docs/decisions/0102-costs-before-the-size.md
 */
const ordered = Array.from({ length: 200 }, (_, index) => `ordered-${index}`);
const spared = Array.from({ length: 10 }, (_, index) => `spared-${index}`);
const all = [...ordered, ...spared];
const size = 10;
const wanted = 4;
const busyIn = (name: string) => (name.startsWith("spared") ? 6 : 4);
const atOnce = { limit: 32, signal: noLimit() };

interface Deployment {
  readonly spec: { readonly replicas: number };
}

let world: BusyWorld;
let apiServer: BusyWorld["apiServer"];
let pods: BusyPods;
let slot: (replicas: number) => Promise<void>;

const hpas = all.map((name) =>
  busyHpa(name, { annotations: name.startsWith("spared") ? { "ebb.dev/spare-busy": "true" } : {} }),
);

beforeAll(async () => {
  const speed = ["--kube-api-qps=1000", "--kube-api-burst=2000"];
  const workers = ["--concurrent-deployment-syncs=20", "--concurrent-replicaset-syncs=20"];
  world = await openBusyWorld({
    controllers: ["deployment-controller", "replicaset-controller"],
    flags: [...speed, ...workers],
  });
  ({ apiServer, pods } = world);
  const nowhere = () => Promise.reject(new Error("Deployments need no discovery"));
  const rules = await grantWhatRbacPrints(apiServer, hpas, nowhere);
  expect(rules).toContainEqual({ apiGroups: [""], resources: ["pods"], verbs: ["patch"] });
  await someAtATime(all, atOnce, createDeployment);
  await startPods();
  const sync = world.openSlots(hpas);
  slot = async (replicas) => {
    await world.seen();
    await sync.slot(replicas);
    // On a busy machine, a connection may fail: the next slot tries again.
    expect(sync.failed.filter((text) => text.includes("forbidden"))).toEqual([]);
  };
}, 300_000);

afterAll(() => world.end());

async function createDeployment(name: string): Promise<void> {
  const labels = { app: name };
  const spec = { replicas: size, selector: { matchLabels: labels }, template: podTemplate(labels) };
  await apiServer.admin.create(deployments, { metadata: { name }, spec });
}

/** Those that are not ending, by Deployment. */
async function podsByDeployment(): Promise<ReadonlyMap<string, readonly BusyPod[]>> {
  const byName = new Map<string, BusyPod[]>(all.map((name) => [name, []]));
  for (const pod of await pods.list()) byName.get(pod.metadata.labels["app"] ?? "")?.push(pod);
  return byName;
}

function eventuallySized(sizeOf: (name: string) => number): Promise<ReadonlyMap<string, readonly BusyPod[]>> {
  return eventually("each Deployment has its pods", async () => sized(await podsByDeployment(), sizeOf));
}

function sized(byName: ReadonlyMap<string, readonly BusyPod[]>, sizeOf: (name: string) => number): typeof byName {
  const others = all.filter((name) => byName.get(name)?.length !== sizeOf(name));
  if (others.length > 0) throw new Error(`${others.length} have not, such as ${others[0]}`);
  return byName;
}

/** As a kubelet says, and as the workers say that are in the middle of a job. */
async function startPods(): Promise<void> {
  const byName = await eventuallySized(() => size);
  await pods.run([...byName.values()].flat());
  const busy = [...byName].flatMap(([name, own]) => shuffled(own, name).slice(0, busyIn(name)));
  await pods.annotate(busy, { [busyMark]: "job" });
}

/** Any order, the same in each run. */
function shuffled(own: readonly BusyPod[], seed: string): readonly BusyPod[] {
  const numberOf = (text: string) =>
    [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 9_973, 7);
  const names = own.map(({ metadata }) => metadata.name).sort();
  const rank = ({ metadata }: BusyPod) => numberOf(`${seed} ${names.indexOf(metadata.name)} of ${seed}`);
  return [...own].sort((a, b) => rank(a) - rank(b));
}

test("no busy pod goes, and no size falls below its busy pods; then the costs go, and the size follows", async () => {
  const before = await podsByDeployment();
  const busy = new Set(
    [...before.values()]
      .flat()
      .filter(isMarked)
      .map(({ metadata }) => metadata.name),
  );
  expect(busy.size).toBe(200 * 4 + 10 * 6);
  await slot(size);
  expect([...(await podsByDeployment()).values()].flat().some(hasCost)).toBe(false);

  await slot(wanted);
  const { items } = await apiServer.admin.get<{ items: readonly Deployment[] }>(deployments);
  expect(items.map(({ spec }) => spec.replicas)).toEqual(all.map(() => size));

  // What a busy machine leaves out, the next slot does: a patch after five seconds, a write that meets five changes.
  const after = await eventually(
    "each Deployment has its size",
    async () => {
      await slot(wanted);
      return sized(await podsByDeployment(), busyIn);
    },
    150_000,
  );
  const left = [...after.values()].flat();
  expect(left.filter(({ metadata }) => !busy.has(metadata.name))).toEqual([]);
  expect(left.every(isMarked)).toBe(true);

  // The scale says that the pods are gone a little later.
  await eventually("the costs are taken away", async () => {
    await slot(wanted);
    const costs = [...(await podsByDeployment()).values()].flat().filter(hasCost);
    if (costs.length > 0) throw new Error(`${costs.length} pods have costs`);
  });

  const one = spared.flatMap((name) => after.get(name)?.slice(0, 1) ?? []);
  await pods.annotate(one, { [busyMark]: null });
  const next = await eventually("the spared follow", async () => {
    await slot(wanted);
    return sized(await podsByDeployment(), (name) => (spared.includes(name) ? 5 : 4));
  });
  expect([...next.values()].flat().every(isMarked)).toBe(true);
}, 300_000);
