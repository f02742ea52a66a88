import { groupIn } from "../../../lib/k8s/api-version";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import { isFault } from "../../../lib/model/fault";
import { failure } from "../../shell/failure";

export interface GroupResource {
  readonly group: string;
  /** Plural, as in RBAC. */
  readonly resource: string;
}

/** Rejects with a Failure if there are none, or if the cluster is unreachable. */
export type ResourcesOf = (reference: {
  readonly apiVersion: string;
  readonly kind: string;
}) => Promise<readonly GroupResource[]>;

interface KnownKind extends GroupResource {
  readonly kind: string;
  readonly hasScale: boolean;
}

/** Kubernetes' own kinds are the same in every cluster. */
const known: readonly KnownKind[] = [
  { group: "apps", kind: "Deployment", resource: "deployments", hasScale: true },
  { group: "apps", kind: "StatefulSet", resource: "statefulsets", hasScale: true },
  { group: "apps", kind: "ReplicaSet", resource: "replicasets", hasScale: true },
  { group: "apps", kind: "DaemonSet", resource: "daemonsets", hasScale: false },
  { group: "", kind: "ReplicationController", resource: "replicationcontrollers", hasScale: true },
  { group: "", kind: "Service", resource: "services", hasScale: false },
  { group: "", kind: "Pod", resource: "pods", hasScale: false },
  { group: "", kind: "Namespace", resource: "namespaces", hasScale: false },
  { group: "networking.k8s.io", kind: "Ingress", resource: "ingresses", hasScale: false },
  { group: "batch", kind: "Job", resource: "jobs", hasScale: false },
];

/** Connects to the cluster only for other kinds than Kubernetes' own. */
export function findResources(
  connect: () => Promise<Pick<TargetCluster, "discovery">>,
  signal: AbortSignal,
): { readonly ofTarget: ResourcesOf; readonly ofObject: ResourcesOf } {
  const find = async (apiVersion: string, kind: string) => {
    const group = groupIn(apiVersion);
    // Like discovery, also accepts a kind in lower case.
    const own = known.find((one) => one.group === group && (one.kind === kind || one.kind.toLowerCase() === kind));
    return own === undefined ? await ask(connect, { group, kind }, signal) : [own];
  };
  return {
    async ofTarget({ apiVersion, kind }) {
      const found = (await find(apiVersion, kind)).filter(({ hasScale }) => hasScale);
      if (found.length > 0) return found;
      throw failure(`${kind} of ${apiVersion} has no scale, so nothing can scale it: fix scaleTargetRef of its HPAs`);
    },
    ofObject: ({ apiVersion, kind }) => find(apiVersion, kind),
  };
}

async function ask(
  connect: () => Promise<Pick<TargetCluster, "discovery">>,
  { group, kind }: { readonly group: string; readonly kind: string },
  signal: AbortSignal,
): Promise<readonly KnownKind[]> {
  try {
    const { discovery } = await connect();
    const served = await discovery.resources(group, kind, signal);
    // In a rule, "*" would grant every resource of the group.
    const odd = served.find(({ resource }) => !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(resource));
    if (odd !== undefined)
      throw failure(`${kind}: expected the cluster to name a resource, got ${JSON.stringify(odd.resource)}`);
    return served.map(({ resource, hasScale }) => ({ group, kind, resource, hasScale }));
  } catch (error) {
    if (!isFault(error)) throw error;
    const what = group === "" ? kind : `${kind}.${group}`;
    throw failure(`expected the cluster to name the resource of kind ${what}, got: ${error.message}`);
  }
}
