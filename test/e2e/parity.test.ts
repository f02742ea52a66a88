import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import type { HorizontalPodAutoscaler, HpaStatus } from "../../lib/k8s/hpa";
import { toItem } from "../../lib/table/items/attributes";
import { openStore } from "../../lib/table/store";
import { serveAggregatedApi } from "./servers/aggregated-api";
import { startApiServer, type ApiServer } from "./servers/api-server";
import { awsClients, type AwsClients } from "./servers/aws";
import { startControllerManager } from "./servers/controller-manager";
import { startEbb, type RunningEbb } from "./servers/ebb";
import { startMoto } from "./servers/emulator";
import { externalMetricsApi } from "./servers/external-metrics-api";
import { grantDocumentedRoles } from "./servers/grant";
import { deployment, deployments, specReplicas } from "./servers/workloads";

/**
 * Upstream's controller and ours beside each other: two identical Deployments on one real API server, one driven by an
 * HPA and the real kube-controller-manager, the other by an entry with the same spec, both every 5 s by the same
 * external metric.
 */
const syncPeriodSeconds = 5;

/** The recorded load: the metric's value from each second on, one replica for each 10. */
const load = [
  { from: 0, value: 0 }, // 1 → 0, once the replica that was found has left the stabilization window
  { from: 55, value: 25 }, // 0 → 3
  { from: 80, value: 78 }, // 3 → 7 → 8: four pods a policy period
  { from: 120, value: 76 }, // 0.95 of the target is within tolerance
  { from: 140, value: 33 }, // 8 → 4, after the window
  { from: 195, value: 0 }, // 4 → 0, after the window
] as const;
const endSecond = 255;
const replicasSeen = [1, 0, 3, 7, 8, 4, 0];

/**
 * Periods and windows are not multiples of the sync period, so a sync's jitter never decides what is still inside.
 */
const spec = {
  minReplicas: 0,
  maxReplicas: 12,
  metrics: [
    {
      type: "External",
      external: { metric: { name: "depth" }, target: { type: "AverageValue", averageValue: "10" } },
    },
  ],
  behavior: {
    scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 17 }] },
    scaleDown: { stabilizationWindowSeconds: 32 },
  },
};

const names = ["upstream", "ours"] as const;
type Name = (typeof names)[number];

interface Sample {
  readonly at: number;
  readonly replicas: number;
}

/**
 * At zero replicas, upstream converts 0/0 to an integer. Go leaves the result to the processor: the least int64 on
 * amd64, 0 on arm64. The status shows it, and it decides nothing. The recorded vectors have 0, and so does ebb.
 */
const averageOverNone = '"-9223372036854775808m"';

const hpas = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

let apiServer: ApiServer;
let aws: AwsClients;
let ebb: RunningEbb;
let value = 0;
/** When each Deployment got each of its replica counts, in order. */
const changes: Record<Name, Sample[]> = { upstream: [], ours: [] };
/** What upstream's status showed of the metrics, and since when. */
const shownMetrics: { readonly at: number; readonly metrics: unknown }[] = [];
/** Both statuses at the end of each stretch of the load, when everything had settled. */
const settled: { readonly second: number; readonly statuses: Record<Name, HpaStatus> }[] = [];
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  apiServer = await startApiServer();
  ending.push(() => apiServer.stop());
  const moto = await startMoto();
  ending.push(() => moto.stop());
  aws = awsClients(moto);
  ending.push(() => aws.destroy());
  const metrics = { group: "external.metrics.k8s.io", version: "v1beta1" };
  const stopMetrics = await serveAggregatedApi(apiServer, [metrics], externalMetricsApi({ depth: () => value }));
  ending.push(stopMetrics);
  await grantDocumentedRoles(apiServer);
  for (const name of names) await apiServer.admin.create(deployments, deployment(name, 1));
  ebb = await startEbb({ emulator: moto, aws }, apiServer, { syncPeriodSeconds });
  ending.push(() => ebb.stop());
  const controllers = await startControllerManager(apiServer, {
    controllers: ["deployment-controller", "horizontal-pod-autoscaler-controller", "replicaset-controller"],
    flags: [`--horizontal-pod-autoscaler-sync-period=${syncPeriodSeconds}s`],
  });
  ending.push(() => controllers.stop());
  await createAutoscalers();
  await playLoad();
  await ebb.settle();
}, 400_000);

afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

