import { isMap, present } from "../../../k8s/map";
import { Fault, isFault } from "../../../model/fault";
import type { Scale } from "../../../k8s/objects";
import type { ApiObject } from "../api-client";
import type { Subject } from "../api-fault";
import type { ServedResource } from "../discovery-documents";
import { type DiscoveredApi, type Discovery, groupOf } from "../discovery";

export interface ScaleTarget {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/**
 * Tries each resource of the kind. Rejects with the first one's error (upstream: horizontal.go,
 * scaleForResourceMappings).
 */
export async function getScale(
  { api, discovery }: DiscoveredApi,
  target: ScaleTarget,
  signal: AbortSignal,
): Promise<Scale> {
  return firstThatWorks(await resourcesOf(discovery, target, signal), async (resource) => {
    const subject = scaleSubject("get", resource, target);
    return readScale(await api({ method: "GET", subject, kinds: ["Scale"] }, signal), subject);
  });
}

export async function putScale(
  { api, discovery }: DiscoveredApi,
  target: ScaleTarget,
  scale: Scale,
  signal: AbortSignal,
): Promise<Scale> {
  const { uid, resourceVersion } = scale.metadata;
  // Without it, the server would overwrite any version.
  if (resourceVersion === undefined || resourceVersion === "")
    throw new Error(`a scale write of ${target.kind} ${target.namespace}/${target.name} carries no resourceVersion`);
  const body = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: {
      name: target.name,
      namespace: target.namespace,
      resourceVersion,
      ...present({ uid }),
    },
    spec: { replicas: scale.spec.replicas ?? 0 },
  };
  return firstThatWorks(await resourcesOf(discovery, target, signal), async (resource) => {
    const subject = scaleSubject("update", resource, target);
    return readScale(await api({ method: "PUT", subject, body, kinds: ["Scale"] }, signal), subject);
  });
}

async function resourcesOf(discovery: Discovery, target: ScaleTarget, signal: AbortSignal) {
  return discovery.resources(groupOf(target.apiVersion), target.kind, signal);
}

/** Only after "not found" and "forbidden" is the object certainly unchanged. */
async function firstThatWorks<T>(
  resources: readonly ServedResource[],
  attempt: (resource: ServedResource) => Promise<T>,
): Promise<T> {
  let first: Fault | undefined;
  for (const resource of resources)
    try {
      return await attempt(resource);
    } catch (error) {
      if (!isFault(error, "notFound") && !isFault(error, "forbidden")) throw first ?? error;
      first ??= error;
    }
  throw first ?? new Fault("notFound", "unrecognized resource");
}

export function scaleSubject(verb: "get" | "update", resource: ServedResource, target: ScaleTarget): Subject {
  const { namespace, name } = target;
  const version = encodeURIComponent(resource.version);
  const base = resource.group === "" ? `/api/${version}` : `/apis/${encodeURIComponent(resource.group)}/${version}`;
  const object = `namespaces/${[namespace, resource.resource, name].map(encodeURIComponent).join("/")}`;
  return {
    verb,
    group: resource.group,
    resource: resource.resource,
    subresource: "scale",
    namespace,
    name,
    path: `${base}/${object}/scale`,
  };
}

/** Go leaves out zeros, so absent replicas are 0. Anything but an int32 ≥ 0 is an error. */
export function readScale(object: ApiObject, subject: Subject): Scale {
  const metadata = isMap(object["metadata"]) ? object["metadata"] : {};
  const spec = isMap(object["spec"]) ? object["spec"] : {};
  const status = isMap(object["status"]) ? object["status"] : {};
  const where = `${subject.resource}/scale ${subject.namespace}/${subject.name}`;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  if (!isVersionText(resourceVersion)) {
    const got = String(JSON.stringify(resourceVersion)).slice(0, 200);
    throw new Fault("badAnswer", `${where}: expected metadata.resourceVersion, got ${got}`);
  }
  const selector = status["selector"] ?? "";
  if (typeof selector !== "string" || selector.length > maxSelector) {
    const got = typeof selector === "string" ? `${selector.length} characters` : JSON.stringify(selector).slice(0, 200);
    throw new Fault("badAnswer", `${where}: expected status.selector as a string, got ${got}`);
  }
  return {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: {
      name: typeof name === "string" ? name : (subject.name ?? ""),
      ...(typeof namespace === "string" ? { namespace } : {}),
      ...(isVersionText(uid) ? { uid } : {}),
      ...(typeof creationTimestamp === "string" ? { creationTimestamp } : {}),
      resourceVersion,
    },
    spec: { replicas: readReplicas(spec["replicas"], `${where}: spec.replicas`) },
    status: { replicas: readReplicas(status["replicas"], `${where}: status.replicas`), selector },
  };
}

const MAX_INT32 = 2 ** 31 - 1;

/** The state stores these texts. Real ones have less than 100 characters; a selector, a few hundred. */
const maxMark = 1_024;
const maxSelector = 16_384;

function isVersionText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxMark;
}

function readReplicas(value: unknown, where: string): number {
  if (value === undefined) return 0;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_INT32) return value;
  throw new Fault(
    "badAnswer",
    `${where}: expected a whole number from 0 to ${MAX_INT32}, got ${JSON.stringify(value)}`,
  );
}
