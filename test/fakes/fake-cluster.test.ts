import { pod, readyStatus, type ScalableKind, worker } from "../cluster/contract-objects";
import { clusterContract } from "../contract/cluster-contract";
import type { ClusterBench } from "../contract/cluster/bench";
import { fakeCluster } from "./fake-cluster";

clusterContract("in memory", setUp);

const namespace = "contract";

function setUp(): Promise<ClusterBench> {
  const cluster = fakeCluster();
  const [group = ""] = worker.apiVersion.split("/");
  cluster.define({ group, kind: "Worker", plural: "workers", hasScale: true });
  cluster.define({ group, kind: "Plain", plural: "plains", hasScale: false });

  const done = (change: () => unknown) => Promise.resolve(change()).then(() => undefined);
  const idOf = ({ kind, resource }: ScalableKind, name: string): string =>
    kind === "Deployment" ? `${namespace}/${name}` : `${resource} ${namespace}/${name}`;
  const scaleOf = (kind: ScalableKind, name: string) => {
    const found = cluster.scales.get(idOf(kind, name));
    if (found === undefined) throw new Error(`expected the ${kind.kind} ${name}, got none`);
    return found;
  };
  return Promise.resolve({
    cluster,
    namespace,
    create: (kind, name, replicas) => {
      cluster.add(idOf(kind, name), replicas, { selector: kind.selector(name), statusReplicas: 0 });
      return Promise.resolve({ uid: scaleOf(kind, name).uid });
    },
    delete: (kind, name) => done(() => cluster.scales.delete(idOf(kind, name))),
    scale: (kind, name, replicas) =>
      done(() => {
        scaleOf(kind, name).replicas = replicas;
        cluster.touch(idOf(kind, name));
      }),
    touch: (kind, name) => done(() => cluster.touch(idOf(kind, name))),
    replicas: (kind, name) => Promise.resolve(scaleOf(kind, name).replicas),
    setWorkerStatus: (name, { replicas, selector }) =>
      done(() => Object.assign(scaleOf(worker, name), { statusReplicas: replicas, selector })),
    createPlain: () => Promise.resolve(),
    createPod: (name, labels, isReady = false) =>
      done(() => {
        const { metadata, spec } = pod(name, labels);
        const made = { metadata: { ...metadata, namespace }, spec };
        cluster.pods.push(isReady ? { ...made, status: structuredClone(readyStatus) as object } : made);
      }),
    // It never sends pages.
    pageBy: () => undefined,
    event: (name) => {
      const found = cluster.shown.get(`${namespace}/${name}`);
      if (found === undefined) return Promise.resolve(undefined);
      const { name: _name, ...event } = found.event;
      return Promise.resolve({ ...event, target: found.target });
    },
    metrics: cluster.metrics,
    mishaps: cluster.mishaps,
    close: () => Promise.resolve(),
  });
}
