import { groupIn } from "../../../lib/k8s/objects";
import type { AccessAttributes } from "../../../lib/cluster/api/access-review";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import { definitionRight } from "../../../lib/cluster/api/scales/definitions";
import { isCustom, mayBeListed } from "../../../lib/cluster/api/scales/scale-forms";
import { fewestListed } from "../../../lib/cluster/api/scales/scale-reads";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import type { Right, RequiredPermissions } from "../../../lib/read/required-permissions";
import { advice } from "../../shell/advice/table";
import type { Grant, Hpas } from "../../shell/advice/clusters";
import { type Finding, ok, fail } from "./finding";
import { isFault } from "../../../lib/model/fault";
import { isFailure } from "../../shell/failure";
import { findResources, objectRight } from "../../set-up/rbac-rules";

export interface TargetKind extends Pick<Right, "group" | "resource"> {
  readonly kind: string;
}

/** Without the right to list, ebb reads scales one by one. Nothing fails then, so this is no failure. */
export async function checkLists(
  cluster: Pick<TargetCluster, "reviewAccess"> & Grant,
  { kinds, hpas }: { readonly kinds: readonly TargetKind[]; readonly hpas: readonly HorizontalPodAutoscaler[] },
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const may = async (verb: string, right: Omit<AccessAttributes, "verb">) =>
    (await cluster.reviewAccess({ verb, ...right }, signal)).allowed;
  const mayList = ({ group, resource }: TargetKind, namespace: string) => may("list", { group, resource, namespace });
  /** Only a custom kind's definition says where its scale is. */
  const mayRead = async (kind: TargetKind) => {
    if (!isCustom(kind)) return true;
    const { verbs: _verbs, ...definition } = definitionRight(kind);
    return may("get", definition);
  };

  const findings = kinds.filter(mayBeListed).map(async (kind) => {
    const counts = countTargets(hpas, kind);
    const count = [...counts.values()].reduce((sum, one) => sum + one, 0);
    if (count < fewestListed) return [];
    const name = kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`;
    const large = [...counts].filter(([, own]) => own >= fewestListed).map(([namespace]) => namespace);
    const inEach = async () => (await Promise.all(large.map((namespace) => mayList(kind, namespace)))).every(Boolean);
    const isListed = async () => (await mayList(kind, "")) || (large.length > 0 && (await inEach()));
    if ((await mayRead(kind)) && (await isListed()))
      return [ok(`may list ${name}: ${count} scales take a request or a few, not one each`)];
    const rights = `the right to list them${isCustom(kind) ? ", and to read their definition," : ""}`;
    const what = `reads ${count} scales of ${name} one by one`;
    return [
      ok(
        what,
        advice.allowLists({
          cluster: cluster.cluster,
          subject: cluster.subject,
          rights,
          everywhere: large.length === 0,
        }),
      ),
    ];
  });
  return (await Promise.all(findings)).flat();
}

function countTargets(hpas: readonly HorizontalPodAutoscaler[], { group, kind }: TargetKind): Map<string, number> {
  const names = new Map<string, Set<string>>();
  for (const { metadata, spec } of hpas) {
    const { apiVersion = "", kind: own, name } = spec.scaleTargetRef;
    const ownGroup = groupIn(apiVersion);
    if (ownGroup !== group || own !== kind) continue;
    const namespace = metadata.namespace ?? "default";
    names.set(namespace, (names.get(namespace) ?? new Set()).add(name));
  }
  return new Map([...names].map(([namespace, { size }]) => [namespace, size]));
}

interface KindContext {
  readonly hpas: readonly HorizontalPodAutoscaler[];
  readonly signal: AbortSignal;
}

function someOf(
  cluster: string,
  hpas: readonly HorizontalPodAutoscaler[],
  isOne: (hpa: HorizontalPodAutoscaler) => boolean,
): Hpas {
  const [first, ...others] = hpas.filter(isOne);
  const { namespace = "default", name = "" } = first?.metadata ?? {};
  return { cluster, namespace, name, more: others.length };
}

interface Found {
  readonly findings: readonly Finding[];
  readonly rights: readonly Right[];
  readonly target?: TargetKind;
}

export async function findTarget(
  { discovery, cluster }: Pick<TargetCluster, "discovery"> & Grant,
  { apiVersion, kind, namespaces }: RequiredPermissions["targets"][number],
  { hpas, signal }: KindContext,
): Promise<Found> {
  const group = groupIn(apiVersion);
  const users = () =>
    someOf(cluster, hpas, ({ spec: { scaleTargetRef } }) => {
      return groupIn(scaleTargetRef.apiVersion ?? "") === group && scaleTargetRef.kind === kind;
    });
  try {
    const [first] = await discovery.resources(group, kind, signal);
    if (first === undefined) return { findings: [], rights: [] };
    const { resource } = first;
    if (!first.hasScale) {
      const why = `${resource}.${group} has no scale subresource`;
      return { findings: [fail(`${kind} can be scaled`, why, advice.scaleAnotherKind(users()))], rights: [] };
    }
    const right = { group, resource, subresource: "scale", verbs: ["get", "update"] };
    const rights = namespaces.map((namespace) => ({ ...right, namespace }));
    return { findings: [], rights, target: { group, resource, kind } };
  } catch (error) {
    if (!isFault(error, "notFound")) throw error;
    const todo = advice.installTargetKind(users());
    return { findings: [fail(`${kind} can be scaled`, error.message, todo)], rights: [] };
  }
}

export async function findObject(
  { discovery, cluster }: Pick<TargetCluster, "discovery"> & Grant,
  object: RequiredPermissions["objects"][number],
  { hpas, signal }: KindContext,
): Promise<Found> {
  const { kind, metricName, namespace } = object;
  try {
    const resources = await findResources(() => Promise.resolve({ discovery }), signal).ofObject(object);
    return { findings: [], rights: resources.map((resource) => objectRight(resource, object)) };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const users = someOf(cluster, hpas, ({ metadata, spec }) =>
      (spec.metrics ?? []).some(
        (metric) =>
          (metadata.namespace ?? "default") === namespace &&
          metric.object?.metric.name === metricName &&
          metric.object.describedObject.kind === kind,
      ),
    );
    const todo = advice.installObjectKind(users);
    return { findings: [fail(`${kind} has the metric ${metricName}`, error.message, todo)], rights: [] };
  }
}