/** ebb's entry is the document that the API server returns for upstream's HPA, under another name. */
async function createAutoscalers(): Promise<void> {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "upstream" };
  await apiServer.admin.create(hpas, { metadata: { name: "upstream" }, spec: { scaleTargetRef, ...spec } });
  const created = await apiServer.admin.get<HorizontalPodAutoscaler>(`${hpas}/upstream`);
  const entry = {
    pk: `CLUSTER#${ebb.entries.cluster}`,
    sk: "HPA#default/ours",
    apiVersion: created.apiVersion,
    kind: created.kind,
    metadata: { name: "ours", namespace: "default" },
    spec: { ...created.spec, scaleTargetRef: { ...scaleTargetRef, name: "ours" } },
  };
  await aws.dynamo.send(new PutItemCommand({ TableName: ebb.entries.table, Item: toItem(entry) }));
}

async function playLoad(): Promise<void> {
  const started = Date.now();
  const second = () => (Date.now() - started) / 1000;
  for (const [index, stretch] of load.entries()) {
    value = stretch.value;
    const until = load[index + 1]?.from ?? endSecond;
    while (second() < until) {
      for (const name of names) {
        const replicas = await specReplicas(apiServer, `${deployments}/${name}`);
        const last = changes[name].at(-1);
        if (replicas !== undefined && last?.replicas !== replicas) changes[name].push({ at: second(), replicas });
      }
      await watchMetrics(second());
      await sleep(200);
    }
    settled.push({ second: until, statuses: await readStatuses() });
  }
}

async function watchMetrics(at: number): Promise<void> {
  const { status } = await apiServer.admin.get<HorizontalPodAutoscaler>(`${hpas}/upstream`);
  const metrics = comparable(status?.currentMetrics);
  if (!isDeepStrictEqual(shownMetrics.at(-1)?.metrics, metrics)) shownMetrics.push({ at, metrics });
}

function comparable(currentMetrics: HpaStatus["currentMetrics"]): unknown {
  return JSON.parse(JSON.stringify(currentMetrics ?? null).replaceAll(averageOverNone, '"0"'));
}

/**
 * Values that only change are written once a minute (docs/decisions/0056), so any value that upstream showed since then
 * is right.
 */
function metricsSince(second: number): readonly unknown[] {
  const index = shownMetrics.findLastIndex(({ at }) => at <= second - 60 - 2 * syncPeriodSeconds);
  return shownMetrics.slice(Math.max(0, index)).flatMap(({ at, metrics }) => (at <= second + 1 ? [metrics] : []));
}

async function readStatuses(): Promise<Record<Name, HpaStatus>> {
  const { entries } = ebb;
  const store = openStore({ client: aws.table, table: entries.table, now: Date.now });
  const range = { cluster: entries.cluster, from: "", to: null };
  const { states } = await store.load(range, AbortSignal.timeout(10_000));
  const ours = states["default/ours"];
  if (ours === undefined) throw new Error("the table has no state of default/ours");
  const { status: upstream = {} } = await apiServer.admin.get<HorizontalPodAutoscaler>(`${hpas}/upstream`);
  return { upstream, ours: ours.status };
}

test("the replica counts are the same, in the same order", () => {
  expect(changes.upstream.map(({ replicas }) => replicas)).toEqual(replicasSeen);
  expect(changes.ours.map(({ replicas }) => replicas)).toEqual(replicasSeen);
});

test("each is reached at most one sync apart", () => {
  // The first is where both began. One sync apart: between the two moments lies at most one more sync.
  const apart = changes.upstream.slice(1).map(({ at }, index) => Math.abs((changes.ours[index + 1]?.at ?? NaN) - at));
  expect(apart.filter((seconds) => !(seconds < 2 * syncPeriodSeconds))).toEqual([]);
});

test("conditions and replicas in the status are the same after each stretch of the load", () => {
  const shown = ({ conditions, currentReplicas = 0, desiredReplicas = 0 }: HpaStatus) => ({
    conditions: conditions?.map(({ type, status, reason, message }) => ({ type, status, reason, message })),
    currentReplicas,
    desiredReplicas,
  });
  expect(settled.map(({ second, statuses }) => ({ second, ...shown(statuses.ours) }))).toEqual(
    settled.map(({ second, statuses }) => ({ second, ...shown(statuses.upstream) })),
  );
});

test("metrics in the status are upstream's, and no older than a minute", () => {
  for (const { second, statuses } of settled)
    expect(metricsSince(second)).toContainEqual(comparable(statuses.ours.currentMetrics));
});

test("the scalings are reported in the same words", async () => {
  const selector = "involvedObject.name=upstream,involvedObject.kind=HorizontalPodAutoscaler,reason=SuccessfulRescale";
  const path = `/api/v1/namespaces/default/events?fieldSelector=${encodeURIComponent(selector)}`;
  const { items } = await apiServer.admin.get<{ items: { message: string; count?: number }[] }>(path);
  const upstream = items.flatMap(({ message, count = 1 }) => Array.from({ length: count }, () => message));
  const ours = ebb
    .lines()
    .filter(({ from }) => from !== undefined)
    .map(({ because }) => because);
  expect(ours.sort()).toEqual(upstream.sort());
});
