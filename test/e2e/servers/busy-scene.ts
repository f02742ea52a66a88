import { openClusters } from "../../../lib/cluster/clusters";
import { someAtATime } from "../../../lib/async/semaphore";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { onThisMachine } from "../../../lib/net/address";
import { openEventRecorder } from "../../../lib/sync/events/event-recorder";
import { syncShard } from "../../../lib/sync/slot/sync-shard";
import { boundSecret } from "../../cluster/connect";
import { memoryStore } from "../../fakes/memory-store";
import { metricValue, sourceOf } from "../../sync/sync-fixture";
import { noLimit } from "../../time/no-limit";
import { findResources, type RbacRule, rightsByNamespace, rulesOf } from "../../../cli/set-up/rbac-rules";
import { requiredPermissionsOf } from "../../../lib/read/required-permissions";
import { type ApiServer, startApiServer } from "./api-server";
import { startControllerManager } from "./controller-manager";
import { eventually } from "./eventually";

/** Pods with jobs on a real API server. No kubelet runs: each is on a node, and is what a patch of its status says. */

export const busyMark = "worker.example/busy";
const atOnce = { limit: 32, signal: noLimit() };

export interface BusyPod {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
}

export const isMarked = ({ metadata }: BusyPod) => metadata.annotations?.[busyMark] !== undefined;
export const hasCost = ({ metadata }: BusyPod) =>
  Object.keys(metadata.annotations ?? {}).some((name) => name.endsWith("/pod-deletion-cost"));

export function podTemplate(labels: Readonly<Record<string, string>>) {
  const containers = [{ name: "main", image: "worker" }];
  return { metadata: { labels }, spec: { containers, nodeName: "node-1", terminationGracePeriodSeconds: 0 } };
}

/** Asks for as many pods as the metric "work" says. */
export function busyHpa(
  name: string,
  {
    annotations = {},
    ...spec
  }: Partial<HorizontalPodAutoscaler["spec"]> & {
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): HorizontalPodAutoscaler {
  const external = { metric: { name: "work" }, target: { type: "AverageValue", averageValue: "1" } };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      namespace: "default",
      name,
      annotations: { "ebb.dev/busy": `annotation: ${busyMark}`, ...annotations },
    },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [{ type: "External", external }],
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      ...spec,
    },
  };
}

export type BusyPods = ReturnType<typeof podsOf>;

export function podsOf({ admin }: Pick<ApiServer, "admin">, namespace = "default") {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const list = async (app?: string) => {
    const query = app === undefined ? "" : `?labelSelector=app%3D${app}`;
    const { items } = await admin.get<{ items: readonly BusyPod[] }>(`${path}${query}`);
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  };
  return {
    list,
    /** As a kubelet says it. */
    async run(pods: readonly BusyPod[], isReady = true): Promise<void> {
      const condition = { type: "Ready", status: isReady ? "True" : "False" };
      const status = { phase: "Running", conditions: [condition] };
      await someAtATime(pods, atOnce, ({ metadata }) => admin.patch(`${path}/${metadata.name}/status`, { status }));
    },
    async annotate(pods: readonly BusyPod[], annotations: Readonly<Record<string, string | null>>): Promise<void> {
      await someAtATime(pods, atOnce, ({ metadata }) =>
        admin.patch(`${path}/${metadata.name}`, { metadata: { annotations } }),
      );
    },
    sized: (app: string, size: number) =>
      eventually(`${app} has ${size} pods`, async () => {
        const pods = await list(app);
        if (pods.length !== size) throw new Error(`it has ${pods.length}`);
        return pods;
      }),
  };
}

/** The user "ebb" may do what `ebb rbac` prints for these HPAs, and nothing else. */
export async function grantWhatRbacPrints(
  { admin }: ApiServer,
  hpas: readonly HorizontalPodAutoscaler[],
  connect: Parameters<typeof findResources>[0],
): Promise<readonly RbacRule[]> {
  const required = requiredPermissionsOf(hpas, { locate: () => located, mirrorsEvents: false });
  const rights = await rightsByNamespace(required, findResources(connect, noLimit()));
  for (const [namespace, own] of rights) {
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    await admin.create(`${rbac}/roles`, { metadata: { name: "ebb" }, rules: rulesOf(own) });
    await admin.create(`${rbac}/rolebindings`, {
      metadata: { name: "ebb" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "ebb" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "ebb" }],
    });
  }
  return [...rights.values()].flatMap(rulesOf);
}

const located = { kind: "source", source: "work", parameters: {} } as const;

const replicaSets = "/apis/apps/v1/namespaces/default/replicasets";

