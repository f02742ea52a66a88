import { groupIn } from "../../../lib/k8s/api-version";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import type { HorizontalPodAutoscaler } from "../../../lib/k8s/hpa";
import { isFault } from "../../../lib/model/fault";
import type { RequiredPermissions, Right } from "../../../lib/read/required-permissions";
import type { Grant, Hpas } from "../../shell/advice/rows/clusters";
import { advice } from "../../shell/advice/table";
import { isFailure } from "../../shell/failure";
import { findResources } from "../../set-up/rbac/kinds";
import { objectRight } from "../../set-up/rbac/rules";
import type { TargetKind } from "./check-lists";
import { fail, type Finding } from "./finding";

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

/** The permission that `ebb rbac` grants for an Object metric. */
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
