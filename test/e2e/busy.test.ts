import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { onThisMachine } from "../../lib/net/address";
import { openClusters } from "../../lib/cluster/clusters";
import { someAtATime } from "../../lib/async/semaphore";
import { requiredPermissionsOf } from "../../lib/read/required-permissions";
import { openEventRecorder } from "../../lib/sync/events/event-recorder";
import { syncShard } from "../../lib/sync/slot/sync-shard";
import { findResources, rightsByNamespace, rulesOf } from "../../cli/set-up/rbac-rules";
import { boundSecret } from "../cluster/connect";
import { memoryStore } from "../fakes/memory-store";
import { metricValue, sourceOf } from "../sync/sync-fixture";
import { noLimit } from "../time/no-limit";
import { type ApiServer, startApiServer } from "./servers/api-server";
import { startControllerManager } from "./servers/controller-manager";
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
const mark = "worker.example/busy";
const pods = "/api/v1/namespaces/default/pods";
const replicaSets = "/apis/apps/v1/namespaces/default/replicasets";
const runs = (isReady: boolean) => ({
  status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});
const atOnce = { limit: 32, signal: noLimit() };

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly labels: { readonly app: string };
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
}

interface Deployment {
  readonly spec: { readonly replicas: number };
}

let apiServer: ApiServer;
let slot: (replicas: number) => Promise<void>;
const ending: (() => unknown)[] = [];

function hpaOf(name: string): HorizontalPodAutoscaler {
  const sparing = name.startsWith("spared") ? { "ebb.dev/spare-busy": "true" } : {};
  const external = { metric: { name: "work" }, target: { type: "AverageValue", averageValue: "1" } };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "default", name, annotations: { "ebb.dev/busy": `annotation: ${mark}`, ...sparing } },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: size,
      metrics: [{ type: "External", external }],
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
    },
  };
}

beforeAll(async () => {
  apiServer = await startApiServer();
  ending.push(() => apiServer.stop());
  const speed = ["--kube-api-qps=1000", "--kube-api-burst=2000"];
  const workers = ["--concurrent-deployment-syncs=20", "--concurrent-replicaset-syncs=20"];
  const controllers = await startControllerManager(apiServer, {
    controllers: ["deployment-controller", "replicaset-controller"],
    flags: [...speed, ...workers],
  });
  ending.push(() => controllers.stop());
  await grantWhatRbacPrints();
  await someAtATime(all, atOnce, createDeployment);
  await createSentinel();
  await startPods();
  slot = connect();
}, 300_000);

afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

/** The user "ebb" may do what `ebb rbac` prints for these HPAs, and nothing else. */
async function grantWhatRbacPrints(): Promise<void> {
  const required = requiredPermissionsOf(all.map(hpaOf), { locate: () => found, mirrorsEvents: false });
  const nowhere = () => Promise.reject(new Error("Deployments need no discovery"));
  const rights = await rightsByNamespace(required, findResources(nowhere, noLimit()));
  const rules = rulesOf(rights.get("default") ?? []);
  expect(rules).toContainEqual({ apiGroups: [""], resources: ["pods"], verbs: ["patch"] });
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  await apiServer.admin.create(`${rbac}/roles`, { metadata: { name: "ebb" }, rules });
  await apiServer.admin.create(`${rbac}/rolebindings`, {
    metadata: { name: "ebb" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "ebb" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "ebb" }],
  });
}

const found = { kind: "source", source: "work", parameters: {} } as const;

async function createDeployment(name: string): Promise<void> {
  const labels = { app: name };
  const containers = [{ name: "main", image: "worker" }];
  const template = { metadata: { labels }, spec: { containers, nodeName: "node-1", terminationGracePeriodSeconds: 0 } };
  const spec = { replicas: size, selector: { matchLabels: labels }, template };
  await apiServer.admin.create(deployments, { metadata: { name }, spec });
}