/**
 * Waits until the ReplicaSet controller acts on the last change of a pod. Events of pods are in order: its cache then
 * has all that came before.
 */
async function openSentinel(apiServer: ApiServer): Promise<() => Promise<void>> {
  const { admin } = apiServer;
  const labels = { app: "sentinel" };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template: podTemplate(labels) };
  await admin.create(replicaSets, { metadata: { name: "sentinel" }, spec });
  const pods = podsOf(apiServer);
  let isReady = false;
  return async () => {
    isReady = !isReady;
    await pods.run(await pods.sized("sentinel", 1), isReady);
    await eventually("the ReplicaSet controller sees the sentinel's pod", async () => {
      const { status } = await admin.get<{ status: { readyReplicas?: number } }>(`${replicaSets}/sentinel`);
      expect(status.readyReplicas ?? 0).toBe(isReady ? 1 : 0);
    });
  };
}

export interface BusyWorld {
  readonly apiServer: ApiServer;
  readonly pods: BusyPods;
  /** What a sentinel sees, as openSentinel says. */
  readonly seen: () => Promise<void>;
  readonly openSlots: (hpas: readonly HorizontalPodAutoscaler[]) => BusySlots;
  /** Ends with the world, before what was opened earlier. */
  readonly own: (end: () => unknown) => void;
  readonly end: () => Promise<void>;
}

/** A real API server with these controllers, the ReplicaSet controller among them. */
export async function openBusyWorld(controllers: Parameters<typeof startControllerManager>[1]): Promise<BusyWorld> {
  const ending: (() => unknown)[] = [];
  const end = async () => {
    for (const one of ending.reverse()) await one();
  };
  try {
    const apiServer = await startApiServer();
    ending.push(() => apiServer.stop());
    const manager = await startControllerManager(apiServer, controllers);
    ending.push(() => manager.stop());
    const openSlots = (hpas: readonly HorizontalPodAutoscaler[]) => {
      const slots = openBusySlots(apiServer, hpas);
      ending.push(() => slots.close());
      return slots;
    };
    const [pods, seen] = [podsOf(apiServer), await openSentinel(apiServer)];
    return { apiServer, pods, seen, openSlots, own: (one) => void ending.push(one), end };
  } catch (error) {
    await end();
    throw error;
  }
}

export type BusySlots = ReturnType<typeof openBusySlots>;

/** The real sync on the user "ebb", one slot of 10 s after the other, without waiting. */
function openBusySlots(
  { endpoint, certificateAuthorityData, ebbToken }: ApiServer,
  hpas: readonly HorizontalPodAutoscaler[],
) {
  const signal = noLimit();
  const address = { endpoint, certificateAuthorityData };
  const spec = { ...address, auth: { type: "token", secret: "ebb/prod" } as const };
  const clusters = openClusters({
    secrets: () => Promise.resolve(boundSecret(address, { token: ebbToken })),
    awsCredentials: () => Promise.reject(new Error("no AWS here")),
    now: Date.now,
    addresses: onThisMachine,
  });
  let skewMs = 0;
  const now = () => Date.now() + skewMs;
  const store = memoryStore(now);
  store.clusterEntries.set("prod", { key: "prod", value: { name: "prod", spec } });
  const keyOf = ({ metadata }: HorizontalPodAutoscaler) => `prod ${metadata.namespace}/${metadata.name}`;
  for (const hpa of hpas) store.documents.set(keyOf(hpa), hpa);
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
  return {
    close: () => clusters.close(),
    connect: () => clusters.connect({ name: "prod", spec }, signal),
    store,
    failed,
    put: (hpa: HorizontalPodAutoscaler) => void store.documents.set(keyOf(hpa), hpa),
    remove: (hpa: HorizontalPodAutoscaler) => void store.documents.delete(keyOf(hpa)),
    conditionOf: (key: string, type: string) =>
      store.stateItems.get(`prod ${key}`)?.status.conditions?.find((condition) => condition.type === type),
    costsOf: (key: string) => store.stateItems.get(`prod ${key}`)?.deletionCosts,
    /** `work`: what the metric says. */
    async slot(work: number, afterMs = 10_000): Promise<void> {
      skewMs += afterMs;
      const begins = now();
      const source = sourceOf(() => ({ items: [metricValue("work", work)] }));
      await syncShard(
        { store, clusters, sources: { work: source }, reporter, events: openEventRecorder({ store, reporter }) },
        { cluster: "prod", from: "", slot: begins, until: begins + 120_000 },
        { now, workedMs: () => 0, deadline: begins + 150_000, signal: noLimit() },
      );
    },
  };
}
