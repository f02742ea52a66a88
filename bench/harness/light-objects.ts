import { type Fleet, indexOf, type Load, milliCpuOf, nameOf, namespaceOf, podName, replicasOf } from "./fleet";

/** What an API server says of a fleet, as JSON in pieces of some objects each. */

const perPiece = 100;

/** The aggregated form of /apis, with the two groups that a sync of a fleet needs. */
export const discovery = JSON.stringify({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: [
    groupOf("apps", "v1", { resource: "deployments", kind: "Deployment", subresources: [{ subresource: "scale" }] }),
    groupOf("metrics.k8s.io", "v1beta1", { resource: "pods", kind: "PodMetrics" }),
  ],
});

function groupOf(
  name: string,
  version: string,
  { kind, ...rest }: { readonly kind: string; readonly [rest: string]: unknown },
) {
  return { metadata: { name }, versions: [{ version, resources: [{ ...rest, responseKind: { kind } }] }] };
}

export function scaleOf(fleet: Fleet, name: string): string {
  const replicas = replicasOf(fleet);
  const metadata = { name, namespace: namespaceOf(fleet, indexOf(name)), uid: `uid-${name}`, resourceVersion: "7" };
  const status = { replicas, selector: `app=${name}` };
  return JSON.stringify({ kind: "Scale", apiVersion: "autoscaling/v1", metadata, spec: { replicas }, status });
}

export function deploymentList(fleet: Fleet, namespace: string | undefined, limit: number): Iterable<string> {
  const replicas = replicasOf(fleet);
  const all = indexesIn(fleet, namespace);
  const cut = all.length > limit ? { continue: "more" } : {};
  return listOf("DeploymentList", "apps/v1", { of: all.slice(0, limit), ...cut }, (index) => {
    const name = nameOf(index);
    const labels = { app: name };
    const metadata = {
      name,
      namespace: namespaceOf(fleet, index),
      uid: `uid-${name}`,
      resourceVersion: "7",
      generation: 1,
    };
    const container = containerOf(name);
    const template = { metadata: { labels }, spec: { containers: [container], dnsPolicy: "ClusterFirst" } };
    return { metadata, spec: { replicas, selector: { matchLabels: labels }, template }, status: { replicas } };
  });
}

/** Each pod of about 4 KB: half of that are the managed fields and the statuses that a decision does not read. */
export function podList(fleet: Fleet, namespace: string): Iterable<string> {
  const startTime = new Date(Date.now() - 3_600_000).toISOString();
  return listOf("PodList", "v1", { of: podsIn(fleet, namespace) }, ([index, pod]) => {
    const app = nameOf(index);
    const name = podName(app, pod);
    const ready = ["Initialized", "Ready", "ContainersReady", "PodScheduled"];
    const conditions = ready.map((type) => ({ type, status: "True", lastTransitionTime: startTime }));
    const labels = { app, "pod-template-hash": "5d8c6f9b7b", "topology.kubernetes.io/zone": "eu-central-1a" };
    return {
      metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: "7", labels, managedFields },
      spec: { nodeName: `node-${pod}`, containers: [containerOf(app)], volumes, tolerations },
      status: { phase: "Running", startTime, conditions, containerStatuses: [statusOf(name, startTime)] },
    };
  });
}

export function podMetricsList(fleet: Fleet, namespace: string, load: Load): Iterable<string> {
  const timestamp = new Date().toISOString();
  return listOf("PodMetricsList", "metrics.k8s.io/v1beta1", { of: podsIn(fleet, namespace) }, ([index, pod]) => {
    const app = nameOf(index);
    const metadata = { name: podName(app, pod), namespace, labels: { app, "pod-template-hash": "5d8c6f9b7b" } };
    const usage = { cpu: `${milliCpuOf(index, load)}m`, memory: "65536Ki" };
    return { metadata, timestamp, window: "30s", containers: [{ name: "main", usage }] };
  });
}

function* listOf<T>(
  kind: string,
  apiVersion: string,
  { of: all, ...more }: { readonly of: Iterable<T>; readonly continue?: string },
  objectOf: (one: T) => object,
): Iterable<string> {
  yield `${JSON.stringify({ kind, apiVersion, metadata: { resourceVersion: "7", ...more } }).slice(0, -1)},"items":[`;
  let piece: string[] = [];
  let comma = "";
  for (const one of all) {
    piece.push(JSON.stringify(objectOf(one)));
    if (piece.length < perPiece) continue;
    yield `${comma}${piece.join(",")}`;
    [piece, comma] = [[], ","];
  }
  if (piece.length > 0) yield `${comma}${piece.join(",")}`;
  yield "]}";
}

function indexesIn(fleet: Fleet, namespace: string | undefined): readonly number[] {
  const all = Array.from({ length: fleet.count }, (_, index) => index);
  return namespace === undefined ? all : all.filter((index) => namespaceOf(fleet, index) === namespace);
}

function* podsIn(fleet: Fleet, namespace: string): Iterable<readonly [index: number, pod: number]> {
  for (const index of indexesIn(fleet, namespace)) {
    for (let pod = 0; pod < (fleet.pods ?? 0); pod++) yield [index, pod];
  }
}

function containerOf(app: string) {
  const env = Array.from({ length: 8 }, (_, at) => ({
    name: `SETTING_${at}`,
    value: `https://${app}.example.com/${at}`,
  }));
  const resources = { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } };
  return {
    name: "main",
    image: `registry.example.com/team/${app}:1.27.3`,
    env,
    resources,
    imagePullPolicy: "IfNotPresent",
  };
}

function statusOf(name: string, startedAt: string) {
  const containerID = `containerd://${name.padEnd(64, "0")}`;
  return { name: "main", ready: true, restartCount: 0, started: true, containerID, state: { running: { startedAt } } };
}

const volumes = [
  { name: "token", projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: "token" } }] } },
];
const tolerations = ["not-ready", "unreachable"].map((key) => ({
  ...{ key: `node.kubernetes.io/${key}`, operator: "Exists" },
  ...{ effect: "NoExecute", tolerationSeconds: 300 },
}));
/** As large as those of kube-controller-manager and kubelet for a pod with a container. */
const fields = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [`f:field-${at}`, { "f:type": {}, "f:value": {} }]),
);
const managedFields = [{ manager: "kubelet", operation: "Update", apiVersion: "v1", fieldsV1: fields }];
