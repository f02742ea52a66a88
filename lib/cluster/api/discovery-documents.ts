import { isMap } from "../../k8s/map";
import { isFault } from "../../model/fault";
import { type ApiClient, type ApiObject } from "./api-client";

export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly hasScale: boolean;
}

export interface ApiGroup {
  readonly versions: readonly { readonly version: string; readonly resources: readonly ServedResource[] }[];
}

export interface GroupList {
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** Absent if the server does not aggregate discovery (before 1.26). */
  readonly complete?: ReadonlyMap<string, ApiGroup>;
}

const AGGREGATED = ["v2", "v2beta1"].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);
const ACCEPT = [...AGGREGATED, "application/json"].join(",");

export async function readGroups(api: ApiClient, signal: AbortSignal): Promise<GroupList> {
  const kinds = ["APIGroupDiscoveryList", "APIGroupList"];
  const subject = { verb: "get", group: "", path: "/apis" } as const;
  const document = await api({ method: "GET", subject, accept: ACCEPT, large: true, kinds }, signal);
  if (document.kind === "APIGroupList") return { versions: listedVersions(document) };
  const complete = aggregatedGroups(document);
  const versions = new Map([...complete].map(([name, group]) => [name, group.versions.map(({ version }) => version)]));
  return { versions, complete };
}

/** One request for each version. A version that is gone, or whose server is down, has no resources. */
export async function readGroup(
  api: ApiClient,
  group: string,
  versions: readonly string[],
  signal: AbortSignal,
): Promise<ApiGroup> {
  const read = versions.map(async (version) => {
    const names = group === "" ? ["api", version] : ["apis", group, version];
    const path = `/${names.map(encodeURIComponent).join("/")}`;
    const subject = { verb: "get", group: "", path } as const;
    try {
      const document = await api({ method: "GET", subject, large: true, kinds: ["APIResourceList"] }, signal);
      return { version, resources: listedResources(document, group, version) };
    } catch (error) {
      if (isFault(error, "notFound") || (isFault(error) && error.status === 503)) return { version, resources: [] };
      throw error;
    }
  });
  return { versions: await Promise.all(read) };
}

/** Only what ebb reads of an apidiscovery.k8s.io APIGroupDiscoveryList: a large cluster has hundreds of kinds. */
function aggregatedGroups(document: ApiObject): ReadonlyMap<string, ApiGroup> {
  const groups = new Map<string, ApiGroup>();
  for (const item of objects(document["items"])) {
    const name = text(isMap(item["metadata"]) ? item["metadata"]["name"] : undefined);
    const versions = objects(item["versions"]).map((each) => {
      const version = text(each["version"]);
      const resources = objects(each["resources"]).map((resource) => ({
        group: name,
        version,
        resource: text(resource["resource"]),
        kind: text(isMap(resource["responseKind"]) ? resource["responseKind"]["kind"] : undefined),
        hasScale: objects(resource["subresources"]).some((subresource) => subresource["subresource"] === "scale"),
      }));
      return { version, resources };
    });
    groups.set(name, { versions });
  }
  return groups;
}

function listedVersions(document: ApiObject): ReadonlyMap<string, readonly string[]> {
  return new Map(
    objects(document["groups"]).map((group) => {
      const preferred = isMap(group["preferredVersion"]) ? text(group["preferredVersion"]["version"]) : "";
      const all = objects(group["versions"]).map((version) => text(version["version"]));
      return [
        text(group["name"]),
        [preferred, ...all.filter((version) => version !== preferred)].filter((v) => v !== ""),
      ];
    }),
  );
}

/** meta/v1 APIResourceList lists subresources beside their resource, as "deployments/scale". */
function listedResources(document: ApiObject, group: string, version: string): readonly ServedResource[] {
  const all = objects(document["resources"]);
  const names = new Set(all.map((resource) => text(resource["name"])));
  return all
    .filter((resource) => !text(resource["name"]).includes("/"))
    .map((resource) => {
      const name = text(resource["name"]);
      return { group, version, resource: name, kind: text(resource["kind"]), hasScale: names.has(`${name}/scale`) };
    });
}

function objects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isMap) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
