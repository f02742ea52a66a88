import { definitionRight } from "../../lib/cluster/api/scales/definitions";
import { isCustom, mayBeListed } from "../../lib/cluster/api/scales/scale-forms";
import type { RequiredPermissions, Right } from "../../lib/read/required-permissions";
import { groupIn } from "../../lib/k8s/objects";
import type { TargetCluster } from "../../lib/cluster/cluster";
import { isFault } from "../../lib/model/fault";
import { failure } from "../shell/failure";

export interface RbacRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface ResourceLookup {
  readonly ofTarget: ResourcesOf;
  readonly ofObject: ResourcesOf;
  /** Listing targets saves requests. */
  readonly lists?: boolean;
}

/** In the order of namespaces. "": the whole cluster. */
export async function rightsByNamespace(
  { targets, objects, rights }: RequiredPermissions,
  { ofTarget, ofObject, lists }: ResourceLookup,
): Promise<ReadonlyMap<string, readonly Right[]>> {
  const scales = await Promise.all(
    targets.map(async (target) => {
      const found = await ofTarget(target);
      const listed = lists ? found.filter(mayBeListed) : [];
      const inNamespaces = target.namespaces.flatMap((namespace) => [
        ...found.map((one) => scaleRight(one, namespace)),
        ...listed.map((one) => listRight(one, namespace)),
      ]);
      return [...inNamespaces, ...listed.filter(isCustom).map(definitionRight)];
    }),
  );
  const described = await Promise.all(
    objects.map(async (object) => (await ofObject(object)).map((one) => objectRight(one, object))),
  );
  // The resource "*" is for Object metrics, which `described` names one by one. No rule can name a metric "*" alone.
  const all = [...scales.flat(), ...rights.filter(({ resource }) => resource !== "*"), ...described.flat()];
  const byNamespace = new Map<string, Right[]>();
  for (const right of all) {
    const own = byNamespace.get(right.namespace);
    if (own === undefined) byNamespace.set(right.namespace, [right]);
    else own.push(right);
  }
  return new Map([...byNamespace].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function scaleRight({ group, resource }: GroupResource, namespace: string): Right {
  return { group, resource, subresource: "scale", verbs: ["get", "update"], namespace };
}

export function listRight({ group, resource }: GroupResource, namespace: string): Right {
  return { group, resource, verbs: ["list"], namespace };
}

export function objectRight({ group, resource }: GroupResource, object: RequiredPermissions["objects"][number]): Right {
  const { metricName, namespace } = object;
  const right = { group: "custom.metrics.k8s.io", verbs: ["get"], namespace };
  if (group === "" && resource === "namespaces") return { ...right, resource: "metrics" };
  return { ...right, resource: group === "" ? resource : `${resource}.${group}`, subresource: metricName };
}

export function rulesOf(rights: readonly Right[]): readonly RbacRule[] {
  const rules = new Map<
    string,
    { group: string; verbs: readonly string[]; resources: Set<string>; names: Set<string> }
  >();
  for (const { group, resource, subresource, name, verbs } of rights) {
    const isScale = subresource === "scale" && verbs.includes("update");
    // A rule with names is about these objects alone.
    const id = JSON.stringify([isScale ? 0 : 1, group, verbs, ...(name === undefined ? [] : [resource, subresource])]);
    const rule = rules.get(id) ?? { group, verbs, resources: new Set(), names: new Set() };
    rule.resources.add(subresource === undefined ? resource : `${resource}/${subresource}`);
    if (name !== undefined) rule.names.add(name);
    rules.set(id, rule);
  }
  return [...rules]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { group, verbs, resources, names }]) => ({
      apiGroups: [group],
      resources: [...resources].sort(),
      ...(names.size > 0 && { resourceNames: [...names].sort() }),
      verbs,
    }));
}

interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** Rejects with a Failure if there are none, or if the cluster is unreachable. */
type ResourcesOf = (reference: {
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
