import { definitionRight } from "../../../lib/cluster/api/scales/definitions";
import { isCustom, mayBeListed } from "../../../lib/cluster/api/scales/scale-forms";
import type { RequiredPermissions, Right } from "../../../lib/read/required-permissions";
import type { GroupResource, ResourcesOf } from "./kinds";

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

/** One rule for each API group and set of verbs, in a fixed order. */
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
