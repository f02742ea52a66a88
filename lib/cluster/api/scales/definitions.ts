import { BoundedMap } from "../../../async/bounded-map";
import { isMap } from "../../../k8s/map";
import type { EpochMs } from "../../../k8s/time";
import { shown } from "../../../model/check/problem";
import { Fault } from "../../../model/fault";
import type { ApiClient, ApiObject, ApiRequest } from "../api-client";
import type { ServedResource } from "../discovery-documents";
import type { ScalePaths } from "./scale-forms";

export interface Definition {
  /** With the resourceVersion, identifies the whole definition. */
  readonly uid: string;
  readonly resourceVersion: string;
  readonly paths: ScalePaths;
}

/** Both calls reject with a Fault, also for a definition of another form. */
export interface Definitions {
  /** Undefined: the definition changed lately, so API servers may still use the one before. */
  settled(resource: ServedResource, signal: AbortSignal): Promise<Definition | undefined>;
  isCurrent(definition: Definition, resource: ServedResource, signal: AbortSignal): Promise<boolean>;
}

/** Upstream allows 5 s for all API servers to know a new definition (apiextensions-apiserver, apiserver.go). */
const settlesAfterMs = 10_000;
const timeoutMs = 2_000;
const maxCached = 1_000;
const maxBytes = 3 * 1024 * 1024;

const group = "apiextensions.k8s.io";
const plural = "customresourcedefinitions";
const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/** The API server enforces this name. */
export function definitionName({ group, resource }: Pick<ServedResource, "group" | "resource">): string {
  return `${resource}.${group}`;
}

/** In RBAC's words. It has no namespace. */
export function definitionRight(resource: Pick<ServedResource, "group" | "resource">) {
  return { group, resource: plural, name: definitionName(resource), verbs: ["get"], namespace: "" } as const;
}

export function openDefinitions(api: ApiClient, now: () => EpochMs): Definitions {
  const cached = new BoundedMap<string, { readonly definition: Definition; readonly since: EpochMs }>(maxCached);

  async function fetchDefinition(
    resource: ServedResource,
    more: Pick<ApiRequest, "kinds" | "accept">,
    signal: AbortSignal,
  ) {
    const name = definitionName(resource);
    const path = `/apis/${group}/v1/${plural}/${encodeURIComponent(name)}`;
    const subject = { verb: "get", group, resource: plural, name, path } as const;
    return api({ method: "GET", subject, large: true, maxBytes, timeoutMs, failureKey: path, ...more }, signal);
  }

  return {
    async settled(resource, signal) {
      const known = cached.get(idOf(resource));
      const age = known === undefined ? -1 : now() - known.since;
      if (known !== undefined && age >= settlesAfterMs) return known.definition;
      if (known !== undefined && age >= 0) return undefined;
      const object = await fetchDefinition(resource, { kinds: ["CustomResourceDefinition"] }, signal);
      cached.set(idOf(resource), { definition: readDefinition(object, resource), since: now() });
      return undefined;
    },
    async isCurrent({ uid, resourceVersion }, resource, signal) {
      const object = await fetchDefinition(
        resource,
        { kinds: ["PartialObjectMetadata"], accept: metadataOnly },
        signal,
      );
      const stored = versionOf(object, resource);
      const isSame = stored.uid === uid && stored.resourceVersion === resourceVersion;
      if (!isSame) cached.delete(idOf(resource));
      return isSame;
    },
  };
}

const idOf = ({ group, version, resource }: ServedResource) => `${group}/${version}/${resource}`;

function versionOf({ metadata }: ApiObject, resource: ServedResource): Pick<Definition, "uid" | "resourceVersion"> {
  const { name, uid, resourceVersion } = isMap(metadata) ? metadata : {};
  const expected = definitionName(resource);
  if (name === expected && isText(uid) && isText(resourceVersion)) return { uid, resourceVersion };
  const what = `expected name ${expected}, uid and resourceVersion`;
  throw new Fault("badAnswer", `${plural} ${expected}: ${what} in metadata, got ${shown(metadata)}`);
}

function readDefinition(object: ApiObject, resource: ServedResource): Definition {
  const paths = readPaths(object["spec"], resource);
  if (paths !== undefined) return { ...versionOf(object, resource), paths };
  const what = `expected the paths of scales in version ${resource.version}`;
  throw new Fault("badAnswer", `${plural} ${definitionName(resource)}: ${what}, got ${shown(object["spec"])}`);
}

function readPaths(spec: unknown, resource: ServedResource): ScalePaths | undefined {
  if (!isMap(spec) || !isMap(spec["names"]) || !Array.isArray(spec["versions"])) return undefined;
  const { plural: ownPlural, kind, listKind = `${resource.kind}List` } = spec["names"];
  const isOfResource = spec["group"] === resource.group && ownPlural === resource.resource && kind === resource.kind;
  if (!isOfResource || spec["scope"] !== "Namespaced" || !isText(listKind)) return undefined;
  const version: unknown = spec["versions"].find((each) => isMap(each) && each["name"] === resource.version);
  if (!isMap(version) || version["served"] !== true || !isMap(version["subresources"])) return undefined;
  const { scale } = version["subresources"];
  if (!isMap(scale)) return undefined;
  const specReplicasPath = readPath(scale["specReplicasPath"], ["spec"]);
  const statusReplicasPath = readPath(scale["statusReplicasPath"], ["status"]);
  const { labelSelectorPath: selector = "" } = scale;
  const labelSelectorPath = readPath(selector, ["spec", "status"]);
  if (specReplicasPath === undefined || statusReplicasPath === undefined) return undefined;
  if (selector === "") return { listKind, specReplicasPath, statusReplicasPath };
  return labelSelectorPath && { listKind, specReplicasPath, statusReplicasPath, labelSelectorPath };
}

/**
 * ".spec.a.b" → ["spec", "a", "b"]. Like upstream, every dot separates (apiextensions-apiserver, validation.go,
 * validateSimpleJSONPath; customresource/etcd.go, splitReplicasPath).
 */
function readPath(path: unknown, roots: readonly string[]): readonly string[] | undefined {
  if (!isText(path) || !path.startsWith(".")) return undefined;
  const names = path.slice(1).split(".");
  return names.length > 1 && roots.includes(names[0] ?? "") ? names : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxText;
}

const maxText = 1_024;