async function createSentinel(): Promise<void> {
  const labels = { app: "sentinel" };
  const containers = [{ name: "main", image: "worker" }];
  const template = { metadata: { labels }, spec: { containers, nodeName: "node-1" } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  await apiServer.admin.create(replicaSets, { metadata: { name: "sentinel" }, spec });
}

let isSentinelReady = false;

/** Events of pods are in order: once the controller acts on the last one, its cache has all. */
async function untilControllersSeePods(): Promise<void> {
  const { items } = await apiServer.admin.get<{ items: readonly Pod[] }>(`${pods}?labelSelector=app%3Dsentinel`);
  isSentinelReady = !isSentinelReady;
  const [pod] = items;
  await apiServer.admin.patch(`${pods}/${pod?.metadata.name}/status`, runs(isSentinelReady));
  await eventually("the ReplicaSet controller sees the sentinel's pod", async () => {
    const { status } = await apiServer.admin.get<{ status: { readyReplicas?: number } }>(`${replicaSets}/sentinel`);
    expect(status.readyReplicas ?? 0).toBe(isSentinelReady ? 1 : 0);
  });
}

/** Those that are not ending, by Deployment. */
async function podsByDeployment(): Promise<ReadonlyMap<string, readonly Pod[]>> {
  const { items } = await apiServer.admin.get<{ items: readonly Pod[] }>(pods);
  const byName = new Map<string, Pod[]>(all.map((name) => [name, []]));
  for (const pod of items)
    if (pod.metadata.deletionTimestamp === undefined) byName.get(pod.metadata.labels.app)?.push(pod);
  return byName;
}

function eventuallySized(sizeOf: (name: string) => number): Promise<ReadonlyMap<string, readonly Pod[]>> {
  return eventually("each Deployment has its pods", async () => sized(await podsByDeployment(), sizeOf));
}

function sized(byName: ReadonlyMap<string, readonly Pod[]>, sizeOf: (name: string) => number): typeof byName {
  const others = all.filter((name) => byName.get(name)?.length !== sizeOf(name));
  if (others.length > 0) throw new Error(`${others.length} have not, such as ${others[0]}`);
  return byName;
}

/** As a kubelet says, and as the workers say that are in the middle of a job. */
async function startPods(): Promise<void> {
  const byName = await eventuallySized(() => size);
  await someAtATime([...byName.values()].flat(), atOnce, ({ metadata }) =>
    apiServer.admin.patch(`${pods}/${metadata.name}/status`, runs(true)),
  );
  const busy = [...byName].flatMap(([name, own]) => shuffled(own, name).slice(0, busyIn(name)));
  await someAtATime(busy, atOnce, (pod) => markBusy(pod, "job"));
}

/** Any order, the same in each run. */
function shuffled(own: readonly Pod[], seed: string): readonly Pod[] {
  const numberOf = (text: string) =>
    [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 9_973, 7);
  const names = own.map(({ metadata }) => metadata.name).sort();
  const rank = ({ metadata }: Pod) => numberOf(`${seed} ${names.indexOf(metadata.name)} of ${seed}`);
  return [...own].sort((a, b) => rank(a) - rank(b));
}

function markBusy({ metadata }: Pod, job: string | null): Promise<unknown> {
  return apiServer.admin.patch(`${pods}/${metadata.name}`, { metadata: { annotations: { [mark]: job } } });
}

const isBusy = ({ metadata }: Pod) => metadata.annotations?.[mark] !== undefined;
const hasCost = ({ metadata }: Pod) =>
  Object.keys(metadata.annotations ?? {}).some((name) => name.endsWith("/pod-deletion-cost"));

function connect(): typeof slot {
  const { endpoint, certificateAuthorityData, ebbToken } = apiServer;
  const address = { endpoint, certificateAuthorityData };
  const spec = { ...address, auth: { type: "token", secret: "ebb/prod" } as const };
  const clusters = openClusters({
    secrets: () => Promise.resolve(boundSecret(address, { token: ebbToken })),
    awsCredentials: () => Promise.reject(new Error("no AWS here")),
    now: Date.now,
    addresses: onThisMachine,
  });
  ending.push(() => clusters.close());
  let skewMs = 0;
  const now = () => Date.now() + skewMs;
  const store = memoryStore(now);
  store.clusterEntries.set("prod", { key: "prod", value: { name: "prod", spec } });
  for (const name of all) store.documents.set(`prod default/${name}`, hpaOf(name));
  const range = { cluster: "prod", from: "", to: null };
  store.shardItems.set("prod#", { ...range, version: 1, slot: 0, heartbeat: 0, behind: {}, entries: 0 });
  const failed: string[] = [];
  const reporter = {
    scaled: () => undefined,
    failed: ({ reason, message }: { readonly reason: string; readonly message: string }) =>
      void failed.push(`${reason}: ${message}`),
    recovered: () => undefined,
    synced: () => undefined,
    ticked: () => undefined,
  };
  const run = async (replicas: number) => {
    await untilControllersSeePods();
    const work = sourceOf(() => ({ items: [metricValue("work", replicas)] }));
    skewMs += 10_000;
    const begins = now();
    await syncShard(
      { store, clusters, sources: { work }, reporter, events: openEventRecorder({ store, reporter }) },
      { cluster: "prod", from: "", slot: begins, until: begins + 120_000 },
      { now, workedMs: () => 0, deadline: begins + 150_000, signal: noLimit() },
    );
    // On a busy machine, a connection may fail: the next slot tries again.
    expect(failed.filter((text) => text.includes("forbidden"))).toEqual([]);
  };
  return run;
}

test("no busy pod goes, and no size falls below its busy pods; then the costs go, and the size follows", async () => {
  const before = await podsByDeployment();
  const busy = new Set(
    [...before.values()]
      .flat()
      .filter(isBusy)
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
  expect(left.every(isBusy)).toBe(true);

  // The scale says that the pods are gone a little later.
  await eventually("the costs are taken away", async () => {
    await slot(wanted);
    const costs = [...(await podsByDeployment()).values()].flat().filter(hasCost);
    if (costs.length > 0) throw new Error(`${costs.length} pods have costs`);
  });

  const one = spared.map((name) => after.get(name)?.[0]);
  for (const pod of one) if (pod !== undefined) await markBusy(pod, null);
  const next = await eventually("the spared follow", async () => {
    await slot(wanted);
    return sized(await podsByDeployment(), (name) => (spared.includes(name) ? 5 : 4));
  });
  expect([...next.values()].flat().every(isBusy)).toBe(true);
}, 300_000);
