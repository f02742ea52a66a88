import { customKind } from "../../local/demo/demo-workloads";

/** Objects that the cluster contract creates, as a user would, and where. */

export interface ScalableKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of the objects of a namespace. */
  collection(namespace: string): string;
  /** `replicas` of `app: <name>`. */
  object(name: string, replicas: number): Readonly<Record<string, unknown>>;
  /** As a message names it: "deployments.apps". */
  readonly resource: string;
  /** What the scale of a fresh object says of its pods. */
  selector(name: string): string;
}

export const GROUP = "contract.ebb.dev";

const template = (name: string) => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: "main", image: "example.com/none:1" }] },
});

function workload(kind: string, plural: string, extra: (name: string) => object = () => ({})): ScalableKind {
  return {
    apiVersion: "apps/v1",
    kind,
    resource: `${plural}.apps`,
    collection: (namespace) => `/apis/apps/v1/namespaces/${namespace}/${plural}`,
    object: (name, replicas) => ({
      apiVersion: "apps/v1",
      kind,
      metadata: { name },
      spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name), ...extra(name) },
    }),
    selector: (name) => `app=${name}`,
  };
}

export const deployment = workload("Deployment", "deployments");

export const worker: ScalableKind = {
  apiVersion: `${GROUP}/v1`,
  kind: "Worker",
  resource: `workers.${GROUP}`,
  collection: (namespace) => `/apis/${GROUP}/v1/namespaces/${namespace}/workers`,
  object: (name, replicas) => ({ apiVersion: `${GROUP}/v1`, kind: "Worker", metadata: { name }, spec: { replicas } }),
  // Nobody has written its status yet.
  selector: () => "",
};

const replicationController: ScalableKind = {
  apiVersion: "v1",
  kind: "ReplicationController",
  resource: "replicationcontrollers",
  collection: (namespace) => `/api/v1/namespaces/${namespace}/replicationcontrollers`,
  object: (name, replicas) => ({
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name },
    spec: { replicas, selector: { app: name }, template: template(name) },
  }),
  selector: (name) => `app=${name}`,
};

export const scalableKinds: readonly ScalableKind[] = [
  deployment,
  workload("StatefulSet", "statefulsets", (name) => ({ serviceName: name })),
  workload("ReplicaSet", "replicasets"),
  replicationController,
  worker,
];

/** Of Worker, which has /scale, or of Plain, which has not. */
export function definition(kind: "Worker" | "Plain") {
  return customKind({ group: GROUP, kind, names: { listKind: `${kind}List` }, scalable: kind === "Worker" });
}

export function pod(name: string, labels: Readonly<Record<string, string>>) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels, annotations: { note: "of no use to a decision" } },
    spec: {
      containers: [
        { name: "main", image: "example.com/none:1", resources: { requests: { cpu: "100m", memory: "64Mi" } } },
      ],
    },
  };
}

export const readyStatus = {
  phase: "Running",
  startTime: "2026-03-01T11:00:00Z",
  conditions: [
    { type: "PodScheduled", status: "True", lastTransitionTime: "2026-03-01T11:00:00Z" },
    { type: "Ready", status: "True", lastTransitionTime: "2026-03-01T11:00:05Z" },
  ],
};
