import { groupVersion, type ResourceKind } from "../resources/kinds";
import type { Form } from "./accept";
import { partVerbs, verbsOf } from "./requests";

/** The preferred version first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly ApiResource[] }[];
}

interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export function servedGroups(resources: readonly ResourceKind[]): ServedGroup[] {
  const names = [...new Set(resources.map(({ group }) => group))];
  return names.map((name) => {
    const inGroup = resources.filter(({ group }) => group === name);
    const versions = [...new Set(inGroup.map(({ version }) => version))];
    return {
      name,
      versions: versions.map((version) => ({
        version,
        resources: inGroup.filter((resource) => resource.version === version).flatMap(servedResources),
      })),
    };
  });
}

function servedResources(resource: ResourceKind): ApiResource[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = resource;
  const own = { singularName: "", namespaced, verbs: partVerbs };
  const scale = { ...own, name: `${plural}/scale`, kind: "Scale", group: "autoscaling", version: "v1" };
  const status = { ...own, name: `${plural}/status`, kind };
  const parts = [...(resource.scale ? [scale] : []), ...(resource.hasStatus ? [status] : [])];
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: verbsOf(resource),
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
    },
    // The real order differs for custom kinds.
    ...(resource.custom === undefined ? parts : parts.reverse()),
  ];
}

export function apiVersionList(address: string): unknown {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress: address }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
}

/** Without the core group. */
export function apiGroupList(groups: readonly ServedGroup[]): unknown {
  const listed = groups.filter(({ name }) => name !== "").map(groupDocument);
  return { kind: "APIGroupList", apiVersion: "v1", groups: listed };
}

/** /apis/<group>, or one of its versions; undefined: not served. */
export function groupDiscovery(groups: readonly ServedGroup[], name: string | undefined, version: string | undefined) {
  const group = groups.find((each) => each.name === name);
  if (group === undefined) return undefined;
  if (version === undefined) return { kind: "APIGroup", apiVersion: "v1", ...groupDocument(group) };
  const served = group.versions.find((each) => each.version === version);
  return served && apiResourceList(group.name, version, served.resources);
}

function groupDocument({ name, versions }: ServedGroup) {
  const documents = versions.map(({ version }) => ({ groupVersion: groupVersion({ group: name, version }), version }));
  return { name, versions: documents, preferredVersion: documents[0] };
}

function apiResourceList(group: string, version: string, resources: readonly ApiResource[]): unknown {
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: groupVersion({ group, version }), resources };
}

export const aggregatedForms: readonly Form[] = [{ as: "APIGroupDiscoveryList", g: "apidiscovery.k8s.io", v: "v2" }];

export const aggregatedMediaType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** apidiscovery.k8s.io/v2. */
export function aggregated(groups: readonly ServedGroup[]): unknown {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { ...(name !== "" && { name }), creationTimestamp: null },
      versions: versions.map(({ version, resources }) => ({
        version,
        resources: aggregatedResources(name, version, resources),
        freshness: "Current",
      })),
    })),
  };
}

function aggregatedResources(group: string, version: string, resources: readonly ApiResource[]): unknown[] {
  const kindOf = (resource: ApiResource) => ({
    group: resource.group ?? group,
    version: resource.version ?? version,
    kind: resource.kind,
  });
  return resources
    .filter(({ name }) => !isSubresource(name, resources))
    .map((resource) => {
      const { name, singularName, namespaced, verbs, shortNames, categories } = resource;
      const parts = resources.filter((part) => isSubresource(part.name, resources) && part.name.startsWith(`${name}/`));
      return {
        resource: name,
        responseKind: kindOf(resource),
        scope: namespaced ? "Namespaced" : "Cluster",
        singularResource: singularName,
        verbs,
        ...(shortNames && { shortNames }),
        ...(categories && { categories }),
        ...(parts.length > 0 && {
          subresources: parts.map((part) => ({
            subresource: part.name.slice(name.length + 1),
            responseKind: kindOf(part),
            verbs: part.verbs,
          })),
        }),
      };
    });
}

// "pods/queue_depth" of the custom metrics API has no parent: the group has no resource "pods".
function isSubresource(name: string, resources: readonly ApiResource[]): boolean {
  const parent = name.split("/")[0];
  return name.includes("/") && resources.some((resource) => resource.name === parent);
}
